package io.ntrail.programs.x86;

/**
 * VEX, EVEX and XOP: the second half of {@link InstructionDecoder}. After the prefix comes an
 * opcode of the map it names, then always a ModRM byte.
 */
final class VectorDecoder {
  /** The map of EVEX that carries legacy instructions. */
  private static final int APX_MAP = 4;

  private final boolean wideCode;
  private final boolean code16;
  private final int[] cells;
  private final int[] pages;
  private final byte[] modRmSizes;

  VectorDecoder(CodeSize size, int[] cells, int[] pages, byte[] modRmSizes) {
    this.wideCode = size == CodeSize.BITS64;
    this.code16 = size == CodeSize.BITS16;
    this.cells = cells;
    this.pages = pages;
    this.modRmSizes = modRmSizes;
  }

  /** Returns true if two bytes start such a prefix, and not LES, LDS, BOUND, POP or AAD. */
  boolean isVector(int bytes) {
    int second = bytes >>> 8;
    return switch (bytes & 0xFF) {
      case 0x8F -> (second & 0x1F) >= 8;
      case 0xD5 -> true;
      default -> wideCode || second >= 0xC0;
    };
  }

  /**
   * Decodes an instruction from such a prefix on.
   *
   * @param window eight bytes from the prefix on
   * @param position bytes before it
   * @param address 256 with 67, else 0
   */
  int decode(long window, int position, int address, Instruction into) {
    int first = (int) window & 0xFF;
    int second = (int) (window >>> 8) & 0xFF;
    int third = (int) (window >>> 16) & 0xFF;
    int map = second & 31;
    if (first == 0xD5) {
      return into.refuse(DecodeError.APX);
    }
    int prefix = first == 0xC5 ? 2 : first == 0x62 ? 4 : 3;
    if (!into.hasRoomFor(position + prefix + 1)) {
      return into.refuseForRoom(position + prefix + 1);
    }
    long rest = window >>> 8 * prefix;
    int behind = position + prefix;
    if (first == 0xC5) {
      int rxb = second & 0x80 | 0x60;
      return vex(rest, behind, address, DecodeTables.MAP_VEX + 1, rxb, second & 0x7F, into);
    }
    if (first == 0x62) {
      return evex(rest, behind, address, second, third, (int) (window >>> 24) & 0xFF, into);
    }
    boolean xop = first == 0x8F;
    if (map > (xop ? 10 : 7)) {
      return into.refuse(DecodeError.RESERVED_BITS);
    }
    int page = xop ? DecodeTables.MAP_XOP + map - 8 : DecodeTables.MAP_VEX + map;
    return vex(rest, behind, address, page, second & 0xE0, third, into);
  }

  /**
   * @param window from the opcode on
   * @param rxb inverted R, X, B in bits 7, 6, 5
   * @param wvlp W, inverted vvvv, L, pp
   */
  private int vex(
      long window, int position, int address, int map, int rxb, int wvlp, Instruction into) {
    int modRm = (int) (window >>> 8) & 0xFF;
    int sib = (int) (window >>> 16) & 0xFF;
    int wide = wvlp >>> 7 << 1;
    int state =
        InstructionDecoder.state(modRm)
            | (wvlp & 3) << DecodeTables.STATE_PREFIX
            | wide << DecodeTables.STATE_OPERAND_SIZE
            | (wvlp >>> 2 & 1) << DecodeTables.STATE_VECTOR_LENGTH;
    int leaf = InstructionDecoder.walk(cells, cells[pages[map] + ((int) window & 0xFF)], state);
    if (leaf == 0) {
      into.opcodeEnd = position + 1;
      return into.refuse(DecodeError.NO_SUCH_OPCODE);
    }
    int operands = operands(leaf, modRm, sib, address);
    int length = position + 1 + operands + (leaf & 15);
    if (!into.hasRoomFor(length)) {
      return into.refuseForRoom(length);
    }
    int high = wideCode ? ~rxb >>> 4 & 8 : 0;
    int reg = modRm >>> 3 & 7 | high;
    int rm = modRm & 7 | (wideCode ? ~rxb >>> 2 & 8 : 0);
    int vvvv = ~wvlp >>> 3 & 15;
    int index = sib >>> 3 & 7 | (wideCode ? ~rxb >>> 3 & 8 : 0);
    if ((leaf & DecodeTables.VVVV) == 0 && vvvv != 0) {
      return into.refuse(DecodeError.REGISTER);
    }
    int used = wideCode ? vvvv : vvvv & 7;
    if ((leaf & DecodeTables.VVVV_BELOW_8) != 0 && used > 7
        || (leaf & DecodeTables.REG_BELOW_8) != 0 && reg > 7
        || (leaf & DecodeTables.RM_BELOW_8) != 0 && rm > 7) {
      return into.refuse(DecodeError.REGISTER);
    }
    if (!hasNeededSib(leaf, modRm, address)) {
      return into.refuse(DecodeError.NEEDS_SIB);
    }
    if ((leaf & DecodeTables.DISTINCT) != 0) {
      int third = (leaf & DecodeTables.VSIB) != 0 ? index : rm;
      if (reg == used || reg == third || used == third) {
        return into.refuse(DecodeError.SAME_REGISTER);
      }
    }
    into.operandSizeBits = wide;
    into.seeVector(window, map, rxb | wvlp << 8);
    return into.accept(leaf, position + 1, operands, leaf & 15);
  }

