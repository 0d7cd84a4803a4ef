package io.ntrail.live.patch;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.patch.Patcher.Patched;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.target.TargetMemory;

/** Jumps that lead from a function to its stub: a short one to a long one, or a long one alone. */
public final class PatchJumps {
  /** Size of a long jump. */
  public static final int BYTES = 5;

  private static final int NEAR = 0xEB;
  private static final int FAR = 0xE9;

  private PatchJumps() {}

  /** Returns the address of the long jump. */
  public static long at(Patched function) {
    PlannedFunction planned = function.function();
    return planned.module().module().base() + planned.patch().jumpAt();
  }

  /** Returns the long jump. */
  public static byte[] far(Patched function) {
    long distance = function.stub() - (at(function) + BYTES);
    return new BytesBuilder(BYTES).u8(FAR).u32((int) distance).toArray();
  }

  /** Returns the bytes that replace the first ones of a function. */
  public static byte[] near(Patched function) {
    if (function.function().patch().isInPlace()) {
      return far(function);
    }
    long back = at(function) - (function.function().code().orElseThrow().address() + 2);
    return new byte[] {(byte) NEAR, (byte) back};
  }

  /**
   * Returns where the jump of a patched function goes.
   *
   * @return 0 if there is none
   */
  static long destination(TargetMemory memory, long function) {
    Bytes first = memory.read(function, BYTES);
    long jump = first.u8(0) == NEAR ? function + 2 + (byte) first.u8(1) : function;
    Bytes at = memory.read(jump, BYTES);
    return at.u8(0) == FAR ? jump + BYTES + at.i32(1) : 0;
  }

  /** Returns the original bytes at the address of the long jump. */
  public static byte[] room(PlannedFunction planned) {
    return planned.module().image().view().bytes(planned.patch().jumpAt(), BYTES).array(0, BYTES);
  }
}
