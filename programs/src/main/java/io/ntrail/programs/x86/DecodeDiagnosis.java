package io.ntrail.programs.x86;

import io.ntrail.formats.bytes.Bytes;
import java.util.Arrays;

/** Finds out why bytes are not an instruction, by trying what would make them one. */
final class DecodeDiagnosis {
  private DecodeDiagnosis() {}

  /**
   * The reason for a refusal.
   *
   * @param refused what was refused
   * @param first the reason that decoding gave
   */
  static DecodeError of(Instruction refused, DecodeError first) {
    if (first != DecodeError.NO_SUCH_OPCODE) {
      return first;
    }
    int present = Math.min(refused.end - refused.at, InstructionDecoder.LONGEST);
    if (refused.opcodeEnd > present) {
      return DecodeError.ENDS_EARLY;
    }
    byte[] code =
        Arrays.copyOf(refused.bytes.array(refused.at, present), InstructionDecoder.LONGEST);
    CodeSize size = refused.decoder.codeSize();
    CpuVendor vendor = refused.decoder.vendor();
    int modRm = refused.opcodeEnd;
    if (modRm == present && endsEarly(code.clone(), modRm, size, vendor)) {
      return DecodeError.ENDS_EARLY;
    }
    if (exists(code, size, vendor == CpuVendor.INTEL ? CpuVendor.AMD : CpuVendor.INTEL)) {
      return DecodeError.OTHER_VENDOR;
    }
    if (size != CodeSize.BITS64 && exists(code, CodeSize.BITS64, vendor)) {
      return DecodeError.NEEDS_64_BIT;
    }
    if (size == CodeSize.BITS64 && exists(code, CodeSize.BITS32, vendor)) {
      return DecodeError.NOT_IN_64_BIT;
    }
    if (modRm < present) {
      boolean register = (code[modRm] & 0xC0) == 0xC0;
      // With a SIB byte, which some need, and others do not mind.
      code[modRm] = (byte) (register ? code[modRm] & 0x38 | 4 : code[modRm] | 0xC0);
      if (exists(code, size, vendor)) {
        return register ? DecodeError.NEEDS_MEMORY : DecodeError.NEEDS_REGISTER;
      }
    }
    return DecodeError.NO_SUCH_OPCODE;
  }

  /** Returns true if some byte in the place of the missing one makes an instruction. */
  private static boolean endsEarly(byte[] code, int missing, CodeSize size, CpuVendor vendor) {
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

  /** Returns true if there is an instruction, or would be but for its registers or prefixes. */
  private static boolean exists(byte[] code, CodeSize size, CpuVendor vendor) {
    Instruction instruction = new Instruction();
    Bytes bytes = Bytes.copyOf(code, "instruction");
    InstructionDecoder.of(size, vendor).decode(bytes, 0, code.length, instruction);
    return switch (instruction.reason()) {
      case NO_SUCH_OPCODE, APX -> instruction.isValid();
      default -> true;
    };
  }
}
