package io.ntrail.live.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Sentences about what should not be, the first hundred of them; all are counted. */
final class RecorderDiagnostics {
  private static final int KEPT = 100;

  private final List<String> sentences = new ArrayList<>();
  private long damaged;

  /** Something in the session file is not as a target leaves it. */
  void damaged(String format, Object... values) {
    damaged++;
    say(format, values);
  }

  @SuppressWarnings("AnnotateFormatMethod") // formats are those of this package's callers
  void say(String format, Object... values) {
    if (sentences.size() < KEPT) {
      sentences.add(String.format(Locale.ROOT, format, values));
    }
  }

  long damaged() {
    return damaged;
  }

  List<String> list() {
    return List.copyOf(sentences);
  }
}
