package io.ntrail.analysis.etw.recording;

/** Sorts positions by what stands there; what is equal keeps its order. */
public final class IndexSort {
  private IndexSort() {}

  /** Compares what stands at two positions. */
  @FunctionalInterface
  public interface Order {
    /** Negative if position {@code a} comes before {@code b}, positive if after it. */
    int compare(int a, int b);
  }

  /** Positions 0 to {@code count} - 1 in ascending order of {@code values}, stable. */
  static int[] ascending(long[] values, int count) {
    return by(count, (a, b) -> Long.compare(values[a], values[b]));
  }

  /** Positions 0 to {@code count} - 1 in an order, stable; without an object for each. */
  public static int[] by(int count, Order order) {
    int[] from = new int[count];
    boolean sorted = true;
    for (int i = 0; i < count; i++) {
      from[i] = i;
      sorted &= i == 0 || order.compare(i - 1, i) <= 0;
    }
    if (sorted) {
      return from;
    }
    int[] to = new int[count];
    for (int width = 1; width < count; width *= 2) {
      for (int low = 0; low < count; low += 2 * width) {
        merge(order, from, to, low, Math.min(low + width, count), Math.min(low + 2 * width, count));
      }
      int[] swap = from;
      from = to;
      to = swap;
      if (width > count / 2) {
        break;
      }
    }
    return from;
  }

  private static void merge(Order order, int[] from, int[] to, int low, int middle, int high) {
    int a = low;
    int b = middle;
    for (int i = low; i < high; i++) {
      boolean takeA = a < middle && (b >= high || order.compare(from[a], from[b]) <= 0);
      to[i] = takeA ? from[a++] : from[b++];
    }
  }
}
