package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.ReadingState;
import io.ntrail.analysis.etw.stacks.StackAssembler;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.parallel.OrderedTasks;
import io.ntrail.analysis.profile.CollectedWeights;
import io.ntrail.analysis.profile.ProfileAggregator;
import io.ntrail.analysis.profile.WeightSink;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Samples of a whole recording, found by several threads, each in another stretch of time, and
 * added to a shape by one in the order of time: the answer is that of one walk.
 */
final class SampleStretches {
  /** Memory that a thread may need: for stack records, and stretches that wait for their turn. */
  private static final long THREAD_MEMORY = 48L << 20;

  private final ProfileInput input;
  private final Profiler.Request request;
  private final EventNameFilter events;
  private final FrameLookup frames;
  private final long[] starts;
  private final int kept;

  /**
   * Has found nothing yet.
   *
   * @param events selects all events
   * @param kept weights that are kept of a stretch that waits for its turn
   */
  SampleStretches(
      ProfileInput input,
      Profiler.Request request,
      EventNameFilter events,
      FrameLookup frames,
      int kept) {
    this.kept = kept;
    this.input = input;
    this.request = request;
    this.events = events;
    this.frames = frames;
    this.starts = input.stacks().stretches();
  }

  /** Returns true if there are several. */
  boolean areSeveral() {
    return starts.length > 1;
  }

  /** Counts of stack records. */
  static final class Counts {
    private long references;
    private long unmatched;
    private long undefined;
    private long leftOut;

    long references() {
      return references;
    }

    long unmatched() {
      return unmatched;
    }

    long undefined() {
      return undefined;
    }

    long leftOut() {
      return leftOut;
    }

    void add(StackRecords.Walk records) {
      references += records.references();
      unmatched += records.unmatched();
      undefined += records.undefined();
      leftOut += records.leftOut();
    }
  }

  /** A stretch that was walked until it ended, or as much was found as is kept. */
  private record Walked(int number, WeightWalk walk, CollectedWeights found) {}

  /**
   * Adds all samples to a shape, and what is counted beside them to a sink of it.
   *
   * @param sinks makes sinks like it for other shapes
   */
  Counts addTo(
      ProfileAggregator shape, WeightSink sink, Function<ProfileAggregator, WeightSink> sinks) {
    EtwRecording recording = input.recording();
    Counts counts = new Counts();
    long memory = Runtime.getRuntime().maxMemory() / 4;
    int threads = Math.clamp(memory / THREAD_MEMORY, 1, input.cores());
    recording.reading().begin(ReadingState.Pass.IN_ORDER, starts.length);
    Queue<WeightWalk> open = new ConcurrentLinkedQueue<>();
    try {
      OrderedTasks.run(
          threads,
          starts.length,
          threads + 1,
          worker(sinks, open),
          walked -> {
            // After a stop those are of no use that had begun behind it.
            if (recording.isRead(starts[walked.number])) {
              take(walked, shape);
              sink.addCounts(walked.walk.sink());
              counts.add(walked.walk.stacks().records());
            }
            walked.walk.close();
            open.remove(walked.walk);
            recording.reading().done(1);
          });
    } finally {
      open.forEach(WeightWalk::close);
    }
    return counts;
  }

  private Supplier<OrderedTasks.Worker<Walked>> worker(
      Function<ProfileAggregator, WeightSink> sinks, Queue<WeightWalk> open) {
    return () ->
        new OrderedTasks.Worker<>() {
          @Override
          public Walked result(int task) {
            CollectedWeights found =
                new CollectedWeights(frames, new StackKeyParts(input.stacks()), kept);
            WeightWalk walk = walk(task, sinks.apply(found));
            open.add(walk);
            if (walk.run(found)) {
              finish(walk);
            }
            return new Walked(task, walk, found);
          }

          @Override
          public void close() {
            // Each stretch is closed when it was taken.
          }
        };
  }

  private void finish(WeightWalk walk) {
    if (input.recording().stopped().isEmpty()) {
      walk.stacks().records().finish();
    }
  }

  private WeightWalk walk(int stretch, WeightSink sink) {
    EtwRecording recording = input.recording();
    long from = starts[stretch];
    long to = stretch + 1 < starts.length ? starts[stretch + 1] : Long.MAX_VALUE;
    StackRecords stacks = input.stacks();
    return new WeightWalk(
        input,
        request,
        events,
        frames,
        sink,
        recording.stretch(from, to),
        new StackAssembler(stacks, stacks.walk(stretch), recording::inOrder));
  }

  /** Adds what was found, and then the rest of the stretch. */
  private void take(Walked walked, ProfileAggregator shape) {
    boolean isWhole = !walked.found.isFull();
    walked.found.handOn(shape);
    if (!isWhole) {
      walked.walk.run(null);
      finish(walked.walk);
    }
  }
}
