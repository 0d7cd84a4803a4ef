package io.ntrail.analysis.etw.stacks;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Columns about the buffers of one file, filled by {@link StackNotes}: which times their stack
 * records name. Each row is written by the thread that visits the buffer.
 */
final class NotedBuffers {
  /** Words of {@link #named} before the first stack record: the time that others count from. */
  static final int BASE = 1;

  /** Words of each stack record in {@link #named}. */
  static final int WORDS = 2;

  /** Number of stack records. */
  final int[] stacks;

  final long[] firstNamed;
  final long[] lastNamed;

  /** True if it has records of the kernel logger, which stack records may belong to. */
  final boolean[] kernel;

  /** Offset of a record near the end, to begin from for the last events; 0 if none is known. */
  final int[] tails;

  /**
   * Stack records with frames or a key, after one word for the {@link #BASE} time; of several that
   * follow each other for one time and thread only the first. Of each two words: how much later
   * than that the named time is, in the upper half, and the thread; then how much later than the
   * named time it was written, negative, or a {@link NotedEvent}.
   */
  final long[] @Nullable [] named;

  /** True if not all stack records are in {@link #named}, and none of them counts. */
  final boolean[] again;

  NotedBuffers(int count) {
    stacks = new int[count];
    firstNamed = new long[count];
    lastNamed = new long[count];
    kernel = new boolean[count];
    tails = new int[count];
    named = new long[count][];
    again = new boolean[count];
    Arrays.fill(firstNamed, Long.MAX_VALUE);
    Arrays.fill(lastNamed, Long.MIN_VALUE);
  }

  int count() {
    return stacks.length;
  }
}
