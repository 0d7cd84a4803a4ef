package io.ntrail.analysis.probe.aggregation;

import io.ntrail.analysis.probe.aggregation.Aggregation.Entry;
import java.util.Comparator;
import java.util.List;

/**
 * Order in which values are printed.
 *
 * @param byKey true: by keys, else by value and then by keys
 * @param keyPosition the key that is compared first
 * @param isReverse true: the greatest first
 */
public record EntryOrder(boolean byKey, int keyPosition, boolean isReverse) {
  /** Order unless a program chooses another one. */
  public static final EntryOrder DEFAULT = new EntryOrder(false, 0, false);

  /** Returns the order of an aggregation's values. */
  public Comparator<Entry> of(Aggregation aggregation) {
    return of((left, right) -> aggregation.function().compare(left.state(), right.state()));
  }

  /** Returns the order of values that are compared in a way of their own. */
  public Comparator<Entry> of(Comparator<Entry> byValue) {
    Comparator<Entry> keys = (left, right) -> keys(left.keys(), right.keys());
    Comparator<Entry> order = byKey ? keys.thenComparing(byValue) : byValue.thenComparing(keys);
    return isReverse ? order.reversed() : order;
  }

  /** Returns the order by value that trunc() has. */
  public EntryOrder withoutReverse() {
    return new EntryOrder(false, keyPosition, false);
  }

  /** Compares keys from the position on, and then those before it. */
  public int keys(Object[] left, Object[] right) {
    for (int i = 0; i < left.length; i++) {
      int at = (i + keyPosition) % left.length;
      int order = compare(left[at], right[at]);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static int compare(Object left, Object right) {
    return switch (left) {
      // Without sign, whatever their types are.
      case Long number -> Long.compareUnsigned(number, (Long) right);
      case List<?> frames -> frames.toString().compareTo(right.toString());
      default -> left.toString().compareTo(right.toString());
    };
  }
}
