package io.ntrail.live.code.ia32;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.MemoryWrite;
import io.ntrail.live.code.SlotOverheadTest;
import io.ntrail.live.code.UnwindTest;

/**
 * Test of a call through the first slot ({@link TargetRoutines32#selfTest}). Exceptions need no
 * test: they never read the return addresses of slots.
 */
final class SlotCallTest implements UnwindTest {
  private final long area;
  private final AreaImage32 code;

  SlotCallTest(long area, AreaImage32 code) {
    this.area = area;
    this.code = code;
  }

  /** The slot is free before. */
  @Override
  public MemoryWrite frame() {
    return new MemoryWrite(
        area + AreaLayout32.data(0) + AreaLayout32.KEY, new BytesBuilder(4).u32(0).toArray());
  }

  @Override
  public byte[] parameters() {
    return new BytesBuilder(TargetRoutines32.TEST_SIZE)
        .zeros(TargetRoutines32.TEST_SIZE)
        .setU64(SlotOverheadTest.SLOT, area + AreaLayout32.code(0))
        .setU64(SlotOverheadTest.AREA, area)
        .toArray();
  }

  @Override
  public String failure(Bytes found) {
    long result = found.u32(TargetRoutines32.TEST_RESULT);
    long seen = found.u32(TargetRoutines32.TEST_RETURN);
    int stack = found.i32(TargetRoutines32.TEST_STACK);
    if (seen != area + AreaLayout32.code(0) + code.exit()) {
      return "a slot was not called: the return address was 0x%x".formatted(seen);
    }
    if (result != TargetRoutines32.TEST_VALUE) {
      return "a call through a slot returned 0x%x".formatted(result);
    }
    if (stack != 0) {
      return "a call through a slot moved the stack pointer by " + -stack;
    }
    return "";
  }
}
