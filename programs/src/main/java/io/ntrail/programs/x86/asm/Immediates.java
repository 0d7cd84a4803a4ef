package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.Imm;

/** Decides which numbers fit into which fields. */
final class Immediates {
  private Immediates() {}

  /**
   * Returns true if a number fits into a field of a form. A field as wide as the operation may be
   * signed or unsigned. A narrower one is sign-extended if the form has that attribute, and else
   * unsigned.
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

  /** Returns true if a number fits into {@code bits} bits with or without a sign. */
  static boolean fitsEither(long value, int bits) {
    return fitsSigned(value, bits) || fitsUnsigned(value, bits);
  }

  /** Returns true if a number fits into {@code bits} bits with a sign. */
  static boolean fitsSigned(long value, int bits) {
    return signExtended(value, bits) == value;
  }

  /** Returns true if a number fits into {@code bits} bits without a sign. */
  static boolean fitsUnsigned(long value, int bits) {
    return bits == 64 || value >>> bits == 0;
  }

  /** Returns the low {@code bits} bits, sign-extended. */
  static long signExtended(long value, int bits) {
    return value << (64 - bits) >> (64 - bits);
  }
}
