package io.ntrail.analysis.x86;

import io.ntrail.formats.bytes.Bytes;

/**
 * Finds the form of a decoded instruction and reads its operands: the second depth of decoding. It
 * looks at the bytes again, so that those who need no operands pay nothing for them.
 *
 * <p>Immutable; may be used by several threads, each with its own {@link Operands}.
 */
public final class OperandReader {
  // What a byte is before the opcode; 0 is the opcode itself.
  private static final byte REX = 1;
  private static final byte OPERAND_SIZE = 2;
  private static final byte ADDRESS_SIZE = 3;
  private static final byte SIMD = 4;
  private static final byte LOCK = 5;
  private static final byte OLD_SEGMENT = 6;
  private static final byte SEGMENT = 7;

  // What the prefixes were, in one number: the bits of REX, then
  static final int HAS_REX = 1 << 4;
  static final int HAS_66 = 1 << 5;
  static final int SIMD_SHIFT = 6;
  static final int HAS_LOCK = 1 << 8;

  /** Three bits: the segment plus 1, 0 for none. */
  static final int SEGMENT_SHIFT = 9;

  static final int HAS_2E = 1 << 12;
  static final int HAS_3E = 1 << 13;
  private static final int HINTS = HAS_2E | HAS_3E;

  /** Behind 2E or 3E there is another segment: no hint for a branch, but NOTRACK in 64-bit code. */
  private static final int NO_HINT = 1 << 14;

  private static final int REX_BITS = 31;

  private static final int DS = 3;

  /** Bits of a register number that mean something, by its class. */
  private static final int[] NUMBER_MASKS = numberMasks();

  private static final int HIGH8 = RegisterClass.HIGH8.ordinal() << Register.STRIDE_SHIFT;
  private static final int GENERAL8 = RegisterClass.GENERAL8.ordinal();
  private static final int CONTROL = RegisterClass.CONTROL.ordinal();
  private static final int X87 = RegisterClass.X87.ordinal();
  private static final int XMM = RegisterClass.XMM.ordinal();
  private static final byte IS_REGISTER = (byte) OperandType.REGISTER.ordinal();

  private final boolean wideCode;
  private final FormRecords records;
  private final int[] pages = new int[Cells.MAPS];
  private final byte[] kinds = new byte[256];
  private final Addressing addressing;

  private OperandReader(CodeSize size, Vendor vendor) {
    this.wideCode = size == CodeSize.BITS64;
    this.records = FormRecords.get();
    this.addressing = new Addressing(size);
    int first = (size.ordinal() * Vendor.values().length + vendor.ordinal()) * Cells.MAPS;
    System.arraycopy(records.pages, first, pages, 0, Cells.MAPS);
    kinds[0x66] = OPERAND_SIZE;
    kinds[0x67] = ADDRESS_SIZE;
    kinds[0xF0] = LOCK;
    kinds[0xF2] = SIMD;
    kinds[0xF3] = SIMD;
    for (int segment : new int[] {0x26, 0x2E, 0x36, 0x3E}) {
      kinds[segment] = OLD_SEGMENT;
    }
    kinds[0x64] = SEGMENT;
    kinds[0x65] = SEGMENT;
    for (int rex = 0x40; wideCode && rex < 0x50; rex++) {
      kinds[rex] = REX;
    }
  }

  private static int[] numberMasks() {
    RegisterClass[] types = RegisterClass.values();
    int[] masks = new int[types.length];
    for (RegisterClass type : types) {
      masks[type.ordinal()] =
          switch (type) {
            case SEGMENT, X87, MMX, MASK, TILE -> 7;
            case BOUND -> 3;
            default -> 31;
          };
    }
    return masks;
  }

  /** A reader for what such a decoder decodes. */
  public static OperandReader of(InstructionDecoder decoder) {
    return new OperandReader(decoder.codeSize(), decoder.vendor());
  }

