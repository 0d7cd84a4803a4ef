package io.ntrail.live.code.ia32;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.MemoryWrite;
import io.ntrail.live.code.OverheadTest;
import java.util.List;

/** Measurement of the overhead of the first slot, with {@link TargetRoutines32#cost}. */
final class SlotOverheadTest32 implements OverheadTest {
  /** {@code rdtsc}, and a nop of the same length. */
  private static final byte[] CLOCK = {0x0F, 0x31};

  private static final byte[] NO_CLOCK = {0x66, (byte) 0x90};

  private final long area;
  private final AreaImage32 code;
  private final int calls;

  SlotOverheadTest32(long area, AreaImage32 code, int record) {
    this.area = area;
    this.code = code;
    this.calls = TargetRoutines32.costCalls(record);
  }

  @Override
  public int bufferBytes() {
    return TargetRoutines32.COST_BUFFER_BYTES;
  }

  @Override
  public byte[] parameters(long buffer) {
    return new BytesBuilder(TargetRoutines32.COST_SIZE)
        .zeros(TargetRoutines32.COST_SIZE)
        .setU64(TargetRoutines32.COST_SLOT, slot())
        .setU64(TargetRoutines32.COST_AREA, area)
        .setU64(TargetRoutines32.COST_BUFFER, buffer)
        .toArray();
  }

  @Override
  public long slot() {
    return area + AreaLayout32.code(0);
  }

  @Override
  public int slotBytes() {
    return AreaLayout32.STRIDE;
  }

  @Override
  public List<MemoryWrite> clock(boolean on) {
    return code.clocks().stream()
        .map(at -> new MemoryWrite(slot() + at, on ? CLOCK : NO_CLOCK))
        .toList();
  }

  @Override
  public Ticks ticks(Bytes results) {
    return new Ticks(
        results.i64(TargetRoutines32.COST_TRACED),
        results.i64(TargetRoutines32.COST_UNRECORDED),
        results.i64(TargetRoutines32.COST_PLAIN),
        results.i64(TargetRoutines32.COST_CLOCK),
        calls);
  }
}
