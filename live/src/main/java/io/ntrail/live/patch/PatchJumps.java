package io.ntrail.live.patch;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.patch.Patcher.Patched;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.windows.TargetMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

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

  /**
   * Puts the jumps of functions into pages of code.
   *
   * @param left functions whose long jumps are in place
   * @param must functions that may not be left out if their code has changed
   * @return those whose code is as it was planned
   */
  static List<Patched> put(
      List<Patched> functions, CodePages pages, Set<Patched> left, Predicate<Patched> must) {
    List<Patched> written = new ArrayList<>();
    for (Patched function : functions) {
      TracedCode code = function.function().code().orElseThrow();
      pages.touch(code.address(), code.unit().length);
      pages.touch(at(function), BYTES);
    }
    pages.read();
    for (Patched function : functions) {
      PlannedFunction planned = function.function();
      TracedCode code = planned.code().orElseThrow();
      byte[] room = left.contains(function) ? far(function) : room(planned);
      if (!Arrays.equals(pages.get(code.address(), code.unit().length), code.unit())
          || !Arrays.equals(pages.get(at(function), BYTES), room)) {
        if (!must.test(function)) {
          continue;
        }
        throw new CannotGoOn(planned.title() + " changed since planning", "");
      }
      pages.put(at(function), far(function));
      pages.put(code.address(), near(function));
      written.add(function);
    }
    return written;
  }
}
