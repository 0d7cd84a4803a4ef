package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.RecordedThreads;
import io.ntrail.analysis.model.RecorderLosses;
import io.ntrail.analysis.model.Recording;
import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.model.UntracedTime;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;
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
        (int) source.untraced().stream().map(UntracedTime::module).distinct().count());
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
    List<Integer> missing = threads.stream().filter(i -> indexes.get(i) == null).toList();
    work.begin(Pass.SURVEY, missing.stream().mapToLong(i -> threads().get(i).records()).sum());
    read(missing, cores);
    if (missing.stream().anyMatch(i -> index(i).isCut())) {
      work.stopped();
    }
  }

  private void read(List<Integer> missing, int cores) {
    if (missing.size() < 2 || cores < 2) {
      missing.forEach(this::index);
      return;
    }
    try (ExecutorService executor = Executors.newFixedThreadPool(Math.min(cores, missing.size()))) {
      List<Future<CallIndex>> done = new ArrayList<>();
      for (int thread : missing) {
        done.add(executor.submit(() -> index(thread)));
      }
      for (Future<CallIndex> one : done) {
        one.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new IllegalStateException(e);
      }
    }
  }

  CallIndex index(int thread) {
    CallIndex index = indexes.get(thread);
    if (index == null) {
      index = CallIndex.of(source, thread, pageSize, work);
      indexes.set(thread, index);
    }
    return index;
  }

  /** Returns the numbers of records and calls of a thread, those that were added up included. */
  public CallCounts counts(int thread) {
    return index(thread).counts().plus(added(thread));
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
