package io.ntrail.analysis.calls;

import io.ntrail.formats.collections.LongIntMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Calls summed by routine: how many there are, how they ended and how long they took. No profile of
 * weights: it keeps the spread of durations, which a weight has not. Calls that are open at the end
 * and ends without a beginning have no duration: they are counted apart. So entries are the calls
 * of all routines and the open ones. Calls of which only the entry is recorded count for their
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
  private long entries;
  private long exits;
  private long unwinds;
  private long open;
  private long entryOnly;
  private long lostExits;
  private long lostEntries;
  private long roots;
  private int deepest;

  /** Creates an empty profile. */
  public FlatCallProfile() {}

  /** Adds a call; those of a stack in the order of their entries. */
  public void add(CallWalk call) {
    CallEnd end = call.end();
    exits += end == CallEnd.RETURN ? 1 : 0;
    unwinds += end == CallEnd.UNWIND ? 1 : 0;
    if (call.lostEntry()) {
      lostEntries++;
      return;
    }
    entries++;
    int depth = call.depth();
    roots += depth == 0 ? 1 : 0;
    deepest = Math.max(deepest, depth + 1);
    Path around = path(call.thread(), call.area());
    if (end == CallEnd.OPEN) {
      open++;
      around.set(depth, null);
      return;
    }
    if (end == CallEnd.ENTRY_ONLY) {
      // Nothing is inside of it.
      entryOnly++;
      timesOf(call.function()).addUntimed();
      return;
    }
    lostExits += end == CallEnd.INFERRED ? 1 : 0;
    FunctionTimes own = timesOf(call.function());
    long duration = call.duration();
    own.add(duration, end == CallEnd.UNWIND);
    around.set(depth, own);
    FunctionTimes caller = depth == 0 ? null : around.at(depth - 1);
    if (caller != null) {
      caller.child(duration);
    }
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

  /**
   * Returns how many calls were added, and how they ended; exits and unwinds are those of calls.
   */
  public CallCounts counts() {
    return new CallCounts(
        entries, exits, unwinds, open, entryOnly, lostExits, lostEntries, 0, roots, deepest);
  }

  /** Returns the routines, in no order. */
  public List<FunctionTimes> functions() {
    return new ArrayList<>(times);
  }
}
