package io.ntrail.formats.schema;

import java.util.ArrayList;
import java.util.List;

/** What a payload says, as lines: for comparing two of them. */
final class Told {
  private Told() {}

  /** {@code name=value} of a token. */
  static String line(Payload payload, int i) {
    String name = payload.field(i).name();
    return switch (payload.token(i)) {
      case VALUE -> name + "=" + payload.text(i);
      case ARRAY -> name + "=[";
      case STRUCT -> name + "={";
      case END -> "end";
    };
  }

  /** The lines of all tokens. */
  static List<String> lines(Payload payload) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < payload.size(); i++) {
      lines.add(line(payload, i));
    }
    return lines;
  }

  /** Reads every value in all ways there are. */
  static void readAll(Payload payload) {
    int depth = 0;
    for (int i = 0; i < payload.size(); i++) {
      switch (payload.token(i)) {
        case VALUE -> {
          payload.text(i);
          payload.integer(i);
          payload.real(i);
          payload.bool(i);
        }
        case ARRAY, STRUCT -> depth++;
        case END -> depth--;
      }
    }
    if (depth != 0) {
      throw new AssertionError("what begins does not end");
    }
    if (payload.restLength() < 0) {
      throw new AssertionError("more was read than there is");
    }
  }
}
