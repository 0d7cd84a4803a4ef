package io.ntrail.programs.x86;

import io.ntrail.formats.bytes.Bytes;

/**
 * Finds out how long an instruction is, whether it is one, and what it does to the flow of control:
 * the first and cheapest depth of decoding.
 *
 * <p>It never throws, whatever the bytes are, and looks at no more than 15 of them. Immutable; may
 * be used by several threads, each with its own {@link Instruction}. Source of fact are the forms,
 * see the package.
 */
public final class InstructionDecoder {
  /** No instruction is longer. */
  public static final int LONGEST = 15;

  private static final int[][] TABLES = DecodeTables.load();

  // What a byte is before the opcode: 0 the opcode itself, else
  private static final byte OPERAND_SIZE = 1;
  private static final byte ADDRESS_SIZE = 2;
  private static final byte LOCK = 4;
  private static final byte SEGMENT = 8;

  /** F3 in the first of two bits, F2 in both, as the state has it. */
  private static final int SIMD_SHIFT = 4;

  private static final byte F3 = 2 << SIMD_SHIFT;
  private static final byte F2 = 3 << SIMD_SHIFT;
  private static final int REX_SHIFT = 6;
  private static final byte REX = 1 << REX_SHIFT;

  /** May start VEX, EVEX, XOP or REX2. */
  private static final byte VECTOR = -128;

  private final CodeSize size;
  private final CpuVendor vendor;
  private final int[] cells;
  private final int[] pages = new int[DecodeTables.MAPS];
  private final byte[] kinds = new byte[256];

  /** Bytes of ModRM, SIB and displacement, by the ModRM byte, without and with 67. */
  private final byte[] modRmSizes = new byte[512];

  /** Set in {@link #modRmSizes} if a SIB byte with base 5 brings another 4 bytes. */
  static final int SIB_DISPLACEMENT = 16;

  private final VectorDecoder vectors;

  private InstructionDecoder(CodeSize size, CpuVendor vendor) {
    this.size = size;
    this.vendor = vendor;
    this.cells = TABLES[1];
    int first = (size.ordinal() * CpuVendor.values().length + vendor.ordinal()) * DecodeTables.MAPS;
    System.arraycopy(TABLES[0], first, pages, 0, DecodeTables.MAPS);
    fillKinds();
    for (int modRm = 0; modRm < 256; modRm++) {
      int wide = size32(modRm);
      int narrow = size16(modRm);
      modRmSizes[modRm] = (byte) (size == CodeSize.BITS16 ? narrow : wide);
      modRmSizes[256 + modRm] = (byte) (size == CodeSize.BITS32 ? narrow : wide);
    }
    this.vectors = new VectorDecoder(size, cells, pages, modRmSizes);
  }

  /** A decoder of such code: small, but made to be kept. */
  public static InstructionDecoder of(CodeSize size, CpuVendor vendor) {
    return new InstructionDecoder(size, vendor);
  }

  /** A decoder of such code as Intel's processors read it. */
  public static InstructionDecoder of(CodeSize size) {
    return of(size, CpuVendor.INTEL);
  }

  /** Returns the size of the code it decodes. */
  public CodeSize codeSize() {
    return size;
  }

  /** Whose processor reads it. */
  public CpuVendor vendor() {
    return vendor;
  }

  private void fillKinds() {
    kinds[0x66] = OPERAND_SIZE;
    kinds[0x67] = ADDRESS_SIZE;
    kinds[0xF2] = F2;
    kinds[0xF3] = F3;
    kinds[0xF0] = LOCK;
    for (int segment : new int[] {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65}) {
      kinds[segment] = SEGMENT;
    }
    for (int vector : new int[] {0xC4, 0xC5, 0x62, 0x8F}) {
      kinds[vector] = VECTOR;
    }
    if (size == CodeSize.BITS64) {
      for (int rex = 0x40; rex < 0x50; rex++) {
        kinds[rex] = REX;
      }
      kinds[0xD5] = VECTOR;
    }
  }

