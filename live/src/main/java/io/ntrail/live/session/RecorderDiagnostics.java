package io.ntrail.live.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Anomalies of a session file: the text of the first hundred, and the count of all. */
final class RecorderDiagnostics {
  private static final int KEPT = 100;

  private final List<String> sentences = new ArrayList<>();
  private long damaged;

  /** Reports an anomaly. */
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
