package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.Imm;

/** Which numbers fit into which fields. */
final class Immediates {
  private Immediates() {}

  /**
   * Whether a number fits into a field of a form. What is as wide as the operation may be signed or
   * unsigned. What is narrower is sign-extended where the form says so, and else unsigned.
   *
   * @param bytes width of the field
   */
  static boolean fit(CodeSize size, InstructionForm form, int bytes, Imm imm) {
    if (imm.bytes() != 0 && imm.bytes() != bytes) {
      return false;
    }
    if (imm.label() != null) {
      return imm.origin() != null || bytes * 8 == size.bits();
    }
    int field = bytes * 8;
    int operation = form.valueBits();
    long value = imm.value();
    if (operation == field) {
      return fitsEither(value, field);
    }
    if (!form.signExtended()) {
      return fitsUnsigned(value, field);
    }
    return fitsEither(value, operation) && fitsSigned(signExtended(value, operation), field);
  }

  /** Whether it is a number of so many bits with or without a sign. */
  static boolean fitsEither(long value, int bits) {
    return fitsSigned(value, bits) || fitsUnsigned(value, bits);
  }

  /** Whether it is a number of so many bits with a sign. */
  static boolean fitsSigned(long value, int bits) {
    return signExtended(value, bits) == value;
  }

  /** Whether it is a number of so many bits without a sign. */
  static boolean fitsUnsigned(long value, int bits) {
    return bits == 64 || value >>> bits == 0;
  }

  /** The number that the low bits are, read with a sign. */
  static long signExtended(long value, int bits) {
    return value << (64 - bits) >> (64 - bits);
  }
}
