package io.ntrail.programs.x86;

import io.ntrail.formats.bytes.Bytes;

/**
 * Finds the form of a decoded instruction and reads its operands: the second depth of decoding. It
 * starts from what the first depth noted on its way, and callers that need no operands pay little
 * for them.
 *
 * <p>The set of operands of an instruction is almost random, and a branch on it costs more than the
 * work it saves. So all of the registers are taken from one number by the shifts of the form,
 * whether there are operands for them or not, and only what is rare or expensive is branched on.
 *
 * <p>Immutable; may be used by several threads, each with its own {@link Operands}.
 */
public final class OperandReader {
  // What the reader adds to the prefixes of the instruction.

  /** Three bits: the segment plus 1, 0 for none. */
  static final int SEGMENT_SHIFT = 20;

  private static final int HAS_2E = 1 << 23;
  private static final int HAS_3E = 1 << 24;
  private static final int HINTS = HAS_2E | HAS_3E;

  /** State bit: the 2E or 3E is followed by another segment prefix: no branch hint, but NOTRACK. */
  private static final int NO_HINT = 1 << 25;

  /** Prefixes that mean something of themselves. */
  private static final int OTHER_PREFIXES =
      3 << Instruction.SIMD_SHIFT | Instruction.LOCK | Instruction.SEGMENT;

  private static final int DS = 3;

  // Numbers of registers in one number, five bits each, in the order of their places.
  private static final int NUMBER_BITS = 5;
  private static final int RM_SHIFT = FormRecords.PLACE_RM * NUMBER_BITS;
  private static final int VVVV_SHIFT = FormRecords.PLACE_VVVV * NUMBER_BITS;
  private static final int OPCODE_SHIFT = FormRecords.PLACE_OPCODE * NUMBER_BITS;

  private static final int HIGH8 = RegisterClass.HIGH8.ordinal() << Register.STRIDE_SHIFT;
  private static final int CONTROL = RegisterClass.CONTROL.ordinal();

  private final boolean wideCode;
  private final int[] forms;
  private final int[] cells;
  private final int[] pages = new int[DecodeTables.MAPS];
  private final MemoryOperandReader addressing;

  private OperandReader(CodeSize size, CpuVendor vendor) {
    FormRecords records = FormRecords.get();
    this.wideCode = size == CodeSize.BITS64;
    this.forms = records.forms;
    this.cells = records.cells;
    this.addressing = new MemoryOperandReader(size);
    int first = (size.ordinal() * CpuVendor.values().length + vendor.ordinal()) * DecodeTables.MAPS;
    System.arraycopy(records.pages, first, pages, 0, DecodeTables.MAPS);
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
    if (instruction.length() == 0) {
      into.clear();
      return false;
    }
    int prefixes = instruction.prefixes;
    if ((prefixes & Instruction.SEGMENT) != 0) {
      prefixes |= segments(instruction);
    }
    if (into.evex) {
      into.clearEvex();
    }
    int opcode = instruction.opcode();
    int modRm = instruction.modRm();
    int map = instruction.map;
    int registers;
    int state = prefixes & (1 << FormRecords.STATE_ADDRESS_SIZE) | state(modRm);
    if (map < DecodeTables.MAP_VEX) {
      registers = registers(prefixes, opcode, modRm);
      state |= legacyState(prefixes);
    } else {
      state |= vector(instruction.vectorPrefix, map, into);
      prefixes |= into.extension;
      registers = vectorRegisters(instruction.vectorPrefix, modRm, into);
    }
    int form = form(pages[map] + opcode, state);
    operands(instruction, form, registers, prefixes, into);
    return true;
  }

  /** Goes down to a form. The first cell is always a node, and most often the last one. */
  private int form(int first, int state) {
    int node = cells[first];
    int bits = state >>> (node >>> 22) & (1 << (node >>> 27 & 15)) - 1;
    int cell = cells[(node & 0x3F_FFFF) + bits];
    return cell < 0 ? InstructionDecoder.walk(cells, cell, state) : cell;
  }

  /** The parts of the state that come from a ModRM byte. */
  private static int state(int modRm) {
    return modRm << FormRecords.STATE_RM | isRegister(modRm) << FormRecords.STATE_REGISTER_FORM;
  }

