package io.ntrail.analysis.probe.aggregation;

import io.ntrail.analysis.probe.aggregation.BarStyle.Scale;

/** Table of a distribution, with a bar for each range, or one line for all of them. */
public final class Distribution {
  private Distribution() {}

  /** Returns the table, from the line break before its head to that behind its last row. */
  public static String text(Buckets buckets, long[] state, long normal, BarStyle style) {
    int[] shown = shown(buckets, state);
    Scale scale = style.scale(state, shown[0], shown[1]);
    StringBuilder table = new StringBuilder(head("value", 16));
    for (int i = shown[0]; i <= shown[1]; i++) {
      table
          .append("%16s ".formatted(buckets.label(i)))
          .append(style.bar(state[i], scale))
          .append(" %-9d\n".formatted(state[i] / normal));
    }
    return table.toString();
  }

  /** Returns the head of a table of bars, with the line break before it. */
  public static String head(String title, int width) {
    return "\n%s%s %41s %-9s\n"
        .formatted(
            " ".repeat(Math.max(0, width - title.length())),
            title,
            "------------- Distribution -------------",
            "count");
  }

  /** Returns the first and the last range of a table: one beside those with weights. */
  public static int[] shown(Buckets buckets, long[] state) {
    int first = 0;
    while (first < state.length && state[first] == 0) {
      first++;
    }
    if (first == state.length) {
      return buckets.shownEmpty();
    }
    int last = state.length - 1;
    while (state[last] == 0) {
      last--;
    }
    return new int[] {Math.max(0, first - 1), Math.min(state.length - 1, last + 1)};
  }
}
