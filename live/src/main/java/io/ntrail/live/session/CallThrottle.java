package io.ntrail.live.session;

import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.ntr.CallTotals;
import io.ntrail.formats.ntr.NtrWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Goes over to counting for functions that are called too often: their further calls are counted in
 * the target, and recorded no more. Used under the recorder's lock.
 */
final class CallThrottle {
  private final ThrottleCells cells;
  private final RecorderOutput output;
  private final long limit;
  private final long second;
  private final IntList cellOf = new IntList();
  private final LongList began = new LongList();
  private final LongList calls = new LongList();
  private final List<Throttled> throttled = new ArrayList<>();

  /** Function that is counted only. */
  private static final class Throttled {
    final int function;
    final long number;
    final long from;
    long told;

    Throttled(int function, long number, long from) {
      this.function = function;
      this.number = number;
      this.from = from;
    }
  }

  /**
   * Creates a throttle.
   *
   * @param limit calls of a function in a second from which on it is counted; 0 = never
   * @param ticksPerSecond rate of the clock; 0 = unknown, which is taken for a gigahertz
   */
  CallThrottle(ThrottleCells cells, RecorderOutput output, long limit, long ticksPerSecond) {
    this.cells = cells;
    this.output = output;
    this.limit = cells.at() == 0 ? 0 : limit;
    this.second = ticksPerSecond == 0 ? 1_000_000_000 : ticksPerSecond;
  }

  /** Defines the cell of a function. */
  void function(int cell, int function) {
    if (limit > 0) {
      cellOf.extend(function + 1, -1);
      cellOf.set(function, cell);
      began.extend(function + 1, 0);
      calls.extend(function + 1, 0);
    }
  }

  /** Returns whether entries are to be told. */
  boolean isOn() {
    return limit > 0;
  }

  /** Counts a call that was recorded. */
  void entry(long function, long ticks) {
    if (function >= cellOf.size()) {
      return;
    }
    int place = (int) function;
    if (ticks - began.get(place) > second) {
      began.set(place, ticks);
      calls.set(place, 0);
    }
    long count = calls.get(place) + 1;
    calls.set(place, count);
    if (count > limit && cellOf.get(place) >= 0 && !isThrottled(place)) {
      cells.throttle(cellOf.get(place));
      throttled.add(new Throttled(place, output.nextTotals(), ticks));
    }
  }

  private boolean isThrottled(int function) {
    return throttled.stream().anyMatch(one -> one.function == function);
  }

  /** Writes how many calls were counted, where there are more of them. */
  void write(NtrWriter writer, long ticks) throws IOException {
    for (Throttled one : throttled) {
      long counted = cells.calls(cellOf.get(one.function));
      if (counted > 0 && counted != one.told) {
        one.told = counted;
        writer.totals(
            new CallTotals(
                one.number,
                one.function,
                0,
                one.from,
                Math.max(one.from, ticks),
                CallTotals.THROTTLED,
                counted,
                CallTotals.Times.NONE));
      }
    }
  }

  /** Returns how many calls were counted only. */
  long calls() {
    long sum = 0;
    for (Throttled one : throttled) {
      sum += cells.calls(cellOf.get(one.function));
    }
    return sum;
  }
}