  private static int size32(int modRm) {
    int mod = modRm >> 6;
    int rm = modRm & 7;
    if (mod == 3) {
      return 1;
    }
    int displacement = mod == 1 ? 1 : mod == 2 || rm == 5 ? 4 : 0;
    int sib = rm == 4 ? 1 : 0;
    return 1 + sib + displacement | (sib == 1 && mod == 0 ? SIB_DISPLACEMENT : 0);
  }

  private static int size16(int modRm) {
    int mod = modRm >> 6;
    return switch (mod) {
      case 0 -> (modRm & 7) == 6 ? 3 : 1;
      case 1 -> 2;
      case 2 -> 3;
      default -> 1;
    };
  }

  /**
   * Decodes the instruction at {@code at}.
   *
   * @param end end of the bytes that may belong to it; at most the length of {@code code}
   * @return its length, or 0 if there is none: {@link Instruction#refusal()} is the reason then
   */
  public int decode(Bytes code, int at, int end, Instruction into) {
    into.begin(this, code, at, end);
    long whole = window(code, at, end);
    // Half of all instructions of 64-bit code have a REX: a branch would be guessed wrong too
    // often.
    int first = (int) whole & 0xFF;
    int position = kinds[first] >>> REX_SHIFT & 1;
    int rex = first & -position;
    long window = whole >>> 8 * position;
    int opcode = (int) window & 0xFF;
    if (kinds[opcode] != 0) {
      return prefixed(code, whole, into);
    }
    int map = DecodeTables.MAP_LEGACY;
    if (opcode == 0x0F) {
      window >>>= 8;
      position++;
      opcode = (int) window & 0xFF;
      if (opcode == 0x38 || opcode == 0x3A || opcode == 0x0F) {
        return prefixed(code, whole, into);
      }
      map = DecodeTables.MAP_0F;
    }
    int modRm = (int) (window >>> 8) & 0xFF;
    int wide = rex >>> 2 & 2;
    int cell = cells[pages[map] + opcode];
    if (cell < 0) {
      cell = walk(cells, cell, state(modRm) | wide << DecodeTables.STATE_OPERAND_SIZE | rexR(rex));
    }
    into.operandSizeBits = wide;
    into.addressSizePrefix = false;
    into.see(window, map, rex);
    return finish(into, cell, position + 1, modRm, (int) (window >>> 16), 0, wide);
  }

  private static int rexR(int rex) {
    return (rex >>> 2 & 1) << DecodeTables.STATE_REX_R;
  }

  /** The parts of the state that come from a ModRM byte. */
  static int state(int modRm) {
    return modRm | (modRm >= 0xC0 ? 1 << DecodeTables.STATE_REGISTER_FORM : 0);
  }

  /** Goes down from a cell to a leaf. */
  static int walk(int[] cells, int first, int state) {
    int cell = first;
    while (cell < 0) {
      int bits = state >>> (cell >>> 22 & 31) & (1 << (cell >>> 27 & 15)) - 1;
      cell = cells[(cell & 0x3F_FFFF) + bits];
    }
    return cell;
  }

  /** Adds up the length and notes the answer. */
  private int finish(
      Instruction into, int leaf, int opcodeEnd, int modRm, int sib, int address, int operandSize) {
    int rest = modRmSizes[address + modRm] & -(leaf >>> DecodeTables.MODRM_SHIFT & 1);
    if (rest >= SIB_DISPLACEMENT) {
      rest = (rest & 15) + ((sib & 7) == 5 ? 4 : 0);
    }
    if ((leaf & DecodeTables.ANY_MOD) != 0) {
      rest = 1;
    }
    return into.accept(leaf, opcodeEnd, rest, leaf >>> 4 * operandSize & 15);
  }