  /** Returns 1 if mod selects a register, else 0. */
  private static int isRegister(int modRm) {
    return modRm + 0x40 >>> 8;
  }

  private static int legacyState(int prefixes) {
    int said = 1 << FormRecords.STATE_66 | 3 << FormRecords.STATE_PREFIX;
    return prefixes & (Instruction.REX_W | Instruction.REX_B)
        | (prefixes & Instruction.REX_R) << FormRecords.STATE_REX_R - 2
        | prefixes >>> Instruction.STATE_SHIFT & said;
  }

  private static int registers(int prefixes, int opcode, int modRm) {
    int high = (prefixes & Instruction.REX_B) << 3;
    return modRm >>> 3 & 7
        | (prefixes & Instruction.REX_R) << 1
        | (modRm & 7 | high) << RM_SHIFT
        | (opcode & 7 | high) << OPCODE_SHIFT;
  }

  /** Returns the segment of the prefixes. The last one counts, as a hint, too. */
  private int segments(Instruction instruction) {
    int found = 0;
    for (int at = instruction.at; ; at++) {
      int value = instruction.bytes.u8(at);
      switch (value) {
        case 0x26, 0x2E, 0x36, 0x3E -> found = oldSegment(value, found);
        case 0x64, 0x65 -> found = found & HINTS | NO_HINT | value - 0x5F << SEGMENT_SHIFT;
        case 0x66, 0x67, 0xF0, 0xF2, 0xF3 -> {
          // These have no segments.
        }
        default -> {
          if (!wideCode || (value & 0xF0) != 0x40) {
            return found;
          }
        }
      }
    }
  }

  /** ES, CS, SS, DS: in 64-bit code hints at most. */
  private int oldSegment(int value, int others) {
    int hint = value == 0x2E ? HAS_2E : value == 0x3E ? HAS_3E : others & HINTS | NO_HINT;
    int segment = (value >> 3 & 3) + 1 << SEGMENT_SHIFT;
    return hint | (wideCode ? others & 7 << SEGMENT_SHIFT : segment);
  }

  /** Notes the fields of VEX, XOP or EVEX; returns the state for the cells except for ModRM. */
  private int vector(int payload, int map, Operands into) {
    int third = payload >>> 8 & 0xFF;
    int length = third >>> 2 & 1;
    int broadcast = 0;
    if (map >= DecodeTables.MAP_EVEX && map < DecodeTables.MAP_XOP) {
      int fourth = payload >>> 16;
      broadcast = fourth >>> 4 & 1;
      length = fourth >>> 5 & 3;
      into.evex = true;
      into.broadcastBit = broadcast != 0;
      into.mask = fourth & 7;
      into.zeroing = fourth >= 0x80;
    }
    into.vectorLength = length;
    // B and X as REX has them; R matters to the registers alone.
    into.extension = wideCode ? ~payload >>> 5 & (Instruction.REX_B | Instruction.REX_X) : 0;
    return (third & 3) << FormRecords.STATE_PREFIX
        | third >>> 7 << FormRecords.STATE_W
        | length << FormRecords.STATE_VECTOR_LENGTH
        | broadcast << FormRecords.STATE_BROADCAST;
  }

  /** Registers of VEX, XOP and EVEX; those beyond 7 outside 64-bit code are not there. */
  private int vectorRegisters(int payload, int modRm, Operands into) {
    int third = payload >>> 8;
    if (!wideCode) {
      into.highVectorIndex = 0;
      return modRm >>> 3 & 7 | (modRm & 7) << RM_SHIFT | (~third >>> 3 & 7) << VVVV_SHIFT;
    }
    int high = into.evex ? 16 : 0;
    int highVvvv = into.evex ? (~payload >>> 16 & 8) << 1 : 0;
    int reg = modRm >>> 3 & 7 | ~payload >>> 4 & 8 | ~payload & high;
    int rm = modRm & 7 | ~payload >>> 2 & 8 | ~payload >>> 2 & high;
    int vvvv = ~third >>> 3 & 15 | highVvvv;
    into.highVectorIndex = ~payload >>> 3 & 8 | highVvvv;
    return reg | rm << RM_SHIFT | vvvv << VVVV_SHIFT;
  }

