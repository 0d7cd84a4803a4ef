package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.recording.ReadingState;
import io.ntrail.analysis.etw.stacks.SampleJoin;
import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.analysis.profile.ProfileAggregator;
import io.ntrail.analysis.profile.SharedShape;
import io.ntrail.analysis.profile.WeightSink;
import java.util.function.Function;

/**
 * Samples that a survey has noted, which are gone over window by window: by one thread, or by
 * several that each add to a part of the shape.
 */
final class SampleWindows {
  /** Memory that a thread may need beside what it keeps of each numbered part of stacks. */
  private static final long THREAD_MEMORY = 8L << 20;

  /** Bytes that a thread keeps of each part. */
  private static final int PART = 24;

  private final ProfileInput input;
  private final Profiler.Request request;
  private final FrameLookup frames;
  private final SampleJoin noted;
  private final Function<ProfileAggregator, WeightSink> sinks;
  private final ReadingState reading;

  /** The last window that was begun. */
  private int begun = -1;

  /** The first one that was not, as reading was stopped. */
  private int left;

  /**
   * Has gone over nothing yet.
   *
   * @param sinks makes what gives weights in scope to a shape
   */
  SampleWindows(
      ProfileInput input,
      Profiler.Request request,
      FrameLookup frames,
      SampleJoin noted,
      Function<ProfileAggregator, WeightSink> sinks) {
    this.input = input;
    this.request = request;
    this.frames = frames;
    this.noted = noted;
    this.sinks = sinks;
    this.reading = input.recording().reading();
    this.left = noted.windows();
  }

  /** Returns how many threads are worth their memory. */
  int threads() {
    long memory = THREAD_MEMORY + (long) PART * input.stacks().definitions();
    long most = Runtime.getRuntime().maxMemory() / 8 / memory;
    return Math.clamp(Math.min(most, noted.windows()), 1, input.cores());
  }

  /** Gives all weights to a sink, which gives them to a shape. */
  void addTo(ProfileAggregator shape, WeightSink sink) {
    begin(sink);
    SampleWalk walk = new SampleWalk(input, request, frames, sink, shape, noted);
    for (int window = 0; window < noted.windows(); window++) {
      visit(walk, window);
    }
    end();
  }

  /** One of several threads. */
  private record Worker(SharedShape.Share share, WeightSink sink, SampleWalk walk) {}

  /** Adds all weights to a shape by several threads, and what is counted beside them to a sink. */
  void addTo(SharedShape shape, WeightSink sink, int threads) {
    begin(sink);
    Worker one =
        ParallelTasks.run(
            threads,
            noted.windows(),
            () -> worker(shape, threads),
            (worker, window) -> visit(worker.walk, window),
            (worker, other) -> {
              finish(other, sink);
              return worker;
            });
    finish(one, sink);
    end();
  }

  private Worker worker(SharedShape shape, int threads) {
    SharedShape.Share share = shape.share(frames, new StackKeyParts(input.stacks()), threads);
    WeightSink sink = sinks.apply(share);
    return new Worker(
        share, sink, new SampleWalk(input, request, share.names(), sink, share, noted));
  }

  private static void finish(Worker worker, WeightSink sink) {
    worker.share.finish();
    sink.addCounts(worker.sink);
  }

  private void begin(WeightSink sink) {
    if (noted.idle() > 0) {
      sink.idle(0, 0, noted.idle());
    }
    reading.begin(ReadingState.Pass.IN_ORDER, noted.windows());
  }

  private void visit(SampleWalk walk, int window) {
    if (mayBegin(window)) {
      walk.run(window);
      reading.done(1);
    }
  }

  /**
   * Returns true if a window is to be gone over: after a stop only those before others that were.
   */
  private synchronized boolean mayBegin(int window) {
    if (window > begun && reading.isStopping()) {
      left = Math.min(left, window);
      return false;
    }
    begun = Math.max(begun, window);
    return true;
  }

  /** Leaves out what a pass in order of time does that is stopped where windows were left out. */
  private void end() {
    if (left == noted.windows()) {
      return;
    }
    try (OrderedCursor rest = input.recording().stretch(noted.start(left), Long.MAX_VALUE)) {
      if (rest.next()) {
        throw new IllegalStateException("goes on");
      }
    }
  }
}
