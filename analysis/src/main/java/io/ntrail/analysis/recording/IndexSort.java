package io.ntrail.analysis.recording;

/** Sorts positions by the value that stands there; equal values keep their order. */
final class IndexSort {
  private IndexSort() {}

  /** Positions 0 to {@code count} - 1 in ascending order of {@code values}, stable. */
  static int[] ascending(long[] values, int count) {
    int[] from = new int[count];
    boolean sorted = true;
    for (int i = 0; i < count; i++) {
      from[i] = i;
      sorted &= i == 0 || values[i - 1] <= values[i];
    }
    if (sorted) {
      return from;
    }
    int[] to = new int[count];
    for (int width = 1; width < count; width *= 2) {
      for (int low = 0; low < count; low += 2 * width) {
        merge(
            values, from, to, low, Math.min(low + width, count), Math.min(low + 2 * width, count));
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

  private static void merge(long[] values, int[] from, int[] to, int low, int middle, int high) {
    int a = low;
    int b = middle;
    for (int i = low; i < high; i++) {
      boolean takeA = a < middle && (b >= high || values[from[a]] <= values[from[b]]);
      to[i] = takeA ? from[a++] : from[b++];
    }
  }
}
