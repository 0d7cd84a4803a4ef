package io.ntrail.analysis.profile;

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
  int[] functions = new int[256];
  int count;

  WeightedStack() {}

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

  /** Number of frames. */
  public int count() {
    return count;
  }

  /** A frame as a number of {@link Functions}; 0 is the innermost. */
  public int function(int i) {
    return functions[i];
  }
}
