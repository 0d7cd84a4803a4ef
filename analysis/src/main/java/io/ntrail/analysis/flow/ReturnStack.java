package io.ntrail.analysis.flow;

/**
 * Blocks that ended with a call, the last one on top: where compressed returns go. It has the 64
 * entries of the processor; the oldest one is lost when another is pushed.
 */
final class ReturnStack {
  private static final int SIZE = 64;

  private final int[] calls = new int[SIZE];
  private int top;
  private int count;

  /** Entries, from the oldest on, that are older than a place where the depth may have changed. */
  private int old;

  void clear() {
    count = 0;
    old = 0;
  }

  /** Makes what is there old: calls and returns may follow that are not seen. */
  void age() {
    old = count;
  }

  /** Returns how many entries, from the oldest on, are old. */
  int old() {
    return old;
  }

  /** Makes so many entries, from the oldest on, old. */
  void setOld(int to) {
    old = to;
  }

  /** Returns true if the entry that was popped last was an old one. */
  boolean wasOld() {
    return count < old;
  }

  void push(int call) {
    calls[top] = call;
    top = top + 1 & SIZE - 1;
    // Of old ones above the entries that are left nothing is known any more.
    old = Math.min(old, count);
    if (count < SIZE) {
      count++;
    } else {
      old = Math.max(0, old - 1);
    }
  }

  /** Returns the blocks, the last one at the end. */
  int[] blocks() {
    int[] blocks = new int[count];
    for (int i = 0; i < count; i++) {
      blocks[i] = calls[top - count + i & SIZE - 1];
    }
    return blocks;
  }

  /** Returns the block whose call is returned from; -1 if none is known. */
  int pop() {
    if (count == 0) {
      return -1;
    }
    count--;
    top = top - 1 & SIZE - 1;
    return calls[top];
  }
}
