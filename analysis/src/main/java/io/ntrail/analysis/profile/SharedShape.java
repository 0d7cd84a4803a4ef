package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;

/** Shape whose weights may come in any order, so that several threads can add them at once. */
public interface SharedShape extends ProfileAggregator {
  /** Part of the shape that one other thread adds weights to. */
  interface Share extends ProfileAggregator {
    /** Finds the functions of the stacks that are added. */
    FrameLookup names();

    /** Adds all its weights to the shape, when the other thread has ended. */
    void finish();
  }

  /**
   * Makes a part of the shape. Safe for several threads.
   *
   * @param names finds the functions of stacks that are added to the shape itself
   * @param parts the numbered parts that stacks may consist of
   * @param sharers how many parts there will be, which share the memory
   */
  Share share(FrameLookup names, StackParts parts, int sharers);
}
