package io.ntrail.analysis.probe.aggregation;

import io.ntrail.analysis.probe.aggregation.Aggregation.Entry;
import io.ntrail.analysis.probe.aggregation.BarStyle.Scale;
import java.util.List;

/**
 * Distributions of an aggregation with a line for each key: the least range, a character for each
 * range, the last range, and the sum of the weights.
 *
 * @param first range of all lines
 * @param last range of all lines
 */
public record PackedDistributions(Buckets buckets, int first, int last, BarStyle style) {
  private static final int LEAST_WIDTH = 4;
  private static final int LINEAR_WIDTH = 8;

  /** Returns true if a function has such lines. */
  public static boolean has(Aggregate function) {
    return function instanceof Buckets.PowersOfTwo || function instanceof Buckets.Linear;
  }

  /**
   * Finds the ranges: all linear ones; of powers of two those that any key has, one below them
   * unless they begin with zero, and one above.
   */
  public static PackedDistributions of(Buckets buckets, List<Entry> entries, BarStyle style) {
    int last = buckets.count() - 1;
    if (buckets instanceof Buckets.Linear) {
      return new PackedDistributions(buckets, 0, last, style);
    }
    int least = last;
    int most = 0;
    for (Entry entry : entries) {
      boolean isEmpty = true;
      for (int i = 0; i <= last; i++) {
        if (entry.state()[i] != 0) {
          isEmpty = false;
          least = Math.min(least, i);
          most = Math.max(most, i);
        }
      }
      if (isEmpty) {
        least = Math.min(least, buckets.zero());
        most = Math.max(most, buckets.zero());
      }
    }
    int first = least == buckets.zero() ? least : Math.max(0, least - 1);
    return new PackedDistributions(buckets, first, Math.min(last, most + 1), style);
  }

  private boolean isLinear() {
    return buckets instanceof Buckets.Linear;
  }

  private int width(int bucket) {
    return Math.max(LEAST_WIDTH, buckets.label(bucket).length());
  }

  private int lastWidth() {
    return isLinear() ? LINEAR_WIDTH : width(last);
  }

  /**
   * Returns the head, with the line break before it.
   *
   * @param keys width of all keys; 0: there are none
   */
  public String head(int keys) {
    int firstWidth = isLinear() ? LINEAR_WIDTH - 1 : width(first);
    return "\n%s%s %s .%s. %s | count\n"
        .formatted(
            " ".repeat(Math.max(0, keys - 3)),
            keys > 0 ? "key" : "",
            " ".repeat(firstWidth - 3) + "min",
            "-".repeat(last - first + 1),
            "max" + " ".repeat(lastWidth() - 3));
  }

  /** Returns the line of a key, from behind the key to the line break. */
  public String line(long[] state) {
    Scale scale = style.scale(state, first, last);
    StringBuilder line = new StringBuilder();
    line.append(
        isLinear()
            ? "%8s :".formatted(buckets.label(first))
            : " %s%s :"
                .formatted(
                    " ".repeat(width(first) - buckets.label(first).length()),
                    buckets.label(first)));
    long sum = 0;
    for (int i = first; i <= last; i++) {
      line.append(style.level(state[i], scale));
      sum += state[i];
    }
    return line.append(": ")
        .append(buckets.label(last))
        .append(" ".repeat(Math.max(0, lastWidth() - buckets.label(last).length())))
        .append(" | ")
        .append(sum)
        .append('\n')
        .toString();
  }
}
