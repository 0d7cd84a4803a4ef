package io.ntrail.analysis.model;

/** A recording of stacks whose frames have names already, each with a weight. */
public interface NamedStacks {
  /**
   * Receives stacks: the frames of one from the outermost inwards, then its weight. Frames without
   * a weight after them do not occur.
   */
  interface Sink {
    /** The next frame of the current stack. */
    void frame(String name);

    /**
     * The end of the current stack.
     *
     * @param weight in units of its last decimal
     * @param decimals how many it has: 125 with one is 12.5
     */
    void end(long weight, int decimals);
  }

  /**
   * Hands out all stacks, in the order of the file; a stack may come several times.
   *
   * @return how many there are
   */
  long stacks(Sink sink);
}