  /**
   * Reads the operands of an instruction.
   *
   * @return whether there is an instruction; else there are no operands
   */
  public boolean read(Instruction instruction, Operands into) {
    int length = instruction.length();
    if (length == 0) {
      into.count = 0;
      into.form = 0;
      into.prefixes = 0;
      into.mask = 0;
      into.rounding = 0;
      into.zeroing = false;
      return false;
    }
    Bytes code = instruction.bytes;
    int at = instruction.at;
    long window = InstructionDecoder.window(code, at, instruction.end);
    int position = 0;
    int prefixes = 0;
    int value = (int) window & 0xFF;
    for (int kind = kinds[value]; kind != 0; kind = kinds[value]) {
      prefixes = prefix(kind, value, prefixes);
      position++;
      window =
          position == 8 ? InstructionDecoder.window(code, at + 8, instruction.end) : window >>> 8;
      value = (int) window & 0xFF;
    }
    into.prefixWord = prefixes;
    into.immediateAt = length - instruction.immediateSize();
    into.mask = 0;
    into.zeroing = false;
    into.evex = false;
    into.broadcastBit = false;
    into.rounding = 0;
    into.broadcast = 0;
    into.farPointer = false;
    int opcodeAt = instruction.opcodeEnd - 1;
    // The opcode is in the window if there were no more prefixes than anybody writes.
    int opcodes =
        position < 3
            ? (int) (window >>> 8 * (opcodeAt - position))
            : code.u8(at + opcodeAt)
                | (opcodeAt + 1 < length ? code.u8(at + opcodeAt + 1) << 8 : 0);
    into.opcode = opcodes & 0xFF;
    into.modRm = opcodeAt + 1 < length ? opcodes >>> 8 & 0xFF : 0;
    int state;
    int map = Cells.MAP_LEGACY;
    if (position < opcodeAt && value != 0x0F) {
      state = vector(code, at + position, value, into);
      map = into.map;
    } else {
      if (position < opcodeAt) {
        map = escaped(instruction, position, into);
      }
      state = legacy(instruction, prefixes, into);
    }
    int form =
        InstructionDecoder.walk(records.cells, records.cells[pages[map] + into.opcode], state);
    operands(instruction, form, into);
    return true;
  }

  /** Adds a prefix to what was there before. */
  private int prefix(int kind, int value, int before) {
    int others = before & ~REX_BITS;
    return switch (kind) {
      case REX -> others | HAS_REX | value & 15;
      case OPERAND_SIZE -> others | HAS_66;
      case SIMD -> others & ~(3 << SIMD_SHIFT) | (value == 0xF2 ? 3 : 2) << SIMD_SHIFT;
      case LOCK -> others | HAS_LOCK;
      case SEGMENT -> others & ~(7 << SEGMENT_SHIFT) | NO_HINT | value - 0x5F << SEGMENT_SHIFT;
      case OLD_SEGMENT -> oldSegment(value, others);
      default -> others;
    };
  }

  /** ES, CS, SS, DS: in 64-bit code hints at most. The last segment counts, as a hint, too. */
  private int oldSegment(int value, int others) {
    int number = value >> 3 & 3;
    int result = others | NO_HINT;
    if (value == 0x2E || value == 0x3E) {
      result = others & ~(HINTS | NO_HINT) | (value == 0x2E ? HAS_2E : HAS_3E);
    }
    return wideCode ? result : result & ~(7 << SEGMENT_SHIFT) | number + 1 << SEGMENT_SHIFT;
  }

  private static int escaped(Instruction instruction, int position, Operands into) {
    Bytes code = instruction.bytes;
    int at = instruction.at;
    if (position + 2 == instruction.opcodeEnd) {
      if (into.opcode != 0x0F) {
        return Cells.MAP_0F;
      }
      into.opcode = code.u8(at + instruction.length() - 1);
      return Cells.MAP_3DNOW;
    }
    return code.u8(at + position + 1) == 0x38 ? Cells.MAP_0F38 : Cells.MAP_0F3A;
  }

  /** Notes what the numbers of registers are; returns the state for the cells. */
  private static int legacy(Instruction instruction, int prefixes, Operands into) {
    int modRm = into.modRm;
    int high = (prefixes & 1) << 3;
    into.reg = modRm >>> 3 & 7 | (prefixes & 4) << 1;
    into.rm = modRm & 7 | high;
    into.vectorRm = into.rm;
    into.opcodeRegister = into.opcode & 7 | high;
    into.highIndex = (prefixes & 2) << 2;
    into.highBase = high;
    int simd = prefixes >>> SIMD_SHIFT & 3;
    int operandSize = prefixes >>> 5 & 1;
    return state(modRm)
        | operandSize << FormRecords.STATE_66
        | (prefixes >>> 3 & 1) << FormRecords.STATE_W
        | (simd != 0 ? simd : operandSize) << FormRecords.STATE_PREFIX
        | (instruction.addressSizePrefix ? 1 << FormRecords.STATE_ADDRESS_SIZE : 0)
        | (prefixes >>> 2 & 1) << FormRecords.STATE_REX_R
        | (prefixes & 1) << FormRecords.STATE_REX_B;
  }

  /** The parts of the state that come from a ModRM byte. */
  private static int state(int modRm) {
    return (modRm >>> 3 & 7) << FormRecords.STATE_REG
        | (modRm & 7) << FormRecords.STATE_RM
        | (modRm >= 0xC0 ? 1 << FormRecords.STATE_REGISTER_FORM : 0);
  }

