package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.stacks.SampleJoin;
import io.ntrail.analysis.etw.stacks.StackAssembler;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.naming.CodeMap;
import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.FrameRules;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.analysis.profile.CollectedWeights;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileAggregator;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.SharedShape;
import io.ntrail.analysis.profile.WeightSink;
import io.ntrail.analysis.profile.WeightSubject;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.analysis.profile.WeightsBehind;
import io.ntrail.analysis.profile.WeightsInGroups;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes one profile: walks over a recording in time order and adds up what a source yields. */
public final class Profiler {
  /**
   * Request for one profile.
   *
   * @param unit one of the metric's
   * @param variant which kind of the metric
   * @param scope which part of the recording
   * @param subject what weights are told apart by
   */
  public record Request(
      WeightSource source,
      WeightUnit unit,
      Variant variant,
      ProfileScope scope,
      WeightSubject subject) {
    /** Creates a request for weights that are not told apart by what their events are about. */
    public Request(WeightSource source, WeightUnit unit, Variant variant, ProfileScope scope) {
      this(source, unit, variant, scope, WeightSubject.NONE);
    }
  }

  private final ProfileInput input;
  private final Request request;
  private final ProfileScope scope;
  private final EventNameFilter events;
  private final FrameLookup frames;
  private WeightSink sink;
  private long references;
  private long unmatched;
  private long undefined;
  private long leftOut;

  /**
   * Creates a profiler that has summed nothing yet.
   *
   * @param symbols names functions of images; null for no names
   */
  public Profiler(ProfileInput input, Request request, @Nullable RecordingSymbols symbols) {
    this(input, request, symbols, FrameRules.USUAL);
  }

  /**
   * Creates a profiler that has summed nothing yet.
   *
   * @param symbols names functions of images; null for no names
   * @param rules what frames are shown as
   */
  public Profiler(
      ProfileInput input, Request request, @Nullable RecordingSymbols symbols, FrameRules rules) {
    this.input = input;
    this.request = request;
    this.scope = request.scope();
    this.events = new EventNameFilter(input.schemas(), scope.events());
    this.sink = new WeightSink(scope, input.machine(), _ -> {});
    CodeMap spaces =
        new CodeMap(
            input.machine().images(), input.machine().methods(), input.recording()::isKernel);
    this.frames = new FrameLookup(spaces, symbols, rules);
  }

  /** Returns the index of the functions by number. */
  public FunctionIndex functions() {
    return frames.functions();
  }

  /** Walks over the recording and adds all weights to a shape. */
  public void run(ProfileAggregator into) {
    run(into, CollectedWeights.MOST);
  }

  /**
   * Walks over the recording and adds all weights to a shape.
   *
   * @param kept weights that a thread may find before it is its turn to add them
   */
  void run(ProfileAggregator into, int kept) {
    // What looks at functions or keeps stacks while it walks needs the names itself.
    boolean isWalkApart =
        isOfSamples() && request.subject == WeightSubject.NONE && scope.stacks().passesAll();
    if (!isWalkApart) {
      walk(into);
      return;
    }
    boolean isAll = scope.fromNanos() == Long.MIN_VALUE && scope.toNanos() == Long.MAX_VALUE;
    SampleJoin noted = isAll && scope.events().isEmpty() ? noted() : null;
    if (noted != null) {
      add(noted, into);
      return;
    }
    StackKeyParts parts = new StackKeyParts(input.stacks());
    if (input.cores() == 1) {
      WeightsInGroups groups = new WeightsInGroups(into, frames, parts);
      walk(groups);
      groups.finish();
      return;
    }
    if (isAll && scope.events().isEmpty()) {
      SampleStretches stretches = new SampleStretches(input, request, events, frames, kept);
      if (stretches.areSeveral()) {
        addStretches(stretches, into);
        return;
      }
    }
    try (WeightsBehind behind = new WeightsBehind(into, frames, parts)) {
      walk(behind);
      behind.finish();
    }
  }

  /** Returns the samples that the survey has noted; null if they are found by a walk. */
  private @Nullable SampleJoin noted() {
    boolean isUsual =
        request.source.equals(CpuSamples.TIMER) && input.recording().stopped().isEmpty();
    return isUsual ? input.samples().join(input.stacks(), input.cores()) : null;
  }

