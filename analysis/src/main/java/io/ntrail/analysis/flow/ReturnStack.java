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

  void clear() {
    count = 0;
  }

  void push(int call) {
    calls[top] = call;
    top = top + 1 & SIZE - 1;
    count = Math.min(SIZE, count + 1);
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
