package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.parallel.TaskBehind;

/**
 * Adds weights to a shape in another thread, in the order in which they came, while the next ones
 * are found. What names stacks belongs to that thread until {@link #finish}.
 */
public final class WeightsBehind implements ProfileAggregator, AutoCloseable {
  private final ProfileAggregator shape;
  private final TaskBehind adding = new TaskBehind();
  private WeightedStackBatch filled;
  private WeightedStackBatch other;

  /**
   * Creates one that was given nothing yet.
   *
   * @param names finds the functions of the frames of stacks
   * @param parts the numbered parts that stacks may consist of
   */
  public WeightsBehind(ProfileAggregator shape, FrameLookup names, StackParts parts) {
    this.shape = shape;
    this.filled = new WeightedStackBatch(names, parts);
    this.other = new WeightedStackBatch(names, parts);
  }

  @Override
  public void add(WeightedStack stack) {
    filled.add(stack);
    if (filled.isFull()) {
      handOver();
    }
  }

  private void handOver() {
    adding.await();
    WeightedStackBatch full = filled;
    filled = other;
    other = full;
    adding.start(() -> full.moveTo(shape));
  }

  /** Waits until all is added. */
  public void finish() {
    handOver();
    adding.await();
  }

  @Override
  public void close() {
    adding.close();
  }
}
