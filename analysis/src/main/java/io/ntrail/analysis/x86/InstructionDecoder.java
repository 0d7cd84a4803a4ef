package io.ntrail.analysis.x86;

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

  private static final InstructionDecoder[] ALL = all();

  // What a byte is before the opcode.
  private static final byte OPCODE = 0;
  private static final byte PREFIX_66 = 1;
  private static final byte PREFIX_67 = 2;
  private static final byte PREFIX_F2 = 3;
  private static final byte PREFIX_F3 = 4;
  private static final byte PREFIX_LOCK = 5;
  private static final byte PREFIX_SEGMENT = 6;
  private static final byte REX = 7;
  private static final byte OTHER = 8;

  private final CodeSize size;
  private final Vendor vendor;
  private final int[] cells;
  private final int[] pages;
  private final byte[] kinds = new byte[256];

  /** Bytes of ModRM, SIB and displacement, by the ModRM byte, without and with 67. */
  private final byte[] modRmSizes = new byte[512];

  /** Set in {@link #modRmSizes} if a SIB byte with base 5 brings another 4 bytes. */
  private static final int SIB_DISPLACEMENT = 16;

  private final VectorDecoder vectors;

  private InstructionDecoder(CodeSize size, Vendor vendor, int[][] tables) {
    this.size = size;
    this.vendor = vendor;
    this.cells = tables[1];
    this.pages = new int[Cells.MAPS];
    int first = (size.ordinal() * Vendor.values().length + vendor.ordinal()) * Cells.MAPS;
    System.arraycopy(tables[0], first, pages, 0, Cells.MAPS);
    fillKinds();
    for (int modRm = 0; modRm < 256; modRm++) {
      boolean narrow = size == CodeSize.BITS16;
      modRmSizes[modRm] = (byte) (narrow ? size16(modRm) : size32(modRm));
      modRmSizes[256 + modRm] = (byte) (size == CodeSize.BITS32 ? size16(modRm) : size32(modRm));
    }
    this.vectors = new VectorDecoder(size, cells, pages, modRmSizes);
  }

  private static InstructionDecoder[] all() {
    int[][] tables = Cells.load();
    InstructionDecoder[] all =
        new InstructionDecoder[CodeSize.values().length * Vendor.values().length];
    for (CodeSize size : CodeSize.values()) {
      for (Vendor vendor : Vendor.values()) {
        all[index(size, vendor)] = new InstructionDecoder(size, vendor, tables);
      }
    }
    return all;
  }

  private static int index(CodeSize size, Vendor vendor) {
    return size.ordinal() * Vendor.values().length + vendor.ordinal();
  }

  /** The decoder of such code. */
  public static InstructionDecoder of(CodeSize size, Vendor vendor) {
    return ALL[index(size, vendor)];
  }

  /** The decoder of such code as Intel's processors read it. */
  public static InstructionDecoder of(CodeSize size) {
    return of(size, Vendor.INTEL);
  }

  /** What code it reads. */
  public CodeSize codeSize() {
    return size;
  }

  /** Whose processor reads it. */
  public Vendor vendor() {
    return vendor;
  }

  private void fillKinds() {
    kinds[0x66] = PREFIX_66;
    kinds[0x67] = PREFIX_67;
    kinds[0xF2] = PREFIX_F2;
    kinds[0xF3] = PREFIX_F3;
    kinds[0xF0] = PREFIX_LOCK;
    for (int segment : new int[] {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65}) {
      kinds[segment] = PREFIX_SEGMENT;
    }
    for (int vector : new int[] {0xC4, 0xC5, 0x62, 0x8F}) {
      kinds[vector] = OTHER;
    }
    if (size == CodeSize.BITS64) {
      for (int rex = 0x40; rex < 0x50; rex++) {
        kinds[rex] = REX;
      }
      kinds[0xD5] = OTHER;
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
   * @param end where the bytes end that may belong to it; at most the length of {@code code}
   * @return its length, or 0 if there is none: {@link Instruction#refusal()} then says why
   */
  public int decode(Bytes code, int at, int end, Instruction into) {
    into.bytes = code;
    into.decoder = this;
    into.at = at;
    into.end = end;
    long window = window(code, at, end);
    int kind = kinds[(int) window & 0xFF];
    int rex = 0;
    int position = 0;
    if (kind == REX) {
      rex = (int) window & 0xF;
      window >>>= 8;
      position = 1;
      kind = kinds[(int) window & 0xFF];
    }
    if (kind != OPCODE) {
      return prefixed(code, at, end, into);
    }
    int opcode = (int) window & 0xFF;
    int page = pages[Cells.MAP_LEGACY];
    if (opcode == 0x0F) {
      window >>>= 8;
      position++;
      opcode = (int) window & 0xFF;
      if (opcode == 0x38 || opcode == 0x3A || opcode == 0x0F) {
        return prefixed(code, at, end, into);
      }
      page = pages[Cells.MAP_0F];
    }
    int modRm = (int) (window >>> 8) & 0xFF;
    int wide = rex >>> 3 << 1;
    int cell = cells[page + opcode];
    if (cell < 0) {
      cell = walk(cell, state(modRm) | wide << Cells.STATE_OPERAND_SIZE | rexR(rex));
    }
    into.operandSizeBits = wide;
    into.addressSizePrefix = false;
    return finish(into, cell, position + 1, modRm, (int) (window >>> 16), 0, wide);
  }

  private static int rexR(int rex) {
    return (rex >>> 2 & 1) << Cells.STATE_REX_R;
  }

  /** The parts of the state that come from a ModRM byte. */
  static int state(int modRm) {
    return modRm | (modRm >= 0xC0 ? 1 << Cells.STATE_REGISTER_FORM : 0);
  }

  private int walk(int first, int state) {
    int cell = first;
    while (cell < 0) {
      cell =
          cells[
              (cell & 0x3F_FFFF) + (state >>> (cell >>> 22 & 31) & (1 << (cell >>> 27 & 15)) - 1)];
    }
    return cell;
  }

  /** Adds up the length and notes the answer. */
  private int finish(
      Instruction into, int leaf, int opcodeEnd, int modRm, int sib, int address, int operandSize) {
    int rest = 0;
    if ((leaf & Cells.MODRM) != 0) {
      rest = modRmSizes[address + modRm];
      if (rest >= SIB_DISPLACEMENT) {
        rest = (rest & 15) + ((sib & 7) == 5 ? 4 : 0);
      }
      if ((leaf & Cells.ANY_MOD) != 0) {
        rest = 1;
      }
    }
    int immediate = leaf >>> 4 * operandSize & 15;
    int length = opcodeEnd + rest + immediate;
    into.leaf = leaf;
    into.opcodeEnd = opcodeEnd;
    into.immediateSize = immediate;
    if (leaf == 0 || length > LONGEST || length > into.end - into.at) {
      length = 0;
    }
    into.length = length;
    return length;
  }

  /** Legacy prefixes, the three-byte maps, and what is not of the legacy kind. */
  private int prefixed(Bytes code, int at, int end, Instruction into) {
    int position = 0;
    int rex = -1;
    int simd = 0;
    int lock = 0;
    int prefix66 = 0;
    int prefix67 = 0;
    int limit = Math.min(end - at, LONGEST);
    into.length = 0;
    int kind;
    do {
      if (position >= limit) {
        return 0;
      }
      int value = code.u8(at + position);
      kind = kinds[value];
      switch (kind) {
        case PREFIX_66 -> prefix66 = 1;
        case PREFIX_67 -> prefix67 = 1;
        case PREFIX_F2 -> simd = 3;
        case PREFIX_F3 -> simd = 2;
        case PREFIX_LOCK -> lock = 1;
        default -> {}
      }
      rex = kind == REX ? value & 0xF : kind == OPCODE || kind == OTHER ? rex : -1;
      position++;
    } while (kind != OPCODE && kind != OTHER);
    position--;
    int address = prefix67 << 8;
    into.addressSizePrefix = prefix67 != 0;
    long window = window(code, at + position, end);
    int opcode = (int) window & 0xFF;
    if (kind == OTHER && vectors.isVector((int) window & 0xFFFF)) {
      return (simd | lock | prefix66) != 0 || rex >= 0
          ? 0
          : vectors.decode(window, position, address, into);
    }
    int map = Cells.MAP_LEGACY;
    if (opcode == 0x0F) {
      window >>>= 8;
      position++;
      opcode = (int) window & 0xFF;
      map = Cells.MAP_0F;
      if (opcode == 0x38 || opcode == 0x3A) {
        map = opcode == 0x38 ? Cells.MAP_0F38 : Cells.MAP_0F3A;
        window >>>= 8;
        position++;
        opcode = (int) window & 0xFF;
      } else if (opcode == 0x0F) {
        map = Cells.MAP_3DNOW;
      }
    }
    int modRm = (int) (window >>> 8) & 0xFF;
    int sib = (int) (window >>> 16) & 0xFF;
    if (map == Cells.MAP_3DNOW) {
      int suffix = position + 1 + modRmSize(address, modRm, sib);
      if (suffix >= limit) {
        return 0;
      }
      opcode = code.u8(at + suffix);
    }
    int wide = rex > 0 ? rex >>> 3 << 1 : 0;
    int operandSize = prefix66 | wide;
    int cell = cells[pages[map] + opcode];
    if (cell < 0) {
      int state =
          state(modRm)
              | (simd != 0 ? simd : prefix66) << Cells.STATE_PREFIX
              | operandSize << Cells.STATE_OPERAND_SIZE
              | prefix67 << Cells.STATE_ADDRESS_SIZE
              | rexR(Math.max(rex, 0));
      cell = walk(cell, state);
    }
    if (lock != 0 && !lockable(cell, modRm)) {
      return 0;
    }
    into.operandSizeBits = operandSize;
    return finish(into, cell, position + 1, modRm, sib, address, operandSize);
  }

  private static boolean lockable(int leaf, int modRm) {
    return (leaf & Cells.LOCKABLE) != 0 && modRm < 0xC0 || (leaf & Cells.LOCK_REGISTER) != 0;
  }

  private int modRmSize(int address, int modRm, int sib) {
    int rest = modRmSizes[address + modRm];
    return rest < SIB_DISPLACEMENT ? rest : (rest & 15) + ((sib & 7) == 5 ? 4 : 0);
  }

  /** Eight bytes at {@code at}, zeros behind the end. */
  private static long window(Bytes code, int at, int end) {
    return end - at >= 8 ? code.i64(at) : shortWindow(code, at, end);
  }

  private static long shortWindow(Bytes code, int at, int end) {
    long window = 0;
    for (int i = end - at - 1; i >= 0; i--) {
      window = window << 8 | code.u8(at + i);
    }
    return window;
  }

  /** Why there is no instruction. */
  Refusal explain(Bytes code, int at, int end) {
    return Refusal.NO_SUCH_OPCODE;
  }
}
