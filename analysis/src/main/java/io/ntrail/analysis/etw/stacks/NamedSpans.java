package io.ntrail.analysis.etw.stacks;

import java.util.Arrays;

/**
 * Times that the stack records of each buffer of one file name, and how much these records are;
 * each buffer is visited by one thread.
 */
final class NamedSpans {
  /** About the number of stack records, more for long ones; 0 if there are none. */
  final int[] cost;

  final long[] firstNamed;
  final long[] lastNamed;

  NamedSpans(int buffers) {
    cost = new int[buffers];
    firstNamed = new long[buffers];
    lastNamed = new long[buffers];
    Arrays.fill(firstNamed, Long.MAX_VALUE);
    Arrays.fill(lastNamed, Long.MIN_VALUE);
  }

  /** Adds a stack record of a buffer that names a time. */
  void add(int buffer, long named, int payloadLength) {
    cost[buffer] += 1 + payloadLength / 64;
    firstNamed[buffer] = Math.min(firstNamed[buffer], named);
    lastNamed[buffer] = Math.max(lastNamed[buffer], named);
  }
}
