package io.ntrail.programs.patchability;

import io.ntrail.formats.bytes.Bytes;

/** Content of the padding that compilers and linkers put between functions. */
public enum PaddingKind {
  /** No padding. */
  NONE("none"),
  /** CC, which Microsoft's tools fill with. */
  INT3("CC"),
  /** 90. */
  NOP("90"),
  /** 00. */
  ZERO("00"),
  /** Longer instructions without effect, which other tools fill with. */
  LONG_NOP("multi-byte nops"),
  /** Several of these. */
  MIXED("mixed");

  private final String text;

  PaddingKind(String text) {
    this.text = text;
  }

  /** For people. */
  public String text() {
    return text;
  }

  /** Returns the kind of both together. */
  PaddingKind and(PaddingKind other) {
    return this == NONE || this == other ? other : other == NONE ? this : MIXED;
  }

  /** The one that consists of single bytes of a value; {@link #NONE} if none does. */
  static PaddingKind ofByte(int value) {
    return switch (value) {
      case 0xCC -> INT3;
      case 0x90 -> NOP;
      case 0 -> ZERO;
      default -> NONE;
    };
  }

  /**
   * Returns true if an instruction is a nop of two bytes or more.
   *
   * @param length its length
   * @param narrow whether it is code of 32 bits, which has more of them
   */
  static boolean isLongNop(Bytes code, int at, int length, boolean narrow) {
    int opcode = at;
    int end = at + length;
    while (opcode < end - 1 && isPrefix(code.u8(opcode))) {
      opcode++;
    }
    int first = code.u8(opcode);
    if (first == 0x90) {
      return opcode == end - 1 && length > 1;
    }
    if (first == 0x0F) {
      return end - opcode >= 3
          && code.u8(opcode + 1) == 0x1F
          && (code.u8(opcode + 2) >> 3 & 7) == 0;
    }
    return narrow && isMove(code, opcode, end);
  }

  /** Returns false if no long nop begins with a byte. */
  static boolean mayBeLongNop(int first, boolean narrow) {
    return first == 0x90 || first == 0x0F || narrow || isPrefix(first);
  }

  /** Prefixes that nops are stretched with. */
  private static boolean isPrefix(int value) {
    return switch (value) {
      case 0x66, 0x26, 0x2E, 0x36, 0x3E -> true;
      default -> false;
    };
  }

  /**
   * Moves of a register to itself: {@code 8B FF} and such, and {@code lea} with a displacement of
   * nothing, with or without an index of nothing.
   */
  private static boolean isMove(Bytes code, int at, int end) {
    int opcode = code.u8(at);
    if (end - at < 2 || opcode != 0x8B && opcode != 0x89 && opcode != 0x8D) {
      return false;
    }
    int modRm = code.u8(at + 1);
    int register = modRm >> 3 & 7;
    if (opcode != 0x8D) {
      return modRm >= 0xC0 && register == (modRm & 7);
    }
    int displacement = at + 2;
    int base = modRm & 7;
    if (base == 4 && modRm < 0xC0) {
      int sib = code.u8(at + 2);
      base = sib & 7;
      displacement++;
      if ((sib >> 3 & 7) != 4) {
        return false;
      }
    }
    boolean withDisplacement = modRm >> 6 == 1 || modRm >> 6 == 2;
    return withDisplacement && base == register && code.isZero(displacement, end - displacement);
  }
}
