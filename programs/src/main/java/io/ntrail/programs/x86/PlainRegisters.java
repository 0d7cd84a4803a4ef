package io.ntrail.programs.x86;

import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * General registers that an instruction of 64-bit code may write or address memory with, from the
 * first depth of decoding alone, for most of what compilers write.
 *
 * <p>Besides those that it names, such an instruction may write rax, rcx and rdx, and read any. A
 * direct call is one without registers: what the called function does is not its own.
 */
public final class PlainRegisters {
  /** The instruction is not one of those, or may use other registers. */
  public static final int UNKNOWN = -1;

  private static final int LEA = 0x8D;
  private static final int CALL = 0xE8;
  private static final int JUMP = 0xE9;
  private static final int SHORT_JUMP = 0xEB;

  /** Opcodes with a ModRM byte and, as far as registers go, with operands that it names alone. */
  private static final BitSet LEGACY =
      opcodes(
          IntStream.concat(
              IntStream.range(0, 0x40).filter(opcode -> (opcode & 7) < 4),
              IntStream.of(
                  0x63, 0x69, 0x6B, 0x80, 0x81, 0x83, 0x84, 0x85, 0x88, 0x89, 0x8A, 0x8B, LEA, 0xC0,
                  0xC1, 0xC6, 0xC7, 0xD0, 0xD1, 0xD2, 0xD3)));

  private static final BitSet TWO_BYTES =
      opcodes(
          IntStream.concat(
              IntStream.of(0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x6E, 0x6F, 0x7E, 0x7F),
              IntStream.concat(
                  IntStream.of(0xAF, 0xB6, 0xB7, 0xBE, 0xBF, 0xC6, 0xD6, 0xEF),
                  IntStream.concat(
                      IntStream.range(0x28, 0x30),
                      IntStream.concat(
                          IntStream.range(0x40, 0x50),
                          IntStream.concat(
                              IntStream.range(0x51, 0x60), IntStream.range(0x90, 0xA0)))))));

  /** Opcodes with register operands of a byte, some of which are the second byte of a register. */
  private static final BitSet BYTES =
      opcodes(
          IntStream.concat(
              IntStream.range(0, 0x40).filter(opcode -> (opcode & 5) == 0),
              IntStream.of(0x80, 0x84, 0x88, 0x8A, 0xC0, 0xC6, 0xD0, 0xD2)));

  private static final BitSet TWO_BYTES_OF_BYTES =
      opcodes(IntStream.concat(IntStream.range(0x90, 0xA0), IntStream.of(0xB6, 0xBE)));

  private PlainRegisters() {}

  private static BitSet opcodes(IntStream opcodes) {
    BitSet set = new BitSet(256);
    opcodes.forEach(set::set);
    return set;
  }

  /**
   * Returns the registers of an instruction, as bits by number.
   *
   * @param instruction of 64-bit code
   * @return or {@link #UNKNOWN}
   */
  public static int of(Instruction instruction) {
    int opcode = instruction.opcode();
    boolean isLegacy = instruction.map == DecodeTables.MAP_LEGACY;
    if (!isLegacy && instruction.map != DecodeTables.MAP_0F
        || instruction.addressSizePrefix
        || instruction.length() == 0) {
      return UNKNOWN;
    }
    if (isBranch(isLegacy, opcode)) {
      return 0;
    }
    if (!(isLegacy ? LEGACY : TWO_BYTES).get(opcode)) {
      return UNKNOWN;
    }
    boolean hasRex = (instruction.prefixes & Instruction.REX) != 0;
    boolean mayBeSecondByte = !hasRex && (isLegacy ? BYTES : TWO_BYTES_OF_BYTES).get(opcode);
    int modRm = instruction.modRm();
    if (isLegacy && (opcode & 0xFE) == 0xC6 && (modRm & 0x38) != 0) {
      // XABORT and XBEGIN.
      return UNKNOWN;
    }
    int reg = modRm >> 3 & 7;
    int rm = modRm & 7;
    boolean isRegister = modRm >= 0xC0;
    if (mayBeSecondByte && (reg > 3 || isRegister && rm > 3) || opcode == LEA && isRegister) {
      return UNKNOWN;
    }
    int rexB = (instruction.prefixes & Instruction.REX_B) != 0 ? 8 : 0;
    int named = 1 << (reg | ((instruction.prefixes & Instruction.REX_R) != 0 ? 8 : 0));
    if (isRegister) {
      return named | 1 << (rm | rexB);
    }
    boolean hasNoDisplacement = modRm < 0x40;
    if (rm == 4) {
      int base = instruction.sib() & 7;
      return base == 5 && hasNoDisplacement ? named : named | 1 << (base | rexB);
    }
    return rm == 5 && hasNoDisplacement ? named : named | 1 << (rm | rexB);
  }

  /** Jcc, JMP and CALL with relative targets. */
  private static boolean isBranch(boolean isLegacy, int opcode) {
    return isLegacy
        ? opcode >> 4 == 7 || opcode == CALL || opcode == JUMP || opcode == SHORT_JUMP
        : opcode >> 4 == 8;
  }
}
