package io.ntrail.programs.unwind.x86;

import io.ntrail.programs.unwind.FrameRegisters;

/**
 * A 32-bit value in terms of the registers that a walk through code began with.
 *
 * @param base number of a register; of no meaning for {@link Kind#UNKNOWN} and {@link Kind#RETURN}
 * @param offset added to its value
 */
record SymbolicValue(Kind kind, int base, int offset) {
  /** Kinds of values. */
  enum Kind {
    /** Nothing is known of it. */
    UNKNOWN,
    /** The sum of register and offset. */
    SUM,
    /** The word at the sum of register and offset, as it was when the walk began. */
    MEMORY,
    /** A return address that a call pushed on the way. */
    RETURN
  }

  /**
   * First number that stands for no register, but for a value that is not known. Sums of it can be
   * compared with each other.
   */
  static final int FIRST_OPAQUE = 8;

  static final SymbolicValue UNKNOWN = new SymbolicValue(Kind.UNKNOWN, 0, 0);

  static final SymbolicValue RETURN = new SymbolicValue(Kind.RETURN, 0, 0);

  /** Returns the value that a register had when the walk began. */
  static SymbolicValue of(int register) {
    return new SymbolicValue(Kind.SUM, register, 0);
  }

  /** Returns the sum of this and a number. */
  SymbolicValue plus(int number) {
    return kind == Kind.SUM ? new SymbolicValue(kind, base, offset + number) : UNKNOWN;
  }

  /** Returns the word at this address as it was when the walk began. */
  SymbolicValue word() {
    return kind == Kind.SUM ? new SymbolicValue(Kind.MEMORY, base, offset) : UNKNOWN;
  }

  boolean isSum() {
    return kind == Kind.SUM;
  }

  /** Returns true for sums of a register of the walk's beginning, whose value is known then. */
  boolean isAddress() {
    return kind == Kind.SUM && base < FIRST_OPAQUE;
  }

  /** Returns the value for these registers and this memory, or {@link Words#MISSING}. */
  long in(FrameRegisters registers, Words words) {
    if (kind != Kind.SUM && kind != Kind.MEMORY
        || base >= FIRST_OPAQUE
        || !registers.isKnown(base)) {
      return Words.MISSING;
    }
    long sum = registers.get(base) + offset & 0xFFFF_FFFFL;
    return kind == Kind.SUM ? sum : words.at(sum);
  }
}
