package io.ntrail.analysis.calls;

import io.ntrail.formats.collections.LongIntMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Calls summed by routine: how many there are, how they ended and how long they took. No profile of
 * weights: it keeps the spread of durations, which a weight has not. Calls that are open at the
 * end, ends without a beginning and calls of which only the entry is recorded count for their
 * routine, but have no times.
 */
public final class FlatCallProfile {
  /** The calls that are around the last one of a stack, by depth; null for an open one. */
  private static final class Path {
    private @Nullable FunctionTimes[] around = new FunctionTimes[16];

    @Nullable FunctionTimes at(int depth) {
      return depth < around.length ? around[depth] : null;
    }

    void set(int depth, @Nullable FunctionTimes times) {
      if (depth >= around.length) {
        around = Arrays.copyOf(around, 2 * depth);
      }
      around[depth] = times;
    }
  }

  private record Stack(int thread, int area) {}

  /** Places of routines in {@link #times}. */
  private final LongIntMap places = new LongIntMap();

  private final List<FunctionTimes> times = new ArrayList<>();
  private final Map<Stack, Path> paths = new HashMap<>();
  private @Nullable Path path;
  private int pathThread = -1;
  private int pathArea;
  private long roots;
  private int deepest;

  /** Threads of which records were lost. */
  private final IntPredicate lossy;

  /**
   * Creates an empty profile.
   *
   * @param lossy tells of the number of a thread if records of it were lost
   */
  public FlatCallProfile(IntPredicate lossy) {
    this.lossy = lossy;
  }

  /** Adds a call; those of a stack in the order of their entries. */
  public void add(CallWalk call) {
    FunctionTimes own = timesOf(call.function());
    if (!own.isTouched() && lossy.test(call.thread())) {
      own.touch();
    }
    if (call.lostEntry()) {
      own.addLostEntry();
      return;
    }
    own.add(call.end());
    int depth = call.depth();
    roots += depth == 0 ? 1 : 0;
    deepest = Math.max(deepest, depth + 1);
    if (call.isEntryOnly()) {
      // Nothing is inside of it.
      return;
    }
    Path around = path(call.thread(), call.area());
    if (call.isOpen()) {
      around.set(depth, null);
      return;
    }
    long duration = call.duration();
    own.addTime(duration);
    around.set(depth, own);
    FunctionTimes caller = depth == 0 ? null : around.at(depth - 1);
    if (caller != null) {
      caller.child(duration);
    }
  }

  /** Adds calls of a routine that were added up where they happened. */
  public void add(FunctionTimes totals) {
    timesOf(totals.function()).add(totals);
  }

  private FunctionTimes timesOf(long function) {
    int place = places.get(function);
    if (place < 0) {
      place = times.size();
      places.put(function, place);
      times.add(new FunctionTimes(function));
    }
    return times.get(place);
  }

  private Path path(int thread, int area) {
    Path same = path;
    if (same == null || thread != pathThread || area != pathArea) {
      same = paths.computeIfAbsent(new Stack(thread, area), _ -> new Path());
      path = same;
      pathThread = thread;
      pathArea = area;
    }
    return same;
  }

  /** Returns the numbers of calls that were added, by their ends. */
  public CallCounts counts() {
    CallCounts sum = CallCounts.of(new long[CallEnd.values().length], 0, 0, roots, deepest);
    for (FunctionTimes one : times) {
      sum = sum.plus(one.counts());
    }
    return sum;
  }

  /** Returns the routines, in no order. */
  public List<FunctionTimes> functions() {
    return new ArrayList<>(times);
  }
}
