package io.ntrail.analysis.flow;

/** Check for code that runs on and on without a branch that the trace tells. */
final class EndlessCheck {
  /** Blocks in a row at most: up to 16 MB of code without a condition. */
  private static final int MOST_STEPS = 1 << 14;

  /** Blocks since the last traced branch. */
  private int steps;

  /**
   * Block that ran after as many steps as the last power of two: if it comes again, it always will.
   */
  private int mark = -1;

  /** Begins at a traced branch. */
  void begin() {
    steps = 0;
    mark = -1;
  }

  /** Returns true if blocks ran since the last traced branch. */
  boolean isOnTheWay() {
    return steps > 0;
  }

  /** Takes the next block; returns true if there is no end to it. */
  boolean isEndless(int block) {
    if (block == mark) {
      return true;
    }
    if ((++steps & steps - 1) == 0) {
      if (steps == MOST_STEPS) {
        return true;
      }
      mark = block;
    }
    return false;
  }
}
