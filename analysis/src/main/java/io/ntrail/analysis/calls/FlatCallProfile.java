package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.collections.LongIntMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls summed by routine: how many there are, how they ended and how long they took. No profile of
 * weights: it keeps the spread of durations, which a weight has not. Calls that are open at the
 * end, ends without a beginning and calls of which only the entry is recorded count for their
 * routine, but have no times.
 */
public final class FlatCallProfile {
  /**
   * Adds up the calls of a thread by routine in one pass over its records, as they begin and end:
   * no call is kept longer than it is open. Its sums are those of the calls of a {@link
   * CallStream}.
   */
  private static final class Pass implements CallBuilder.Sink {
    /** Records after which the progress is told. */
    private static final int TOLD = 8192;

    private final FlatCallProfile profile;
    private final long from;
    private final long to;
    private final boolean isLossy;
    private final OpenCalls open = new OpenCalls();
    private final CallBuilder builder;
    private final CallCounts.Tally tally = new CallCounts.Tally();

    private boolean hasBegun;
    private boolean isOver;

    /**
     * Begins a thread.
     *
     * @param profile receives the sums
     * @param from the first time of an entry; {@link Long#MIN_VALUE} for the start
     * @param to the time before which entries have to be; {@link Long#MAX_VALUE} for the end
     * @param isLossy whether records of the thread were lost
     */
    Pass(
        FlatCallProfile profile,
        CallSource.Matching matching,
        long from,
        long to,
        boolean isLossy) {
      this.profile = profile;
      this.from = from;
      this.to = to;
      this.isLossy = isLossy;
      this.builder = CallBuilder.of(matching, open, this);
    }

    /**
     * Reads the records of the thread.
     *
     * @param work is told of the records that are read, and may stop reading
     * @return false if it was stopped
     */
    boolean run(CallCursor cursor, StoppableWork<?> work) {
      boolean isCut = work.isStopping();
      int read = TOLD;
      while (!isCut && read == TOLD) {
        read = some(cursor);
        work.done(read);
        isCut = read == TOLD && work.isStopping();
      }
      builder.finish();
      return !isCut;
    }

    /**
     * Reads some records. A method that is entered again and again, rather than one loop over all:
     * when the first thread comes to its end, the JVM gives up what it had compiled, and another
     * one that was in the loop would go on without for a quarter of a second.
     *
     * @return how many; fewer than {@link #TOLD} at the end
     */
    private int some(CallCursor cursor) {
      int records = 0;
      while (records < TOLD && cursor.next()) {
        builder.accept(cursor);
        records++;
      }
      return records;
    }

    /** Returns the numbers of all calls of the thread, whenever they were entered. */
    CallCounts counts() {
      return tally.counts();
    }

    /** Returns whether a call is meant; asked in the order of their entries. */
    private boolean isIn(long entry) {
      hasBegun |= entry >= from;
      isOver |= hasBegun && entry >= to;
      return hasBegun && !isOver;
    }

    private FunctionTimes touched(FunctionTimes its) {
      if (isLossy) {
        its.touch();
      }
      return its;
    }

    @Override
    public void opened(OpenCalls.Call frame, CallCursor entry) {
      int depth = frame.depth;
      tally.opened(depth);
      boolean isIn = isIn(frame.entry);
      if (isIn) {
        profile.addDepth(depth);
      }
      frame.sums = isIn ? profile.at(frame.function) : null;
      frame.callees = 0;
    }

    @Override
    public void openedBeyond(CallCursor entry) {
      tally.openedBeyond();
    }

    @Override
    public void closed(OpenCalls.Call frame, long time, CallEnd end, long value) {
      tally.closed(end);
      FunctionTimes own = frame.sums;
      if (own == null) {
        return;
      }
      touched(own).add(end);
      if (end == CallEnd.OPEN || end == CallEnd.ENTRY_ONLY) {
        return;
      }
      long duration = Math.max(0, time - frame.entry);
      own.addTime(duration, frame.callees);
      OpenCalls.Call caller = frame.below;
      if (caller != null) {
        caller.callees += duration;
      }
    }

