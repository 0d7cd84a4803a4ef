package io.ntrail.live.code;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import java.util.List;

/**
 * Measurement of the overhead of the first slot of an area. The parameters of its routine are 64
 * bits each, whatever the architecture.
 */
public final class SlotOverheadTest implements OverheadTest {
  /** In: code of a free slot 0. */
  public static final int SLOT = 0;

  /** In: its area. */
  public static final int AREA = 8;

  /** In: {@link #BUFFER_BYTES} bytes at a multiple of as many. */
  public static final int BUFFER = 16;

  /** Out: ticks of {@link #calls} traced calls. */
  public static final int TRACED = 24;

  /** Out: ticks of the calls without records. */
  public static final int UNRECORDED = 32;

  /** Out: ticks of the calls without tracing. */
  public static final int PLAIN = 40;

  /** Out: ticks of so many pairs of readings of the clock. */
  public static final int CLOCK = 48;

  /** Bytes of the parameters. */
  public static final int SIZE = 64;

  /** Size of the buffer for the records of one measurement. */
  public static final int BUFFER_BYTES = 1 << 16;

  private static final int CALLS = 250;

  /** {@code rdtsc}, and a nop of the same length. */
  private static final byte[] READ_CLOCK = {0x0F, 0x31};

  private static final byte[] NO_CLOCK = {0x66, (byte) 0x90};

  private final long area;
  private final long slot;
  private final int slotBytes;
  private final List<Integer> clocks;
  private final int calls;

  /**
   * Creates the measurement of a slot.
   *
   * @param area address of its area
   * @param slot address of its code
   * @param slotBytes size of its code
   * @param clocks distances of the instructions that read the clock
   * @param calls of one measurement
   */
  public SlotOverheadTest(long area, long slot, int slotBytes, List<Integer> clocks, int calls) {
    this.area = area;
    this.slot = slot;
    this.slotBytes = slotBytes;
    this.clocks = List.copyOf(clocks);
    this.calls = calls;
  }

  /**
   * Returns the number of calls of one measurement: their records fit into the buffer, and its last
   * record is none of them.
   *
   * @param record bytes of a record
   */
  public static int calls(int record) {
    return Math.min(CALLS, BUFFER_BYTES / (2 * record) - 1);
  }

  @Override
  public int bufferBytes() {
    return BUFFER_BYTES;
  }

  @Override
  public byte[] parameters(long buffer) {
    return new BytesBuilder(SIZE)
        .zeros(SIZE)
        .setU64(SLOT, slot)
        .setU64(AREA, area)
        .setU64(BUFFER, buffer)
        .toArray();
  }

  @Override
  public long slot() {
    return slot;
  }

  @Override
  public int slotBytes() {
    return slotBytes;
  }

  @Override
  public List<MemoryWrite> clock(boolean on) {
    return clocks.stream()
        .map(at -> new MemoryWrite(slot + at, on ? READ_CLOCK : NO_CLOCK))
        .toList();
  }

  @Override
  public Ticks ticks(Bytes results) {
    return new Ticks(
        results.i64(TRACED),
        results.i64(UNRECORDED),
        results.i64(PLAIN),
        results.i64(CLOCK),
        calls);
  }
}