  /** VEX, XOP, EVEX; registers beyond 7 outside 64-bit code are not there. */
  private int vector(Bytes code, int at, int lead, Operands into) {
    int second = code.u8(at + 1);
    int third = lead == 0xC5 ? second & 0x7F : code.u8(at + 2);
    int rxb = lead == 0xC5 ? second & 0x80 | 0x60 : second;
    int length = third >>> 2 & 1;
    int high = 0;
    int fourth = 8;
    switch (lead) {
      case 0xC5 -> into.map = Cells.MAP_VEX + 1;
      case 0xC4 -> into.map = Cells.MAP_VEX + (second & 31);
      case 0x8F -> into.map = Cells.MAP_XOP + (second & 31) - 8;
      default -> {
        into.map = Cells.MAP_EVEX + (second & 7);
        fourth = code.u8(at + 3);
        into.evex = true;
        into.broadcastBit = (fourth & 0x10) != 0;
        into.mask = fourth & 7;
        into.zeroing = fourth >= 0x80;
        length = fourth >>> 5 & 3;
        high = 16;
      }
    }
    into.vectorLength = length;
    int modRm = into.modRm;
    if (wideCode) {
      int base = ~rxb >>> 2 & 8;
      int index = ~rxb >>> 3 & 8;
      into.reg = modRm >>> 3 & 7 | ~rxb >>> 4 & 8 | ~second & high;
      into.rm = modRm & 7 | base;
      into.vectorRm = into.rm | ~second >>> 2 & high;
      into.highBase = base;
      into.highIndex = index;
      into.vvvv = ~third >>> 3 & 15 | (~fourth & 8) << 1;
      into.highVectorIndex = index | (~fourth & 8) << 1;
    } else {
      into.reg = modRm >>> 3 & 7;
      into.rm = modRm & 7;
      into.vectorRm = into.rm;
      into.highBase = 0;
      into.highIndex = 0;
      into.vvvv = ~third >>> 3 & 7;
      into.highVectorIndex = 0;
    }
    return state(modRm)
        | (third & 3) << FormRecords.STATE_PREFIX
        | (third >>> 7) << FormRecords.STATE_W
        | length << FormRecords.STATE_VECTOR_LENGTH
        | (into.broadcastBit ? 1 << FormRecords.STATE_BROADCAST : 0);
  }

  private void operands(Instruction instruction, int form, Operands into) {
    int[] words = records.forms;
    int word = (form - 1) * FormRecords.WORDS;
    int first = words[word];
    int attributes = words[word + 1];
    into.form = form;
    into.mnemonic = first & 0xFFF;
    into.count = first >>> FormRecords.COUNT_SHIFT & 7;
    into.masked = first >>> FormRecords.MASKED_SHIFT & 15;
    into.attributes = attributes;
    boolean registers = into.modRm >= 0xC0 || (attributes & FormRecords.ANY_MOD) != 0;
    if (into.broadcastBit && registers) {
      rounding(into);
    }
    for (int i = 0; i < into.count; i++) {
      int operand = words[word + 2 + i];
      int type = operand >>> FormRecords.CLASS_SHIFT & 31;
      switch (operand & 15) {
        case FormRecords.PLACE_REG -> register(i, type, into.reg, into);
        case FormRecords.PLACE_RM -> {
          if (registers) {
            register(i, type, type >= XMM ? into.vectorRm : into.rm, into);
          } else {
            addressing.memory(instruction, i, operand, into);
          }
        }
        case FormRecords.PLACE_VVVV -> register(i, type, into.vvvv, into);
        // Of x87, the register is in the byte that lies where ModRM would.
        case FormRecords.PLACE_OPCODE ->
            register(i, type, type == X87 ? into.modRm : into.opcodeRegister, into);
        default -> other(instruction, i, operand, into);
      }
    }
    into.segmentPrefix = (into.prefixWord >>> SEGMENT_SHIFT & 7) - 1;
    into.prefixes = into.prefixWord > HAS_66 ? prefixes(attributes, into) : 0;
  }

  private static void rounding(Operands into) {
    if ((into.attributes & FormRecords.ROUNDING) != 0) {
      into.rounding = 1 + into.vectorLength;
    } else if ((into.attributes & FormRecords.SAE) != 0) {
      into.rounding = Rounding.SAE.ordinal();
    }
  }

  private static void register(int i, int type, int encoded, Operands into) {
    int id = type << Register.STRIDE_SHIFT | encoded & NUMBER_MASKS[type];
    if (type == GENERAL8 && (encoded & ~3) == 4 && (into.prefixWord & HAS_REX) == 0) {
      id = HIGH8 | encoded & 3;
    } else if (type == CONTROL && (into.prefixWord & HAS_LOCK) != 0) {
      // AMD's way to CR8 outside 64-bit code; the prefix is used up.
      id |= 8;
      into.prefixWord &= ~HAS_LOCK;
    }
    into.types[i] = IS_REGISTER;
    into.details[i] = id;
  }

