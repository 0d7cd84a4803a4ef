package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;
import java.util.ArrayDeque;

/**
 * Copies of the weights of a stretch of time, until another thread adds them to a shape in its
 * turn; from then on weights go straight there. Some megabytes at most if who fills it stops when
 * it is full.
 */
public final class CollectedWeights implements ProfileAggregator {
  /** Stacks that are usually kept. */
  public static final int MOST = 1 << 17;

  /** Frames that are kept, but for those of the last batch. */
  private static final long MOST_FRAMES = 1 << 19;

  private final FrameLookup names;
  private final StackParts parts;
  private final int most;
  private final ArrayDeque<WeightedStackBatch> full = new ArrayDeque<>();
  private ProfileAggregator filled;
  private long stacks;
  private long frames;

  /**
   * Creates one that was given nothing yet.
   *
   * @param names finds the functions of the frames of stacks, in the thread that adds them
   * @param parts the numbered parts that stacks may consist of
   * @param most stacks that are kept, usually {@value #MOST}
   */
  public CollectedWeights(FrameLookup names, StackParts parts, int most) {
    this.names = names;
    this.parts = parts;
    this.most = most;
    this.filled = newBatch();
  }

  private WeightedStackBatch newBatch() {
    WeightedStackBatch batch = new WeightedStackBatch(names, parts, most);
    full.add(batch);
    return batch;
  }

  @Override
  public void add(WeightedStack stack) {
    filled.add(stack);
    if (filled instanceof WeightedStackBatch batch && batch.isFull()) {
      stacks += batch.size();
      frames += batch.frames();
      filled = newBatch();
    }
  }

  /** Returns true if no more should be added before its turn has come. */
  public boolean isFull() {
    return stacks >= most || frames >= MOST_FRAMES;
  }

  /** Hands on what it was given, and from now on everything at once. */
  public void handOn(ProfileAggregator shape) {
    while (!full.isEmpty()) {
      full.remove().moveTo(shape);
    }
    stacks = 0;
    frames = 0;
    filled = shape;
  }
}
