package io.ntrail.analysis.calls;

import java.util.Arrays;

/**
 * The calls that were open at the end of the page in which they began, with their ends: what cannot
 * be seen in a page. About 80 bytes each.
 */
final class CrossPageCalls {
  /** Page of a call that no exception left. */
  static final int NEVER = Integer.MAX_VALUE;

  int[] below = new int[64];
  int[] area = new int[64];
  int[] slot = new int[64];
  int[] page = new int[64];
  int[] ordinal = new int[64];
  int[] losses = new int[64];

  /** The page in which an exception was seen to leave it. */
  int[] leftIn = new int[64];

  byte[] end = new byte[64];
  long[] function = new long[64];
  long[] key = new long[64];
  long[] time = new long[64];
  long[] children = new long[64];
  long[] value = new long[64];
  private int count;

  int add() {
    if (count == below.length) {
      grow();
    }
    leftIn[count] = NEVER;
    return count++;
  }

  int count() {
    return count;
  }

  private void grow() {
    int more = count + (count >> 1);
    below = Arrays.copyOf(below, more);
    area = Arrays.copyOf(area, more);
    slot = Arrays.copyOf(slot, more);
    page = Arrays.copyOf(page, more);
    ordinal = Arrays.copyOf(ordinal, more);
    losses = Arrays.copyOf(losses, more);
    leftIn = Arrays.copyOf(leftIn, more);
    end = Arrays.copyOf(end, more);
    function = Arrays.copyOf(function, more);
    key = Arrays.copyOf(key, more);
    time = Arrays.copyOf(time, more);
    children = Arrays.copyOf(children, more);
    value = Arrays.copyOf(value, more);
  }
}