  /** Legacy prefixes, the three-byte maps, and what is not of the legacy kind. */
  private int prefixed(Bytes code, long whole, Instruction into) {
    int at = into.at;
    int limit = Math.min(into.end - at, LONGEST);
    int position = 0;
    int prefixes = 0;
    int simd = 0;
    int rex = 0;
    int kind;
    long window = whole;
    while (true) {
      if (position >= limit) {
        return into.refuseForRoom(position + 1);
      }
      int value = position < 8 ? (int) window & 0xFF : code.u8(at + position);
      kind = kinds[value];
      if (kind <= 0) {
        break;
      }
      rex = kind == REX ? value : 0;
      int ofSimd = kind >>> SIMD_SHIFT & 3;
      simd = ofSimd == 0 ? simd : ofSimd;
      prefixes |= kind;
      window >>>= 8;
      position++;
    }
    if (position > 3 || kind == VECTOR) {
      window = window(code, at + position, into.end);
    }
    int prefix67 = prefixes >>> 1 & 1;
    int address = prefix67 << 8;
    into.addressSizePrefix = prefix67 != 0;
    int prefix66 = prefixes & OPERAND_SIZE;
    int chosen = simd != 0 ? simd : prefix66;
    int seen =
        rex
            | simd << Instruction.SIMD_SHIFT
            | (prefixes & (LOCK | SEGMENT)) * (Instruction.LOCK / LOCK)
            | prefix66 * Instruction.HAS_66
            | chosen << Instruction.PREFIX_SHIFT
            | prefix67 * Instruction.ADDRESS_SIZE;
    if (kind == VECTOR && vectors.isVector((int) window & 0xFFFF)) {
      if (chosen != 0 || (prefixes & LOCK) != 0 || rex != 0) {
        return into.refuse(DecodeError.PREFIX_BEFORE_VECTOR);
      }
      into.prefixes = seen;
      return vectors.decode(window, position, address, into);
    }
    int opcode = (int) window & 0xFF;
    int map = DecodeTables.MAP_LEGACY;
    if (opcode == 0x0F) {
      window >>>= 8;
      position++;
      opcode = (int) window & 0xFF;
      map = DecodeTables.MAP_0F;
      if (opcode == 0x38 || opcode == 0x3A) {
        map = opcode == 0x38 ? DecodeTables.MAP_0F38 : DecodeTables.MAP_0F3A;
        window >>>= 8;
        position++;
        opcode = (int) window & 0xFF;
      } else if (opcode == 0x0F) {
        map = DecodeTables.MAP_3DNOW;
      }
    }
    int modRm = (int) (window >>> 8) & 0xFF;
    int sib = (int) (window >>> 16) & 0xFF;
    if (map == DecodeTables.MAP_3DNOW) {
      int suffix = position + 1 + modRmSize(address, modRm, sib);
      if (suffix >= limit) {
        return into.refuseForRoom(suffix + 1);
      }
      opcode = code.u8(at + suffix);
      window = window & ~0xFF | opcode;
    }
    int operandSize = prefix66 | rex >>> 2 & 2;
    int cell = cells[pages[map] + opcode];
    if (cell < 0) {
      int state =
          state(modRm)
              | chosen << DecodeTables.STATE_PREFIX
              | operandSize << DecodeTables.STATE_OPERAND_SIZE
              | prefix67 << DecodeTables.STATE_ADDRESS_SIZE
              | rexR(rex);
      cell = walk(cells, cell, state);
    }
    into.operandSizeBits = operandSize;
    into.see(window, map, seen);
    if ((prefixes & LOCK) != 0 && cell != 0 && !lockable(cell, modRm)) {
      return into.refuse(DecodeError.LOCK);
    }
    return finish(into, cell, position + 1, modRm, sib, address, operandSize);
  }

  private static boolean lockable(int leaf, int modRm) {
    return (leaf & DecodeTables.LOCKABLE) != 0 && modRm < 0xC0
        || (leaf & DecodeTables.LOCK_REGISTER) != 0;
  }

  private int modRmSize(int address, int modRm, int sib) {
    int rest = modRmSizes[address + modRm];
    return rest < SIB_DISPLACEMENT ? rest : (rest & 15) + ((sib & 7) == 5 ? 4 : 0);
  }

  /** Returns eight bytes at {@code at}, zeros past the end. */
  static long window(Bytes code, int at, int end) {
    return end - at >= 8 ? code.i64(at) : shortWindow(code, at, end);
  }

  private static long shortWindow(Bytes code, int at, int end) {
    long window = 0;
    for (int i = end - at - 1; i >= 0; i--) {
      window = window << 8 | code.u8(at + i);
    }
    return window;
  }
}
