package io.ntrail.programs.x86;

import io.ntrail.formats.bytes.Bytes;
import java.util.Arrays;

/** Finds out why bytes are no instruction, by trying what would make them one. */
final class Explanation {
  private Explanation() {}

  /**
   * The reason for a refusal.
   *
   * @param refused what was refused
   * @param first the reason that decoding gave
   */
  static Refusal of(Instruction refused, Refusal first) {
    if (first != Refusal.NO_SUCH_OPCODE) {
      return first;
    }
    int present = Math.min(refused.end - refused.at, InstructionDecoder.LONGEST);
    if (refused.opcodeEnd > present) {
      return Refusal.ENDS_EARLY;
    }
    byte[] code =
        Arrays.copyOf(refused.bytes.array(refused.at, present), InstructionDecoder.LONGEST);
    CodeSize size = refused.decoder.codeSize();
    Vendor vendor = refused.decoder.vendor();
    int modRm = refused.opcodeEnd;
    if (modRm == present && endsEarly(code.clone(), modRm, size, vendor)) {
      return Refusal.ENDS_EARLY;
    }
    if (exists(code, size, vendor == Vendor.INTEL ? Vendor.AMD : Vendor.INTEL)) {
      return Refusal.OTHER_VENDOR;
    }
    if (size != CodeSize.BITS64 && exists(code, CodeSize.BITS64, vendor)) {
      return Refusal.NEEDS_64_BIT;
    }
    if (size == CodeSize.BITS64 && exists(code, CodeSize.BITS32, vendor)) {
      return Refusal.NOT_IN_64_BIT;
    }
    if (modRm < present) {
      boolean register = (code[modRm] & 0xC0) == 0xC0;
      // With a SIB byte, which some need, and others do not mind.
      code[modRm] = (byte) (register ? code[modRm] & 0x38 | 4 : code[modRm] | 0xC0);
      if (exists(code, size, vendor)) {
        return register ? Refusal.NEEDS_MEMORY : Refusal.NEEDS_REGISTER;
      }
    }
    return Refusal.NO_SUCH_OPCODE;
  }

  /** Whether some byte in the place of the missing one makes an instruction. */
  private static boolean endsEarly(byte[] code, int missing, CodeSize size, Vendor vendor) {
    if (missing == code.length) {
      return false;
    }
    for (int value = 0; value < 256; value++) {
      code[missing] = (byte) value;
      if (exists(code, size, vendor)) {
        return true;
      }
    }
    return false;
  }

  /** Whether there is an instruction, or would be but for its registers or prefixes. */
  private static boolean exists(byte[] code, CodeSize size, Vendor vendor) {
    Instruction instruction = new Instruction();
    Bytes bytes = Bytes.copyOf(code, "instruction");
    InstructionDecoder.of(size, vendor).decode(bytes, 0, code.length, instruction);
    return switch (instruction.reason()) {
      case NO_SUCH_OPCODE, APX -> instruction.isValid();
      default -> true;
    };
  }
}
