package io.ntrail.analysis.etw.stacks;

import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import java.util.Arrays;
import java.util.List;

/**
 * The buffers of all files with stack records, by the stretch of time from the first to the last
 * time that these name. Buffers have numbers over all files, in their order.
 */
final class NamedStretches {
  /** By first named time. */
  private final int[] buffers;

  private final long[] firsts;
  private final long[] lasts;

  /** The latest of the last times so far. */
  private final long[] latest;

  NamedStretches(List<NotedBuffers> files) {
    int total = files.stream().mapToInt(NotedBuffers::count).sum();
    int[] numbers = new int[total];
    long[] unsortedFirsts = new long[total];
    long[] unsortedLasts = new long[total];
    int n = 0;
    int before = 0;
    for (NotedBuffers file : files) {
      for (int b = 0; b < file.count(); b++) {
        if (file.stacks[b] > 0) {
          numbers[n] = before + b;
          unsortedFirsts[n] = file.firstNamed[b];
          unsortedLasts[n++] = file.lastNamed[b];
        }
      }
      before += file.count();
    }
    buffers = new int[n];
    firsts = new long[n];
    lasts = new long[n];
    latest = new long[n];
    long latestSoFar = Long.MIN_VALUE;
    int i = 0;
    for (int row : RowSort.ascending(unsortedFirsts, n)) {
      buffers[i] = numbers[row];
      firsts[i] = unsortedFirsts[row];
      lasts[i] = unsortedLasts[row];
      latestSoFar = Math.max(latestSoFar, lasts[i]);
      latest[i++] = latestSoFar;
    }
  }

  /**
   * Returns the numbers of the buffers that may name a time from {@code from} (inclusive) to {@code
   * to} (exclusive; {@link Long#MAX_VALUE} for no end), ascending.
   */
  int[] about(long from, long to) {
    int begin = Search.first(0, latest.length, i -> latest[i] >= from);
    int end =
        to == Long.MAX_VALUE ? firsts.length : Search.first(0, firsts.length, i -> firsts[i] >= to);
    int[] found = new int[Math.max(0, end - begin)];
    int n = 0;
    for (int i = begin; i < end; i++) {
      if (lasts[i] >= from) {
        found[n++] = buffers[i];
      }
    }
    int[] all = Arrays.copyOf(found, n);
    Arrays.sort(all);
    return all;
  }
}
