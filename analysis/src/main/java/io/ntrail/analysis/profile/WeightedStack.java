package io.ntrail.analysis.profile;

import io.ntrail.analysis.etw.stacks.StackAddresses;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.formats.etl.RecordCursor;

/** One weight and whose it is: what sources yield and shapes add up. Used again. */
public final class WeightedStack {
  /** A time at which the process had its id. */
  long key;

  int process = RecordCursor.NO_ID;
  int thread = RecordCursor.NO_ID;
  int cpu;
  long weight;
  boolean kernel;
  boolean hasStack;

  /** Definitions of stack keys that it consists of; {@link #frames} are then not copied yet. */
  final int[] definitions = new int[2];

  int keyed;
  final StackAddresses frames = new StackAddresses();
  boolean resolved;
  final FunctionList functions = new FunctionList();

  private final FrameLookup names;
  private final StackRecords stacks;

  WeightedStack(FrameLookup names, StackRecords stacks) {
    this.names = names;
    this.stacks = stacks;
  }

  boolean isEmpty() {
    return resolved ? functions.count == 0 : keyed == 0 && frames.count() == 0;
  }

  /** What looks up its frames. */
  FrameLookup names() {
    return names;
  }

  /** The recording's stacks. */
  StackRecords stacks() {
    return stacks;
  }

  private void copyFrames() {
    if (frames.count() == 0) {
      for (int i = 0; i < keyed; i++) {
        stacks.copyDefinition(definitions[i], frames);
      }
    }
  }

  /** Looks up its innermost frame alone; false if it has none. Not for stacks that were kept. */
  boolean innermost(FrameLookup.Hit into, int bucket) {
    copyFrames();
    if (frames.count() == 0) {
      return false;
    }
    names.hit(process, key, frames.address(0), bucket, into);
    return true;
  }

  /** Looks up what its frames are functions of, if that was not done yet. */
  void resolve() {
    if (resolved) {
      return;
    }
    resolved = true;
    copyFrames();
    names.resolve(process, key, frames, functions);
  }

  /** Process id; {@link RecordCursor#NO_ID} if nobody knows. */
  public int process() {
    return process;
  }

  /** Thread id; {@link RecordCursor#NO_ID} if nobody knows. */
  public int thread() {
    return thread;
  }

  /** CPU of the event at which the weight became known. */
  public int cpu() {
    return cpu;
  }

  /** In the unit of the metric. */
  public long weight() {
    return weight;
  }

  /** Number of functions: more than there are frames where some were inlined. */
  public int count() {
    resolve();
    return functions.count;
  }

  /** A number of {@link FunctionIndex}; 0 is the innermost. */
  public int function(int i) {
    resolve();
    return functions.numbers[i];
  }
}
