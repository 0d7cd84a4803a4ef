package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;

/**
 * Adds weights to a shape some hundreds at a time, in the order in which they came, so that what
 * the shape keeps of them is fetched from memory together. One thread at a time.
 */
public final class WeightsInGroups implements ProfileAggregator {
  /** Stacks of a group: few enough to stay in the cache. */
  private static final int MOST = 1 << 9;

  private final ProfileAggregator shape;
  private final WeightedStackBatch batch;

  /**
   * Creates one that was given nothing yet.
   *
   * @param names finds the functions of the frames of stacks
   * @param parts the numbered parts that stacks may consist of
   */
  public WeightsInGroups(ProfileAggregator shape, FrameLookup names, StackParts parts) {
    this.shape = shape;
    this.batch = new WeightedStackBatch(names, parts, MOST);
  }

  @Override
  public void add(WeightedStack stack) {
    batch.add(stack);
    if (batch.isFull()) {
      batch.moveTo(shape);
    }
  }

  /** Adds what is left. */
  public void finish() {
    batch.moveTo(shape);
  }
}
