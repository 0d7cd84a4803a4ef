package io.ntrail.analysis.etw.stacks;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.LongList;

/** Some stacks that are put into a {@link StackTrie} together. Used again. */
final class StackBatch {
  /** Enough that the lookups of one frame of each wait for memory at the same time. */
  private static final int MOST = 64;

  /** Frames that are kept at once, but for those of the last stack. */
  private static final int MOST_FRAMES = 1 << 13;

  private final LongList frames = new LongList();
  private final int[] owners = new int[MOST];
  private final int[] next = new int[MOST];
  private final int[] ends = new int[MOST];
  private final int[] nodes = new int[MOST];
  private int size;

  /** Creates an empty batch. */
  StackBatch() {}

  /** Number of stacks. */
  int size() {
    return size;
  }

  /** Returns true if no more stacks should be added. */
  boolean isFull() {
    return size == MOST || frames.size() >= MOST_FRAMES;
  }

  /**
   * Adds a stack whose frames are in a record, innermost first.
   *
   * @param owner a number to know it by
   */
  void add(int owner, Bytes bytes, int at, int count, int pointerBytes) {
    owners[size] = owner;
    next[size] = frames.size();
    for (int i = count - 1; i >= 0; i--) {
      frames.add(bytes.pointer(at + i * pointerBytes, pointerBytes));
    }
    ends[size] = frames.size();
    nodes[size++] = 0;
  }

  /** Returns the number that a stack is known by. */
  int owner(int stack) {
    return owners[stack];
  }

  /** Returns true if frames of a stack were not taken yet. */
  boolean hasFrame(int stack) {
    return next[stack] < ends[stack];
  }

  /** Takes the next frame of a stack, the outermost first. */
  long takeFrame(int stack) {
    return frames.get(next[stack]++);
  }

  /** The node of the frames that were taken. */
  int node(int stack) {
    return nodes[stack];
  }

  void setNode(int stack, int node) {
    nodes[stack] = node;
  }

  /** Removes all stacks. */
  void clear() {
    size = 0;
    frames.clear();
  }
}
