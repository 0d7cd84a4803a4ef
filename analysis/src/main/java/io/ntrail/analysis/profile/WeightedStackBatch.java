package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;

/**
 * Copies of weighted stacks without subjects, to be added to a shape later by another thread. Used
 * again. About 60 bytes for each, and 12 for each frame of those that do not consist of parts.
 */
final class WeightedStackBatch implements ProfileAggregator {
  /** Stacks of a batch: some milliseconds of work. */
  private static final int MOST = 1 << 12;

  /** Frames that are kept at once, but for those of the last stack. */
  private static final int MOST_FRAMES = 1 << 16;

  /** Flags beside the number of parts. */
  private static final int KERNEL = 1 << 8;

  private static final int RECORDED = 1 << 9;
  private static final int BEFORE = 1 << 10;
  private static final int PARTS = KERNEL - 1;

  /** Stacks whose parts are announced together: processors wait for some ten places at a time. */
  private static final int GROUP = 64;

  private final Columns stacks;
  private final LongColumn keys;
  private final LongColumn weights;
  private final IntColumn processes;
  private final IntColumn codeProcesses;
  private final IntColumn threads;
  private final IntColumn cpus;
  private final IntColumn flags;

  /** Both parts in one; or the number of frames. */
  private final LongColumn contents;

  /** The address before the parts, where the flag says so. */
  private final LongColumn befores;

  private final StackAddresses frames = new StackAddresses();

  /** The copies, given back one after the other. */
  private final WeightedStack copied;

  WeightedStackBatch(FrameLookup names, StackParts parts) {
    this(names, parts, MOST);
  }

  /**
   * Creates an empty batch.
   *
   * @param most stacks that it has room for, if that is less than usual
   */
  WeightedStackBatch(FrameLookup names, StackParts parts, int most) {
    this.stacks = new Columns(Math.min(most, MOST), Math.min(most, MOST));
    this.keys = stacks.longs();
    this.weights = stacks.longs();
    this.processes = stacks.ints();
    this.codeProcesses = stacks.ints();
    this.threads = stacks.ints();
    this.cpus = stacks.ints();
    this.flags = stacks.ints();
    this.contents = stacks.longs();
    this.befores = stacks.longs();
    this.copied = new WeightedStack(names, parts);
  }

  boolean isFull() {
    return stacks.isFull() || frames.count() >= MOST_FRAMES;
  }

  /** Number of stacks. */
  int size() {
    return stacks.rows();
  }

  /** Number of frames of the stacks that do not consist of parts. */
  int frames() {
    return frames.count();
  }

  /** Copies a stack that was not kept as functions. */
  @Override
  public void add(WeightedStack stack) {
    int row = stacks.add();
    keys.set(row, stack.key());
    weights.set(row, stack.weight());
    processes.set(row, stack.process());
    codeProcesses.set(row, stack.codeProcess());
    threads.set(row, stack.thread());
    cpus.set(row, stack.cpu());
    int parts = stack.parts();
    flags.set(
        row,
        parts
            | (stack.isKernel() ? KERNEL : 0)
            | (stack.isRecorded() ? RECORDED : 0)
            | (stack.hasBefore() ? BEFORE : 0));
    if (parts > 0) {
      contents.set(row, (long) stack.part(parts - 1) << 32 | stack.part(0) & 0xFFFF_FFFFL);
      befores.set(row, stack.before());
    } else {
      contents.set(row, stack.addresses().count());
      frames.addAll(stack.addresses());
    }
  }

  /** Hands the copies on in the order in which they came, and forgets them. */
  void moveTo(ProfileAggregator shape) {
    int frame = 0;
    for (int row = 0; row < stacks.rows(); row++) {
      if (row % GROUP == 0) {
        announce(row, Math.min(stacks.rows(), row + GROUP), shape);
      }
      long content = contents.get(row);
      int parts = flags.get(row) & PARTS;
      StackAddresses addresses = copied.clearAddresses();
      if (parts > 0) {
        copied.partNumbers()[parts - 1] = (int) (content >>> 32);
        copied.partNumbers()[0] = (int) content;
        copied.setParts(parts);
        if ((flags.get(row) & BEFORE) != 0) {
          copied.setBefore(befores.get(row));
        }
      } else {
        addresses.addAll(frames, frame, (int) content);
        frame += (int) content;
      }
      copied.setRecorded((flags.get(row) & RECORDED) != 0);
      copied.setFrames(codeProcesses.get(row), (flags.get(row) & KERNEL) != 0);
      copied.setWeight(
          keys.get(row), processes.get(row), threads.get(row), cpus.get(row), weights.get(row));
      shape.add(copied);
    }
    stacks.clear();
    frames.clear();
  }

  private void announce(int from, int to, ProfileAggregator shape) {
    for (int row = from; row < to; row++) {
      int parts = flags.get(row) & PARTS;
      if (parts > 0) {
        shape.expect((int) contents.get(row));
      }
      if (parts > 1) {
        shape.expect((int) (contents.get(row) >>> 32));
      }
    }
  }
}
