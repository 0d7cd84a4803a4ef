package io.ntrail.live.trace;

import io.ntrail.live.code.OverheadTest;
import io.ntrail.live.code.OverheadTest.Ticks;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;

/**
 * Overhead that tracing adds to a call, in ticks of the time stamp counter: measured in the target
 * before the first function is patched, with a function that only returns.
 *
 * @param pair a call with both its records, beyond a call that is not traced
 * @param withoutClock the same with records that have no time: how much of it is all but the clock
 * @param withoutRecords the same without records
 * @param clock reading the clock twice
 */
public record TracingOverhead(
    double pair, double withoutClock, double withoutRecords, double clock) {
  private static final long MILLIS = 20_000;

  static TracingOverhead measure(TargetProcess target, TracingMemory tracing) {
    TargetMemory memory = target.memory();
    OverheadTest test = tracing.code().overheadTest(tracing.areas().getFirst());
    // Allocations begin at multiples of 64 KiB.
    long buffer = memory.allocate(2L * test.bufferBytes(), TargetMemory.READ_WRITE);
    byte[] parameters = test.parameters(buffer);
    long at = buffer + test.bufferBytes();
    memory.write(at, parameters);
    target.run(tracing.overheadRoutine(), at, MILLIS);
    Ticks normal = test.ticks(memory.read(at, parameters.length));
    clock(memory, test, false);
    target.run(tracing.overheadRoutine(), at, MILLIS);
    Ticks timeless = test.ticks(memory.read(at, parameters.length));
    clock(memory, test, true);
    memory.free(buffer);
    double calls = normal.calls();
    return new TracingOverhead(
        (normal.traced() - normal.plain()) / calls,
        (timeless.traced() - timeless.plain()) / calls,
        (normal.unrecorded() - normal.plain()) / calls,
        normal.clock() / calls);
  }

  /** Changes whether the first slot of an unused area reads the clock. */
  private static void clock(TargetMemory memory, OverheadTest test, boolean on) {
    int before =
        memory.exchangeProtection(test.slot(), test.slotBytes(), TargetMemory.EXECUTE_READ_WRITE);
    test.clock(on).forEach(write -> memory.write(write.address(), write.bytes()));
    memory.protect(test.slot(), test.slotBytes(), before);
    memory.flush(test.slot(), test.slotBytes());
  }

  /** Returns {@link #pair} in nanoseconds. */
  public double pairNanos(long ticksPerSecond) {
    return ticksPerSecond == 0 ? 0 : pair * 1e9 / ticksPerSecond;
  }

  /** Returns {@link #clock} in nanoseconds. */
  public double clockNanos(long ticksPerSecond) {
    return ticksPerSecond == 0 ? 0 : clock * 1e9 / ticksPerSecond;
  }
}