  private void add(SampleJoin noted, ProfileAggregator into) {
    SampleWindows windows = new SampleWindows(input, request, frames, noted, this::newSink);
    int threads = windows.threads();
    if (threads > 1 && into instanceof SharedShape shared) {
      sink = newSink(into);
      windows.addTo(shared, sink, threads);
    } else if (input.cores() == 1 || noted.windows() == 1) {
      sink = newSink(into);
      windows.addTo(into, sink);
    } else {
      StackKeyParts parts = new StackKeyParts(input.stacks());
      try (WeightsBehind behind = new WeightsBehind(into, frames, parts)) {
        sink = newSink(behind);
        windows.addTo(behind, sink);
        behind.finish();
      }
    }
    boolean whole = input.recording().stopped().isEmpty();
    references = noted.references();
    unmatched = whole ? noted.unmatched() : 0;
    undefined = noted.undefined();
    leftOut = noted.leftOut();
  }

  /** A sample has its thread, and its weight has no start before it. */
  private boolean isOfSamples() {
    return request.source.metric().has(Metric.Trait.SAMPLED);
  }

  private WeightSink newSink(ProfileAggregator into) {
    return new WeightSink(scope, input.machine(), into);
  }

  private void addStretches(SampleStretches stretches, ProfileAggregator into) {
    sink = newSink(into);
    SampleStretches.Counts counts = stretches.addTo(into, sink, this::newSink);
    references = counts.references();
    unmatched = input.recording().stopped().isEmpty() ? counts.unmatched() : 0;
    undefined = counts.undefined();
    leftOut = counts.leftOut();
  }

  private void walk(ProfileAggregator into) {
    sink = newSink(into);
    long from = isOfSamples() ? scope.fromNanos() : Long.MIN_VALUE;
    EtwRecording recording = input.recording();
    try (WeightWalk walk =
        new WeightWalk(
            input,
            request,
            events,
            frames,
            sink,
            recording.inOrder(from, scope.toNanos()),
            new StackAssembler(input.stacks(), () -> recording.ahead(from)))) {
      walk.run(null);
      StackRecords.Walk records = walk.stacks().records();
      boolean whole =
          from == Long.MIN_VALUE
              && scope.toNanos() == Long.MAX_VALUE
              && recording.stopped().isEmpty();
      if (whole) {
        records.finish();
      }
      references = records.references();
      unmatched = whole ? records.unmatched() : 0;
      undefined = records.undefined();
      leftOut = records.leftOut() + walk.stacks().givenUp();
      walk.finish();
    }
  }

  /** Returns the sum of all weights, idle ones among them if these were requested. */
  public long total() {
    return sink.total();
  }

  /** Returns the sum of all weights that are not idle. */
  public long busy() {
    return sink.busy();
  }

  /** Returns the weight of what was idle; it is not in the total unless that was requested. */
  public long idle() {
    return sink.idle();
  }

  /** Returns the weight that the filter of stacks left out; it is not in the total. */
  public long hidden() {
    return sink.hidden();
  }

  /** Returns which kind of the metric is added up. */
  public Variant variant() {
    return request.variant;
  }

  /** Returns the number of weights. */
  public long weights() {
    return sink.weights();
  }

  /** Returns the number of weights whose event has a recorded stack with frames. */
  public long withFrames() {
    return sink.recorded();
  }

  /** Returns the processes that were selected by name or id and have weights, by id. */
  public List<WeightSink.Owner> owners() {
    return sink.owners();
  }

  /** Returns the terms of the request without any weight. */
  public List<UnmatchedTerm> unmatchedWords() {
    List<UnmatchedTerm> words = new ArrayList<>(events.unmatched());
    words.addAll(sink.unmatched());
    words.addAll(frames.unmatchedRules());
    return words;
  }

  /** Returns the counts of what could not be summed. */
  public ProfileDiagnostics remarks() {
    return sink.diagnostics();
  }

  /** Returns how many stack records were looked at. */
  public long references() {
    return references;
  }

  /**
   * Returns how many stack records name an event that is not there; only known for the whole
   * recording.
   */
  public long unmatched() {
    return unmatched;
  }

  /** Returns how many references there are to stack keys that nothing in the recording defines. */
  public long undefined() {
    return undefined;
  }

  /** Returns how many stack records were left out for want of memory. */
  public long leftOut() {
    return leftOut + input.stacks().leftOut();
  }
}