    @Override
    public void ended(long function, long time, CallEnd end, long value) {
      tally.lostEntry();
      if (isIn(time)) {
        touched(profile.at(function)).addLostEntry();
      }
    }
  }

  /** Numbers of routines that have an entry of their own in {@link #near}. */
  private static final int NEAR = 1 << 16;

  /** Sums of routines with small numbers, by these. */
  private @Nullable FunctionTimes[] near = {};

  /** Places in {@link #times} of the others: of recordings that number routines by addresses. */
  private final LongIntMap far = new LongIntMap();

  private final List<FunctionTimes> times = new ArrayList<>();
  private long roots;
  private int deepest;

  /** Creates an empty profile. */
  public FlatCallProfile() {}

  /**
   * Adds up the calls of some threads that were entered in a stretch of time. Reads their records
   * once: no survey is needed before, and {@link CallRecording#counts} has the numbers of all of
   * their calls afterwards.
   *
   * @param threads by their places in the source
   * @param from the first time of an entry; {@link Long#MIN_VALUE} for the start
   * @param to the time before which entries have to be; {@link Long#MAX_VALUE} for the end
   * @param cores number of threads that are read at the same time
   */
  public static FlatCallProfile of(
      CallRecording recording, List<Integer> threads, long from, long to, int cores) {
    CallSource source = recording.source();
    return recording.read(
        threads,
        cores,
        FlatCallProfile::new,
        (profile, thread) -> {
          Pass pass = new Pass(profile, source.matching(), from, to, source.lost(thread) > 0);
          try (CallCursor cursor = source.cursor(thread)) {
            boolean isWhole = pass.run(cursor, recording.work());
            recording.counted(thread, pass.counts());
            return isWhole;
          }
        },
        FlatCallProfile::plus);
  }

  /** Adds calls of a routine that were added up where they happened. */
  public void add(FunctionTimes totals) {
    at(totals.function()).add(totals);
  }

  private FlatCallProfile plus(FlatCallProfile other) {
    for (FunctionTimes one : other.times) {
      add(one);
    }
    roots += other.roots;
    deepest = Math.max(deepest, other.deepest);
    return this;
  }

  /** Notes how many open calls are around one that is added. */
  void addDepth(int depth) {
    roots += depth == 0 ? 1 : 0;
    deepest = Math.max(deepest, depth + 1);
  }

  /** Returns the sums of a routine. */
  private FunctionTimes at(long function) {
    boolean isNear = function >= 0 && function < near.length;
    FunctionTimes known = isNear ? near[(int) function] : null;
    return known != null ? known : beyond(function);
  }

  private FunctionTimes beyond(long function) {
    int place = far.get(function);
    if (place >= 0) {
      return times.get(place);
    }
    FunctionTimes added = new FunctionTimes(function);
    times.add(added);
    if (function < 0 || function >= NEAR) {
      far.put(function, times.size() - 1);
      return added;
    }
    if (function >= near.length) {
      int length = Growth.length(near.length, (int) function + 1);
      near = Arrays.copyOf(near, Math.min(NEAR, length));
    }
    near[(int) function] = added;
    return added;
  }

  /** Returns the numbers of calls that were added, by their ends. */
  public CallCounts counts() {
    CallCounts sum = CallCounts.of(new long[CallEnd.values().length], 0, 0, roots, deepest);
    for (FunctionTimes one : times) {
      sum = sum.plus(one.counts());
    }
    return sum;
  }

  /** Returns the routines, by their numbers: the same order on any number of cores. */
  public List<FunctionTimes> functions() {
    List<FunctionTimes> all = new ArrayList<>(times);
    all.sort((a, b) -> Long.compare(a.function(), b.function()));
    return all;
  }
}