  private void operands(
      Instruction instruction, int form, int registers, int prefixes, Operands into) {
    int word = (form - 1) * FormRecords.WORDS;
    int first = forms[word];
    int attributes = forms[word + 1];
    into.form = form;
    into.count = first >>> FormRecords.COUNT_SHIFT & 7;
    into.types = first >>> FormRecords.TYPES_SHIFT;
    into.attributes = attributes;
    int detail0 = detail(forms[word + 2], registers);
    int detail1 = detail(forms[word + 3], registers);
    into.details[0] = detail0;
    into.details[1] = detail1;
    if (into.count > 2) {
      into.details[2] = detail(forms[word + 4], registers);
    }
    if ((attributes & FormRecords.BYTES) != 0 && (prefixes & Instruction.REX) == 0) {
      highBytes(into);
    }
    int modRm = instruction.modRm();
    long last = instruction.lastBytes();
    // One branch for both: whether there may be memory, and whether there is.
    if ((attributes & FormRecords.MEMORY) > isRegister(modRm) * FormRecords.MEMORY) {
      int operand = attributes >>> FormRecords.MEMORY_OPERAND_SHIFT & 7;
      addressing.memory(instruction, operand, forms[word + 2 + operand], last, prefixes, into);
    }
    number(instruction, last, attributes, into);
    if (into.evex) {
      evex(first >>> FormRecords.MASKED_SHIFT & 15, modRm, into);
    }
    if ((attributes & FormRecords.IRREGULAR) != 0) {
      irregular(instruction, word, registers, prefixes, into);
    }
    into.segmentPrefix = -1;
    into.prefixes = 0;
    if ((prefixes & OTHER_PREFIXES) != 0) {
      into.segmentPrefix = (prefixes >>> SEGMENT_SHIFT & 7) - 1;
      into.prefixes = prefixes(prefixes, instruction, into);
    }
  }

  /** A register, or what is known of another operand beforehand. */
  private static int detail(int word, int registers) {
    int number = (int) ((long) registers >>> (word & 15) * NUMBER_BITS);
    return word >>> FormRecords.DETAIL_SHIFT & FormRecords.DETAIL_MASK
        | number & word >>> FormRecords.NUMBER_MASK_SHIFT & 31;
  }

  /** Without REX, 4 to 7 are AH, CH, DH and BH; forms of bytes have two operands at most. */
  private static void highBytes(Operands into) {
    for (int i = 0; i < 2; i++) {
      if (into.details[i] >>> 2 == 1) {
        into.details[i] = HIGH8 | into.details[i] & 3;
      }
    }
  }

  /** The only immediate, or the distance of a relative branch; of no use where there is none. */
  private static void number(Instruction instruction, long last, int attributes, Operands into) {
    int unused = 64 - 8 * instruction.immediateSize();
    int cleared = (attributes & FormRecords.UNSIGNED) != 0 ? unused : 0;
    into.numbers[attributes >>> FormRecords.NUMBER_OPERAND_SHIFT & 7] =
        last >> unused & -1L >>> cleared;
  }

  /** Notes the fields of EVEX that this form uses. */
  private static void evex(int masked, int modRm, Operands into) {
    into.masked = masked;
    boolean registers = modRm >= 0xC0 || (into.attributes & FormRecords.ANY_MOD) != 0;
    if (!into.broadcastBit || !registers) {
      return;
    }
    if ((into.attributes & FormRecords.ROUNDING) != 0) {
      into.rounding = 1 + into.vectorLength;
    } else if ((into.attributes & FormRecords.SAE) != 0) {
      into.rounding = Rounding.SAE.ordinal();
    }
  }

  /** Operands in the rarer places, and those beyond the third. */
  private void irregular(
      Instruction instruction, int first, int registers, int prefixes, Operands into) {
    int immediateAt = instruction.length() - instruction.immediateSize();
    for (int i = 0; i < into.count; i++) {
      int word = forms[first + 2 + i];
      int place = word & 15;
      if (i > 2 && into.isRegister(i) || place == FormRecords.PLACE_IMMEDIATE) {
        into.details[i] = detail(word, registers);
      }
      if (place == FormRecords.PLACE_IMMEDIATE) {
        immediateAt = immediate(instruction, immediateAt, i, word, into);
      } else if (place > FormRecords.PLACE_OPCODE && place != FormRecords.PLACE_FIXED) {
        other(instruction, immediateAt, i, word, prefixes, into);
      }
    }
  }

