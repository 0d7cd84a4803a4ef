package io.ntrail.formats.schema;

import java.util.ArrayList;
import java.util.List;

/**
 * Payloads as text: in a line ({@code a=1 b=[2 3] c={d=4}}, and {@code +n} for bytes that are
 * left), or a line a token.
 */
final class PayloadText {
  private PayloadText() {}

  /** In one line. */
  static String of(Payload payload) {
    StringBuilder text = new StringBuilder();
    int i = 0;
    while (i < payload.size()) {
      i = tell(payload, i, text, true);
    }
    if (payload.restLength() > 0) {
      text.append('+').append(payload.restLength());
    }
    return text.toString().strip();
  }

  private static int tell(Payload payload, int at, StringBuilder text, boolean named) {
    Field field = payload.field(at);
    if (named) {
      text.append(field.name()).append('=');
    }
    if (payload.token(at) == Payload.Token.VALUE) {
      text.append(payload.text(at));
    } else {
      boolean array = payload.token(at) == Payload.Token.ARRAY;
      text.append(array ? '[' : '{');
      int i = at + 1;
      while (payload.token(i) != Payload.Token.END) {
        i = tell(payload, i, text, !array);
      }
      int last = text.length() - 1;
      if (text.charAt(last) == ' ') {
        text.setLength(last);
      }
      text.append(array ? ']' : '}');
    }
    text.append(' ');
    return payload.after(at);
  }

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
