package io.ntrail.live.plan;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.programs.patchability.FunctionPatch;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;

/** Heuristics for data in code, stricter for running programs than for files. */
final class DataInCodeHeuristics {
  private static final int JUMP = 5;
  private static final int MAX_BYTES = 1 << 12;

  private DataInCodeHeuristics() {}

  /**
   * Returns whether the room for the jump is part of a longer row of zeros: data may begin with
   * them. The longest instruction without effect ends in five.
   */
  static boolean isDoubtfulRoom(PeImage image, FunctionPatch patch) {
    // At the begin of a section there may be nothing in front.
    boolean hasMore = image.view().has(patch.jumpAt() - JUMP, JUMP);
    long from = hasMore ? patch.jumpAt() - JUMP : patch.jumpAt();
    int length = (int) Math.min(3 * JUMP, image.view().available(from));
    Bytes around = image.view().bytes(from, length);
    int row = 0;
    for (int i = 0; i < around.length(); i++) {
      row = around.u8(i) == 0 ? row + 1 : 0;
      long begin = from + i + 1 - row;
      boolean touches = begin < patch.jumpAt() + JUMP && from + i >= patch.jumpAt();
      if (row > JUMP && touches) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether a function may be data: neither the function table nor the guard table has it,
   * and what is there does not decode up to an end.
   */
  static boolean mayBeData(PeImage image, InstructionDecoder decoder, FunctionPatch patch) {
    if (patch.function().is(Source.FUNCTION_TABLE) || patch.function().is(Source.GUARD_TABLE)) {
      return false;
    }
    Instruction instruction = new Instruction();
    Bytes code =
        image.view().window(patch.function().rva(), Math.min(MAX_BYTES, patch.function().size()));
    for (int at = 0; at < code.length(); ) {
      int size = decoder.decode(code, at, code.length(), instruction);
      if (size == 0) {
        // The last instruction of what is looked at may not be all there.
        boolean isCut = code.length() == MAX_BYTES;
        return !isCut || code.length() - at >= InstructionDecoder.LONGEST;
      }
      FlowClass flow = instruction.flowClass();
      if (flow == FlowClass.RETURN
          || flow == FlowClass.DIRECT_JUMP
          || flow == FlowClass.INDIRECT_JUMP) {
        return false;
      }
      at += size;
    }
    return code.length() < MAX_BYTES && code.length() < patch.function().size();
  }
}