  private void other(Instruction instruction, int i, int word, Operands into) {
    Bytes code = instruction.bytes;
    int from = instruction.at + into.immediateAt;
    int type = word >>> FormRecords.CLASS_SHIFT & 31;
    switch (word & 15) {
      case FormRecords.PLACE_IMMEDIATE -> immediate(code, from, i, word, into);
      case FormRecords.PLACE_RELATIVE -> relative(code, from, instruction.length(), i, into);
      case FormRecords.PLACE_IMMEDIATE_REGISTER ->
          register(i, type, code.u8(from) >>> 4 & (wideCode ? 15 : 7), into);
      case FormRecords.PLACE_IMMEDIATE_NIBBLE ->
          into.set(i, OperandType.IMMEDIATE, code.u8(from) & 15, 8);
      case FormRecords.PLACE_FAR -> {
        boolean narrow = instruction.immediateSize() == 4;
        long offset = narrow ? code.u16(from) : code.u32(from);
        into.set(i, OperandType.FAR, offset, code.u16(from + (narrow ? 2 : 4)));
      }
      case FormRecords.PLACE_OFFSET -> addressing.offset(instruction, i, word, into);
      case FormRecords.PLACE_FIXED ->
          into.set(
              i,
              OperandType.REGISTER,
              0,
              type << Register.STRIDE_SHIFT | word >>> FormRecords.NUMBER_SHIFT & 31);
      case FormRecords.PLACE_ONE -> into.set(i, OperandType.IMMEDIATE, 1, 8);
      case FormRecords.PLACE_ADDRESS_AX ->
          into.set(i, OperandType.REGISTER, 0, addressing.registers(instruction));
      default -> addressing.implied(instruction, i, word, into);
    }
  }

  private static void immediate(Bytes code, int from, int i, int word, Operands into) {
    int log = word >>> FormRecords.IMMEDIATE_SHIFT & 7;
    int extended = word >>> FormRecords.EXTENDED_SHIFT & 3;
    into.immediateAt += 1 << log;
    long value =
        switch (log) {
          case 0 -> code.u8(from);
          case 1 -> code.u16(from);
          case 2 -> code.u32(from);
          default -> code.i64(from);
        };
    if (extended > log) {
      int unused = 64 - (8 << log);
      value = value << unused >> unused;
    }
    into.set(i, OperandType.IMMEDIATE, value, 8 << extended);
  }

  private static void relative(Bytes code, int from, int length, int i, Operands into) {
    long offset =
        switch (length - into.immediateAt) {
          case 1 -> (byte) code.u8(from);
          case 2 -> (short) code.u16(from);
          default -> code.i32(from);
        };
    into.set(i, OperandType.RELATIVE, offset, 0);
  }

  /** Which of the prefixes mean something. */
  private static int prefixes(int attributes, Operands into) {
    int word = into.prefixWord;
    int has = (word & HAS_LOCK) != 0 ? InstructionPrefix.LOCK.bit() : 0;
    int simd = word >>> SIMD_SHIFT & 3;
    if (simd != 0) {
      has |= repeats(attributes, simd, into);
      if (simd == 3 && (attributes & FormRecords.BND) != 0) {
        has |= InstructionPrefix.BND.bit();
      }
    }
    if ((attributes & FormRecords.HINT) != 0 && (word & HINTS) != 0 && (word & NO_HINT) == 0) {
      boolean taken = (word & HAS_3E) != 0;
      has |= (taken ? InstructionPrefix.TAKEN : InstructionPrefix.NOT_TAKEN).bit();
    }
    boolean otherSegment = (word >>> SEGMENT_SHIFT & 7) > DS + 1;
    if ((attributes & FormRecords.NOTRACK) != 0 && (word & HAS_3E) != 0 && !otherSegment) {
      has |= InstructionPrefix.NOTRACK.bit();
    }
    return has;
  }

  private static int repeats(int attributes, int simd, Operands into) {
    if ((attributes & FormRecords.REPE) != 0) {
      return (simd == 3 ? InstructionPrefix.REPNE : InstructionPrefix.REPE).bit();
    }
    if ((attributes & FormRecords.REP) != 0) {
      return InstructionPrefix.REP.bit();
    }
    // What can be locked has to be, but for XCHG, which always is, and for releasing stores.
    boolean acquires = (attributes & FormRecords.XACQUIRE) != 0;
    boolean locked =
        (into.prefixWord & HAS_LOCK) != 0 || into.opcode == 0x86 || into.opcode == 0x87;
    if (into.modRm >= 0xC0) {
      return 0;
    }
    if (simd == 3) {
      return acquires && locked ? InstructionPrefix.XACQUIRE.bit() : 0;
    }
    boolean releases = (attributes & FormRecords.XRELEASE) != 0;
    return releases && (locked || !acquires) ? InstructionPrefix.XRELEASE.bit() : 0;
  }
}
