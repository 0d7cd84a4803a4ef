package io.ntrail.live.code.ia32;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.MemoryWrite;
import io.ntrail.live.code.UnwindTest;

/**
 * Test of a call through the first slot ({@link TargetRoutines#selfTest}). Exceptions need no test:
 * they never read the return addresses of slots.
 */
final class SlotCallTest implements UnwindTest {
  private final long area;
  private final AreaImage code;

  SlotCallTest(long area, AreaImage code) {
    this.area = area;
    this.code = code;
  }

  /** The slot is free before. */
  @Override
  public MemoryWrite frame() {
    return new MemoryWrite(
        area + AreaLayout.data(0) + AreaLayout.KEY, new BytesBuilder(4).u32(0).toArray());
  }

  @Override
  public byte[] parameters() {
    return new BytesBuilder(TargetRoutines.TEST_SIZE)
        .zeros(TargetRoutines.TEST_SIZE)
        .setU64(TargetRoutines.COST_SLOT, area + AreaLayout.code(0))
        .setU64(TargetRoutines.COST_AREA, area)
        .toArray();
  }

  @Override
  public String failure(Bytes found) {
    long result = found.u32(TargetRoutines.TEST_RESULT);
    long seen = found.u32(TargetRoutines.TEST_RETURN);
    int stack = found.i32(TargetRoutines.TEST_STACK);
    if (seen != area + AreaLayout.code(0) + code.exit()) {
      return "a slot was not called: the return address was 0x%x".formatted(seen);
    }
    if (result != TargetRoutines.TEST_VALUE) {
      return "a call through a slot returned 0x%x".formatted(result);
    }
    if (stack != 0) {
      return "a call through a slot moved the stack pointer by " + -stack;
    }
    return "";
  }
}
