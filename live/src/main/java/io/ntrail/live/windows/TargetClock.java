package io.ntrail.live.windows;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.ntr.ClockCalibration;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.AgentRoutines;
import io.ntrail.live.agent.CallOutcome;
import java.util.List;

/**
 * Clocks of the target's machine, read by the agent: the time stamp counter, the performance
 * counter and the time of day.
 */
public final class TargetClock {
  private static final int EXECUTE_READ_WRITE = 0x40;

  /** CPUID leaf whose edx says in bit 8 whether the time stamp counter is invariant. */
  private static final int POWER_MANAGEMENT = 0x8000_0007;

  private static final int INVARIANT = 1 << 8;
  private static final int TRIES = 5;
  private static final int CELLS = 0x800;

  private final WindowsApi calls;
  private final AgentCall readTicks;
  private final boolean invariant;
  private final long frequency;

  public TargetClock(WindowsApi calls) {
    this.calls = calls;
    long code =
        calls.must(
            "no memory in the agent",
            "kernel32!VirtualAlloc",
            0,
            0x1000,
            0x3000,
            EXECUTE_READ_WRITE);
    AgentRoutines routines = AgentRoutines.of(calls.agent().machine());
    calls.agent().poke(code, routines.readTimeStampCounter());
    calls.agent().poke(code + 0x40, routines.cpuidEdx(POWER_MANAGEMENT));
    readTicks = AgentCall.of(code).wholeResult();
    invariant =
        (calls.call(List.of(AgentCall.of(code + 0x40))).getFirst().result() & INVARIANT) != 0;
    long cell = calls.agent().scratch() + CELLS;
    calls.agent().poke(cell, new byte[16]);
    calls.must("the clock", "kernel32!QueryPerformanceFrequency", cell);
    frequency = calls.agent().peek(cell, 8).i64(0);
  }

  /** Returns whether the time stamp counter runs at one rate on all processors. */
  public boolean isInvariant() {
    return invariant;
  }

  /** Returns the time stamp counter: one exchange with the agent. */
  public long ticks() {
    return calls.call(List.of(readTicks)).getFirst().result();
  }

  /** Reads all clocks, several times, and takes the time when that went fastest. */
  public ClockReading now() {
    long cell = calls.agent().scratch() + CELLS;
    long shortest = Long.MAX_VALUE;
    ClockReading best = new ClockReading(0, 0, 0);
    for (int i = 0; i < TRIES; i++) {
      calls.agent().poke(cell, new BytesBuilder(16).zeros(16).toArray());
      List<CallOutcome> outcomes =
          calls.call(
              List.of(
                  readTicks,
                  calls.prepare("kernel32!QueryPerformanceCounter", cell),
                  calls.prepare("kernel32!GetSystemTimeAsFileTime", cell + 8),
                  readTicks));
      long first = outcomes.getFirst().result();
      long last = outcomes.getLast().result();
      if (last - first >= 0 && last - first < shortest) {
        shortest = last - first;
        Bytes cells = calls.agent().peek(cell, 16);
        best = new ClockReading(first + (last - first) / 2, cells.i64(0), cells.i64(8));
      }
    }
    return best;
  }

  /** Returns the ticks per second between two readings; 0 if they are too close. */
  public long rate(ClockReading from, ClockReading to) {
    long counts = to.counter() - from.counter();
    return counts <= frequency / 100
        ? 0
        : Math.round((double) (to.ticks() - from.ticks()) * frequency / counts);
  }

  /** Returns a reading as a calibration of the recording's clock. */
  public ClockCalibration calibration(ClockReading began, ClockReading at) {
    long counts = at.counter() - began.counter();
    long nanos =
        counts / frequency * 1_000_000_000 + counts % frequency * 1_000_000_000 / frequency;
    return new ClockCalibration(at.ticks(), Math.max(0, nanos), at.utc());
  }
}