  private void other(
      Instruction instruction, int immediateAt, int i, int word, int prefixes, Operands into) {
    Bytes code = instruction.bytes;
    int from = instruction.at + immediateAt;
    int type = word >>> FormRecords.DETAIL_SHIFT & FormRecords.DETAIL_MASK;
    switch (word & 15) {
      case FormRecords.PLACE_IMMEDIATE_REGISTER -> {
        int number = code.u8(from) >>> 4 & (wideCode ? 15 : 7);
        into.set(i, OperandType.REGISTER, 0, type | number);
      }
      case FormRecords.PLACE_IMMEDIATE_NIBBLE ->
          into.set(i, OperandType.IMMEDIATE, code.u8(from) & 15, 8);
      case FormRecords.PLACE_FAR -> {
        boolean narrow = instruction.immediateSize() == 4;
        long offset = narrow ? code.u16(from) : code.u32(from);
        into.set(i, OperandType.FAR, offset, code.u16(from + (narrow ? 2 : 4)));
      }
      case FormRecords.PLACE_OFFSET ->
          addressing.offset(instruction, from, i, word, prefixes, into);
      case FormRecords.PLACE_ONE -> into.set(i, OperandType.IMMEDIATE, 1, 8);
      case FormRecords.PLACE_ADDRESS_AX ->
          into.set(i, OperandType.REGISTER, 0, addressing.registers(instruction));
      default -> addressing.implied(instruction, i, word, prefixes, into);
    }
  }

  /** Reads one of several immediates, which are short; returns the start of the next one. */
  private static int immediate(Instruction instruction, int at, int i, int word, Operands into) {
    Bytes code = instruction.bytes;
    int from = instruction.at + at;
    int log = word >>> FormRecords.IMMEDIATE_SHIFT & 7;
    into.numbers[i] = log == 0 ? code.u8(from) : code.u16(from);
    return at + (1 << log);
  }

  /** Returns the prefixes that have an effect. */
  private static int prefixes(int word, Instruction instruction, Operands into) {
    int attributes = into.attributes;
    boolean lock = (word & Instruction.LOCK) != 0 && !usesLock(into);
    int has = lock ? InstructionPrefix.LOCK.bit() : 0;
    int simd = word >>> Instruction.SIMD_SHIFT & 3;
    if (simd != 0) {
      boolean register = instruction.modRm() >= 0xC0;
      has |= repeats(attributes, simd, register, locked(has, instruction.opcode()));
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

  /** AMD's way to CR8 outside 64-bit code uses the prefix up. */
  private static boolean usesLock(Operands into) {
    for (int i = 0; i < into.count; i++) {
      if (into.details[i] >>> Register.STRIDE_SHIFT == CONTROL && into.isRegister(i)) {
        into.details[i] |= 8;
        return true;
      }
    }
    return false;
  }

  /** XCHG always is. */
  private static boolean locked(int has, int opcode) {
    return has != 0 || opcode == 0x86 || opcode == 0x87;
  }

  private static int repeats(int attributes, int simd, boolean register, boolean locked) {
    if ((attributes & FormRecords.REPE) != 0) {
      return (simd == 3 ? InstructionPrefix.REPNE : InstructionPrefix.REPE).bit();
    }
    if ((attributes & FormRecords.REP) != 0) {
      return InstructionPrefix.REP.bit();
    }
    // What can be locked has to be, but for releasing stores.
    boolean acquires = (attributes & FormRecords.XACQUIRE) != 0;
    if (register) {
      return 0;
    }
    if (simd == 3) {
      return acquires && locked ? InstructionPrefix.XACQUIRE.bit() : 0;
    }
    boolean releases = (attributes & FormRecords.XRELEASE) != 0;
    return releases && (locked || !acquires) ? InstructionPrefix.XRELEASE.bit() : 0;
  }
}
