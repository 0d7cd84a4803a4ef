package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.FarPointer;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg64;
import io.ntrail.programs.x86.asm.operands.Reg8;
import io.ntrail.programs.x86.asm.operands.RegisterOperand;
import org.jspecify.annotations.Nullable;

/** Checks which registers and addresses exist in code of one size. */
final class AddressCheck {
  private final CodeSize size;

  AddressCheck(CodeSize size) {
    this.size = size;
  }

  /**
   * Refuses an operand that does not exist.
   *
   * @throws IllegalArgumentException with the reason
   */
  void check(AssemblerOperand operand) {
    if (operand instanceof Mem m) {
      check(m);
    } else if (operand instanceof RegisterOperand r) {
      check(r);
    } else if (operand instanceof FarPointer && size == CodeSize.BITS64) {
      throw new IllegalArgumentException("no far pointer in 64-bit code: " + operand);
    }
  }

  private void check(RegisterOperand register) {
    if (size == CodeSize.BITS64) {
      return;
    }
    boolean only64 =
        register.number() > 7
            || register instanceof Reg64
            || (register instanceof Reg8 r && r.needsRex());
    if (only64) {
      throw new IllegalArgumentException(register + " exists in 64-bit code only");
    }
  }

  private void check(Mem m) {
    boolean wide = size == CodeSize.BITS64;
    if (m.base() != null) {
      check(m.base());
    }
    if (m.index() != null) {
      check(m.index());
    }
    if (!wide && m.isRipRelative()) {
      throw new IllegalArgumentException("relative to rip in 32-bit code: " + m);
    }
    if (wide && m.segment() != null && !m.segment().countsIn64Bit()) {
      throw new IllegalArgumentException(m.segment() + " means nothing in 64-bit code: " + m);
    }
    if (wide && m.label() != null && m.origin() == null && !m.isDirect()) {
      throw new IllegalArgumentException(
          "the address of a label cannot be combined with a register in 64-bit code: " + m);
    }
    if (m.displacementBytes() == 1
        && (m.base() == null || m.label() != null || !Immediates.fitsSigned(normalized(m), 8))) {
      throw new IllegalArgumentException("no displacement of one byte: " + m);
    }
    if (!m.isDirect() && !fits32(m)) {
      throw new IllegalArgumentException("displacement of more than 32 bits: " + m);
    }
  }

  /** Returns true if an address is encoded as a distance from the next instruction. */
  boolean isRelative(Mem m) {
    return m.isRipRelative()
        || (size == CodeSize.BITS64 && m.label() != null && m.origin() == null);
  }

  /** Returns the number of bits that an address is computed with. */
  int bits(Mem m) {
    return is32(m) ? 32 : 64;
  }

  private boolean is32(Mem m) {
    return size == CodeSize.BITS32 || m.base() instanceof Reg32 || m.index() instanceof Reg32;
  }

  /** Returns true if the displacement fits into 32 bits, which 64-bit code sign-extends. */
  boolean fits32(Mem m) {
    return m.isRipRelative()
        || (is32(m)
            ? Immediates.fitsEither(m.displacement(), 32)
            : Immediates.fitsSigned(m.displacement(), 32));
  }

  /** Returns the smallest displacement with the same effect. */
  long normalized(Mem m) {
    return is32(m) && Immediates.fitsEither(m.displacement(), 32)
        ? Immediates.signExtended(m.displacement(), 32)
        : m.displacement();
  }

  /** Returns true if the address is not of the code's default size. */
  boolean needsPrefix(@Nullable Mem m) {
    return m != null
        && size == CodeSize.BITS64
        && (m.base() instanceof Reg32 || m.index() instanceof Reg32);
  }
}
