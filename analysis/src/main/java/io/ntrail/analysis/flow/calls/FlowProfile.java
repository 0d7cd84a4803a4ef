package io.ntrail.analysis.flow.calls;

import io.ntrail.analysis.flow.FlowError;
import java.util.Arrays;

/** Instructions and calls of each function of a flow. */
public final class FlowProfile implements FlowCallSink {
  private long[] calls = new long[64];
  private long[] own = new long[64];
  private long[] total = new long[64];

  /** Open calls of a function: what a recursive one calls counts once. */
  private int[] active = new int[64];

  private int[] open = new int[64];
  private long[] begun = new long[64];
  private int depth;

  /** Function of the innermost open call. */
  private int innermost;

  private long instructions;

  /** Nothing was executed yet. */
  public FlowProfile() {}

  @Override
  public void enter(int function, int at, long address, long returnAddress, Entry how) {
    if (function >= calls.length) {
      int room = Math.max(function + 1, 2 * calls.length);
      calls = Arrays.copyOf(calls, room);
      own = Arrays.copyOf(own, room);
      total = Arrays.copyOf(total, room);
      active = Arrays.copyOf(active, room);
    }
    if (at >= open.length) {
      open = Arrays.copyOf(open, 2 * at);
      begun = Arrays.copyOf(begun, 2 * at);
    }
    open[at] = function;
    begun[at] = instructions;
    active[function]++;
    calls[function] += how == Entry.FOUND ? 0 : 1;
    depth = at + 1;
    innermost = function;
  }

  @Override
  public void executed(int at, int count) {
    own[innermost] += count;
    instructions += count;
  }

  @Override
  public void leave(int at, boolean isSeen) {
    int function = open[at];
    depth = at;
    innermost = at == 0 ? 0 : open[at - 1];
    if (--active[function] == 0) {
      total[function] += instructions - begun[at];
    }
  }

  @Override
  public void lost(FlowError error, long offset, long address) {
    // Nothing is counted until the flow goes on.
  }

  @Override
  public void overflow() {
    // Nothing is counted until the flow goes on.
  }

  /** Ends what is open. */
  public void finish() {
    while (depth > 0) {
      leave(depth - 1, false);
    }
  }

  /** Returns the number of all instructions. */
  public long instructions() {
    return instructions;
  }

  /** Returns how often a function was called; without the times when it was found running. */
  public long calls(int function) {
    return function < calls.length ? calls[function] : 0;
  }

  /** Returns the instructions of a function itself. */
  public long own(int function) {
    return function < own.length ? own[function] : 0;
  }

  /** Returns the instructions of a function and of all that it called; after {@link #finish}. */
  public long total(int function) {
    return function < total.length ? total[function] : 0;
  }
}
