package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.RecordedThreads;
import io.ntrail.analysis.model.RecorderLosses;
import io.ntrail.analysis.model.Recording;
import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.model.UntracedTime;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A recording of calls: a source, and the index of each thread that was looked at. Thread-safe.
 * Closing it closes the source.
 */
public final class CallRecording implements Recording, RecordedThreads {
  /** Passes over a recording. */
  public enum Pass {
    /** The records of each thread are read for the first time. */
    SURVEY,
    /** The calls are walked over, by their entries. */
    CALLS
  }

  private final CallSource source;
  private final AtomicReferenceArray<@Nullable CallIndex> indexes;
  private final AtomicReferenceArray<@Nullable CallCounts> counts;
  private final StoppableWork<Pass> work = new StoppableWork<>(Pass.SURVEY);
  private final CallIndex.PageSize pageSize;

  /** A recording of which nothing was looked at. */
  public CallRecording(CallSource source) {
    this(source, CallIndex.PageSize.USUAL);
  }

  CallRecording(CallSource source, CallIndex.PageSize pageSize) {
    this.source = source;
    this.pageSize = pageSize;
    this.indexes = new AtomicReferenceArray<>(source.threads().size());
    this.counts = new AtomicReferenceArray<>(source.threads().size());
  }

  /** Returns the source of the records. */
  public CallSource source() {
    return source;
  }

  @Override
  public RecordingKind kind() {
    return RecordingKind.CALLS;
  }

  @Override
  public List<String> fileNames() {
    return List.of(source.name());
  }

  @Override
  public long size() {
    return source.size();
  }

  @Override
  public List<Gap> gaps() {
    List<Gap> gaps = new ArrayList<>(source.gaps());
    stopGap().ifPresent(gaps::add);
    return gaps;
  }

  /** Returns what was left out because reading was stopped; its place in the file is not known. */
  public Optional<Gap> stopGap() {
    return work.stoppedAt()
        .map(_ -> new Gap(source.name(), 0, -1, "records", "reading was stopped"));
  }

  /** Returns the records that are left out, as the recording was cut out of another one. */
  @Override
  public List<Omission> omissions() {
    return source.omissions();
  }

  @Override
  public RecorderLosses losses() {
    return new RecorderLosses(
        source.lost(),
        OptionalLong.empty(),
        source.discarded(),
        source.neverFinalised() ? 1 : 0,
        (int) source.untraced().stream().map(UntracedTime::module).distinct().count(),
        0,
        source.unrecorded(),
        source.isSizeReached());
  }

  @Override
  public List<CallThread> threads() {
    return source.threads();
  }

  /**
   * Returns the state of reading. Who stops it gets an answer of what was read: of the first
   * records of the threads if {@link #survey} was under way, else of the calls up to some time.
   */
  public StoppableWork<Pass> work() {
    return work;
  }

  /** Makes the indexes of threads that have none yet, several at a time. */
  public void survey(List<Integer> threads, int cores) {
    read(
        threads.stream().filter(i -> indexes.get(i) == null).toList(),
        cores,
        () -> this,
        (_, thread) -> !index(thread).isCut(),
        (one, _) -> one);
  }

  /**
   * Looks through all records for damage, which is among the gaps then, several threads at a time.
   */
  public void check(int cores) {
    read(
        IntStream.range(0, threads().size()).boxed().toList(),
        cores,
        () -> this,
        (_, thread) -> source.check(thread, work),
        (one, _) -> one);
  }

  /**
   * Reads the records of one thread.
   *
   * @param <A> what is collected
   */
  @FunctionalInterface
  interface ThreadRead<A> {
    /** Reads a thread; returns false if reading was stopped. */
    boolean read(A collected, int thread);
  }

  /**
   * Reads the records of threads for the first time, several of them at the same time, the longest
   * ones first.
   *
   * @param make makes what is collected into, at most as many as cores
   * @param merge adds the second collection to the first
   */
  <A> A read(
      List<Integer> threads,
      int cores,
      Supplier<A> make,
      ThreadRead<A> each,
      BinaryOperator<A> merge) {
    List<CallThread> all = threads();
    List<Integer> longestFirst = new ArrayList<>(threads);
    longestFirst.sort((a, b) -> Long.compare(all.get(b).records(), all.get(a).records()));
    work.begin(Pass.SURVEY, threads.stream().mapToLong(i -> all.get(i).records()).sum());
    AtomicBoolean isWhole = new AtomicBoolean(true);
    A collected =
        ParallelTasks.run(
            cores,
            longestFirst.size(),
            make,
            (into, i) -> {
              if (!each.read(into, longestFirst.get(i))) {
                isWhole.set(false);
              }
            },
            merge);
    if (!isWhole.get()) {
      work.stopped();
    }
    return collected;
  }

  CallIndex index(int thread) {
    CallIndex index = indexes.get(thread);
    if (index == null) {
      index = CallIndex.of(source, thread, pageSize, work);
      indexes.set(thread, index);
      counted(thread, index.counts());
    }
    return index;
  }

  /** Notes the numbers of a thread's calls, which another pass has counted. */
  void counted(int thread, CallCounts its) {
    counts.set(thread, its);
  }

  /** Returns the numbers of records and calls of a thread, those that were added up included. */
  public CallCounts counts(int thread) {
    CallCounts known = counts.get(thread);
    return (known == null ? index(thread).counts() : known).plus(added(thread));
  }

  /** Returns the numbers of calls of a thread that were added up where they happened. */
  public CallCounts added(int thread) {
    CallCounts sum = CallCounts.NONE;
    for (FunctionTimes totals : source.totals(thread)) {
      sum = sum.plus(totals.counts());
    }
    return sum;
  }

  /** Returns the numbers of records and calls of some threads together. */
  public CallCounts counts(List<Integer> threads) {
    CallCounts sum = CallCounts.NONE;
    for (int thread : threads) {
      sum = sum.plus(counts(thread));
    }
    return sum;
  }

  /** The calls of a thread, from the first on. */
  public CallWalk walk(int thread) {
    return new CallWalk(source, thread, index(thread));
  }

  /** Returns true if calls of a thread lie on more than one stack. */
  public boolean hasStacks(int thread) {
    return source.hasStacks(thread) || index(thread).hasAreas();
  }

  @Override
  public void close() {
    source.close();
  }
}
