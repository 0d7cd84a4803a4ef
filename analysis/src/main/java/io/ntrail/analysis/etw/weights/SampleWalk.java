package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.stacks.SampleJoin;
import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.profile.ProfileAggregator;
import io.ntrail.analysis.profile.WeightSink;
import io.ntrail.analysis.profile.WeightedStack;
import io.ntrail.formats.etl.RecordCursor;

/**
 * Goes over the samples that a survey has noted, in order of time, as a {@link WeightWalk} does.
 */
final class SampleWalk {
  private final EtwRecording recording;
  private final Machine machine;
  private final SampleWeights weights;
  private final WeightSink sink;
  private final ProfileAggregator shape;
  private final SampleJoin.Walk samples;
  private final StackKeyParts keys;
  private final WeightedStack stack;

  /**
   * Stands before the first sample.
   *
   * @param shape that the sink gives weights to
   */
  SampleWalk(
      ProfileInput input,
      Profiler.Request request,
      FrameLookup frames,
      WeightSink sink,
      ProfileAggregator shape,
      SampleJoin noted) {
    this.recording = input.recording();
    this.machine = input.machine();
    this.weights = CpuSamples.weights(request, input.inventory(), sink.diagnostics());
    this.sink = sink;
    this.shape = shape;
    this.samples = noted.walk();
    this.keys = new StackKeyParts(input.stacks());
    this.stack = new WeightedStack(frames, keys);
  }

  /** Gives the sink the weights of a window; windows come in order. */
  void run(int window) {
    samples.open(window);
    while (samples.openGroup()) {
      visitGroup();
    }
  }

  private void visitGroup() {
    for (int i = 0; i < samples.inGroup(); i++) {
      if (samples.ofGroup(i) >= 0) {
        shape.expect(samples.ofGroup(i));
      }
    }
    while (samples.next()) {
      visit();
    }
  }

  private void visit() {
    long key = samples.time();
    long nanos = recording.nanosOf(key);
    long weight = weights.of(samples.samples(), key);
    if (!samples.isBusy()) {
      sink.idle(nanos, key, weight);
      if (!weights.areIdleToo()) {
        return;
      }
    }
    int thread = samples.thread();
    int process = process(thread, key);
    if (!sink.wants(nanos, key, process, thread)) {
      sink.pass(nanos, key, process, thread, weight);
      return;
    }
    takeStack();
    stack.setFrames(process);
    stack.setSubject(null);
    stack.setWeight(key, process, thread, samples.cpu(), weight);
    if (samples.isBusy()) {
      sink.put(stack);
    } else {
      sink.putIdle(stack);
    }
  }

  private int process(int thread, long key) {
    return thread == RecordCursor.NO_ID
        ? RecordCursor.NO_ID
        : thread == 0 ? 0 : machine.processOfThread(thread, key);
  }

  /** Takes the stack of a sample, after the instruction pointer. */
  private void takeStack() {
    StackAddresses frames = stack.clearAddresses();
    long address = samples.address();
    int parts = samples.keyed(stack.partNumbers());
    if (parts > 0 && stack.setSampledParts(parts, samples.innermost(), address)) {
      return;
    }
    for (int i = 0; i < samples.parts(); i++) {
      if (samples.definition(i) >= 0) {
        keys.copy(samples.definition(i), frames);
      }
    }
    // Of a stack whose keys nothing defines there is nothing to show.
    stack.setRecorded(frames.count() > 0);
    frames.setInnermost(address);
  }
}
