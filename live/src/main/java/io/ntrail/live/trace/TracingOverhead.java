package io.ntrail.live.trace;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.x64.AreaImage;
import io.ntrail.live.code.x64.AreaLayout;
import io.ntrail.live.code.x64.TargetRoutines;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetProcess;

/**
 * What tracing costs a call, measured in the target before the first function is patched, with a
 * function that only returns. In ticks of the time stamp counter.
 *
 * @param pair a call with both its records, beyond a call that is not traced
 * @param withoutClock the same with records that have no time: how much of it is all but the clock
 * @param withoutRecords the same without records
 * @param clock reading the clock twice
 */
public record TracingOverhead(
    double pair, double withoutClock, double withoutRecords, double clock) {
  private static final long MILLIS = 20_000;
  private static final int BUFFER = 0x1_0000;

  /** {@code rdtsc}, and a nop as long. */
  private static final byte[] CLOCK = {0x0F, 0x31};

  private static final byte[] NO_CLOCK = {0x66, (byte) 0x90};

  static TracingOverhead measure(TargetProcess target, TracingMemory tracing) {
    TargetMemory memory = target.memory();
    long area = tracing.areas().getFirst();
    // Allocations begin at multiples of 64 KiB.
    long buffer = memory.allocate(2 * BUFFER, TargetMemory.READ_WRITE);
    BytesBuilder in = new BytesBuilder(TargetRoutines.COST_SIZE).zeros(TargetRoutines.COST_SIZE);
    in.setU64(TargetRoutines.COST_SLOT, area + AreaLayout.code(0));
    in.setU64(TargetRoutines.COST_AREA, area).setU64(TargetRoutines.COST_BUFFER, buffer);
    long at = buffer + BUFFER;
    memory.write(at, in.toArray());
    target.run(tracing.costRoutine(), at, MILLIS);
    Bytes out = memory.read(at, TargetRoutines.COST_SIZE);
    clocks(memory, area, tracing.area(), NO_CLOCK);
    target.run(tracing.costRoutine(), at, MILLIS);
    Bytes timeless = memory.read(at, TargetRoutines.COST_SIZE);
    clocks(memory, area, tracing.area(), CLOCK);
    memory.free(buffer);
    double plain = out.i64(TargetRoutines.COST_PLAIN);
    double calls = TargetRoutines.COST_CALLS;
    return new TracingOverhead(
        (out.i64(TargetRoutines.COST_TRACED) - plain) / calls,
        (timeless.i64(TargetRoutines.COST_TRACED) - timeless.i64(TargetRoutines.COST_PLAIN))
            / calls,
        (out.i64(TargetRoutines.COST_UNRECORDED) - plain) / calls,
        out.i64(TargetRoutines.COST_CLOCK) / calls);
  }

  /** Overwrites what reads the clock in the first slot of an area that nobody uses yet. */
  private static void clocks(TargetMemory memory, long area, AreaImage code, byte[] with) {
    long slot = area + AreaLayout.code(0);
    int before = memory.protect(slot, AreaLayout.STRIDE, TargetMemory.EXECUTE_READ_WRITE);
    for (int at : code.clocks()) {
      memory.write(slot + at, with);
    }
    memory.protect(slot, AreaLayout.STRIDE, before);
    memory.flush(slot, AreaLayout.STRIDE);
  }

  /** Nanoseconds of {@link #pair}. */
  public double pairNanos(long ticksPerSecond) {
    return ticksPerSecond == 0 ? 0 : pair * 1e9 / ticksPerSecond;
  }

  /** Nanoseconds of {@link #clock}. */
  public double clockNanos(long ticksPerSecond) {
    return ticksPerSecond == 0 ? 0 : clock * 1e9 / ticksPerSecond;
  }
}