  private int evex(
      long window, int position, int address, int p0, int p1, int p2, Instruction into) {
    int map = p0 & 7;
    if (wideCode && ((p0 & 8) != 0 || (p1 & 4) == 0 || map == APX_MAP)) {
      return into.refuse(DecodeError.APX);
    }
    if ((p0 & 8) != 0 || (p1 & 4) == 0 || !wideCode && (p2 & 8) == 0) {
      return into.refuse(DecodeError.RESERVED_BITS);
    }
    int modRm = (int) (window >>> 8) & 0xFF;
    int sib = (int) (window >>> 16) & 0xFF;
    int wide = p1 >>> 7 << 1;
    int state =
        InstructionDecoder.state(modRm)
            | (p1 & 3) << DecodeTables.STATE_PREFIX
            | wide << DecodeTables.STATE_OPERAND_SIZE
            | (p2 >>> 5 & 3) << DecodeTables.STATE_VECTOR_LENGTH
            | (p2 >>> 4 & 1) << DecodeTables.STATE_BROADCAST;
    int leaf =
        InstructionDecoder.walk(
            cells, cells[pages[DecodeTables.MAP_EVEX + map] + ((int) window & 0xFF)], state);
    if (leaf == 0) {
      into.opcodeEnd = position + 1;
      return into.refuse(DecodeError.NO_SUCH_OPCODE);
    }
    int operands = operands(leaf, modRm, sib, address);
    int length = position + 1 + operands + (leaf & 15);
    if (!into.hasRoomFor(length)) {
      return into.refuseForRoom(length);
    }
    int reg = modRm >>> 3 & 7 | (wideCode ? ~p0 >>> 4 & 8 | ~p0 & 16 : 0);
    int vvvv = ~p1 >>> 3 & 15 | (~p2 & 8) << 1;
    int mask = p2 & 7;
    boolean zeroing = (p2 & 0x80) != 0;
    int vsib = leaf & DecodeTables.VSIB;
    if ((leaf & DecodeTables.VVVV) == 0 && (vsib != 0 ? vvvv & 15 : vvvv) != 0
        || (leaf & DecodeTables.VVVV_BELOW_8) != 0 && vvvv > 7
        || (leaf & DecodeTables.REG_BELOW_8) != 0 && reg > 7) {
      return into.refuse(DecodeError.REGISTER);
    }
    if ((leaf & DecodeTables.REG_BELOW_16) != 0 && reg > 15) {
      return into.refuse(DecodeError.APX);
    }
    if ((leaf & DecodeTables.MASK) == 0 && mask != 0
        || (leaf & DecodeTables.MASK_REQUIRED) != 0 && mask == 0
        || zeroing && ((leaf & DecodeTables.ZEROING) == 0 || mask == 0)) {
      return into.refuse(DecodeError.MASK);
    }
    if (!hasNeededSib(leaf, modRm, address)) {
      return into.refuse(DecodeError.NEEDS_SIB);
    }
    if ((leaf & DecodeTables.DISTINCT) != 0 && vsib != 0) {
      int index = sib >>> 3 & 7 | (wideCode ? ~p0 >>> 3 & 8 | (~p2 & 8) << 1 : 0);
      if (reg == index) {
        return into.refuse(DecodeError.SAME_REGISTER);
      }
    }
    if ((leaf & DecodeTables.DISTINCT_DESTINATION) != 0) {
      int rm = modRm < 0xC0 ? -1 : modRm & 7 | (wideCode ? ~p0 >>> 2 & 8 | ~p0 >>> 2 & 16 : 0);
      if (reg == (wideCode ? vvvv : vvvv & 7) || reg == rm) {
        return into.refuse(DecodeError.SAME_REGISTER);
      }
    }
    into.operandSizeBits = wide;
    into.seeVector(window, DecodeTables.MAP_EVEX + map, p0 | p1 << 8 | p2 << 16);
    return into.accept(leaf, position + 1, operands, leaf & 15);
  }

  private boolean hasNeededSib(int leaf, int modRm, int address) {
    if ((leaf & (DecodeTables.VSIB | DecodeTables.SIB)) == 0) {
      return true;
    }
    boolean narrow = !wideCode && (address != 0) != code16;
    return (modRm & 7) == 4 && !narrow;
  }

  /** Bytes of ModRM, SIB and displacement. */
  private int operands(int leaf, int modRm, int sib, int address) {
    if ((leaf & DecodeTables.MODRM) == 0) {
      return 0;
    }
    int size = modRmSizes[address + modRm];
    return size < InstructionDecoder.SIB_DISPLACEMENT
        ? size
        : (size & 15) + ((sib & 7) == 5 ? 4 : 0);
  }
}
