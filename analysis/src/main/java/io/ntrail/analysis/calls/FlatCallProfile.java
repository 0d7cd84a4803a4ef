package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.collections.LongIntMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
    private static final int ELSEWHEN = -1;

    /** Records after which the progress is told. */
    private static final int TOLD = 8192;

    private final FlatCallProfile profile;
    private final long from;
    private final long to;
    private final boolean isLossy;
    private final OpenCalls open = new OpenCalls();
    private final CallBuilder builder;
    private final CallCounts.Tally tally = new CallCounts.Tally();

    /** Place of each open call's routine; {@link #ELSEWHEN} if it was entered at another time. */
    private int[] places = new int[64];

    /** Time of the calls that each open call made itself. */
    private long[] callees = new long[64];

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
      int records = 0;
      boolean isCut = work.isStopping();
      while (!isCut && cursor.next()) {
        builder.accept(cursor);
        if (++records == TOLD) {
          work.done(records);
          records = 0;
          isCut = work.isStopping();
        }
      }
      work.done(records);
      builder.finish();
      return !isCut;
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

    private FunctionTimes at(int place) {
      FunctionTimes at = profile.times.get(place);
      if (isLossy) {
        at.touch();
      }
      return at;
    }

    @Override
    public void opened(int frame, CallCursor entry) {
      int depth = open.depth[frame];
      tally.opened(depth);
      if (frame >= places.length) {
        places = Arrays.copyOf(places, 2 * frame);
        callees = Arrays.copyOf(callees, 2 * frame);
      }
      boolean isIn = isIn(open.entry[frame]);
      if (isIn) {
        profile.addDepth(depth);
      }
      places[frame] = isIn ? profile.place(open.function[frame]) : ELSEWHEN;
      callees[frame] = 0;
    }

    @Override
    public void openedBeyond(CallCursor entry) {
      tally.openedBeyond();
    }

    @Override
    public void closed(int frame, long time, CallEnd end, long value) {
      tally.closed(end);
      if (places[frame] == ELSEWHEN) {
        return;
      }
      FunctionTimes own = at(places[frame]);
      own.add(end);
      if (end == CallEnd.OPEN || end == CallEnd.ENTRY_ONLY) {
        return;
      }
      long duration = Math.max(0, time - open.entry[frame]);
      own.addTime(duration, callees[frame]);
      int caller = open.below[frame];
      if (caller != OpenCalls.NONE) {
        callees[caller] += duration;
      }
    }

    @Override
    public void ended(long function, long time, CallEnd end, long value) {
      tally.lostEntry();
      if (isIn(time)) {
        at(profile.place(function)).addLostEntry();
      }
    }
  }

  /** Numbers of routines that have an entry of their own in {@link #near}. */
  private static final int NEAR = 1 << 16;

  /** Places in {@link #times} of routines with small numbers, plus 1; 0: there is none. */
  private int[] near = {};

  /** Places of the others: of recordings that number routines by their addresses. */
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
    times.get(place(totals.function())).add(totals);
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

  /** Returns the place of a routine in {@link #times}. */
  private int place(long function) {
    boolean isNear = function >= 0 && function < near.length;
    int known = isNear ? near[(int) function] - 1 : far.get(function);
    return known >= 0 ? known : added(function);
  }

  private int added(long function) {
    int place = times.size();
    times.add(new FunctionTimes(function));
    if (function < 0 || function >= NEAR) {
      far.put(function, place);
      return place;
    }
    if (function >= near.length) {
      int length = Growth.length(near.length, (int) function + 1);
      near = Arrays.copyOf(near, Math.min(NEAR, length));
    }
    near[(int) function] = place + 1;
    return place;
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
