package io.ntrail.analysis.probe.aggregation;

/** Table of a distribution, with a bar for each range. */
public final class Distribution {
  private static final int BAR = 40;

  private Distribution() {}

  /** Returns the table, from the line break before its head to that behind its last row. */
  public static String text(Buckets buckets, long[] state, long normal) {
    int[] shown = shown(buckets, state);
    double total = 0;
    boolean hasPositive = false;
    boolean hasNegative = false;
    for (int i = shown[0]; i <= shown[1]; i++) {
      hasPositive |= state[i] > 0;
      hasNegative |= state[i] < 0;
      total += Math.abs((double) state[i]);
    }
    StringBuilder table =
        new StringBuilder()
            .append('\n')
            .append(
                "%16s %41s %-9s\n"
                    .formatted("value", "------------- Distribution -------------", "count"));
    for (int i = shown[0]; i <= shown[1]; i++) {
      table
          .append("%16s ".formatted(buckets.label(i)))
          .append(bar(state[i], total, hasPositive, hasNegative))
          .append(" %-9d\n".formatted(state[i] / normal));
    }
    return table.toString();
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

  private static String bar(long weight, double total, boolean hasPositive, boolean hasNegative) {
    boolean isBoth = hasPositive && hasNegative;
    int length = isBoth ? BAR / 2 : BAR;
    int depth = total == 0 ? 0 : (int) (Math.abs((double) weight) * length / total + 0.5);
    String ats = "@".repeat(depth);
    String blanks = " ".repeat(length - depth);
    if (!hasNegative) {
      return "|" + ats + blanks;
    }
    if (!hasPositive) {
      return blanks + ats + "|";
    }
    String other = " ".repeat(length);
    return weight <= 0 ? blanks + ats + "|" + other : other + "|" + ats + blanks;
  }
}
