package io.ntrail.analysis.x86;

import io.ntrail.formats.bytes.Bytes;

/**
 * Finds the form of a decoded instruction and reads its operands: the second depth of decoding. It
 * looks at the bytes again, so that those who need no operands pay nothing for them.
 *
 * <p>Immutable; may be used by several threads, each with its own {@link Operands}.
 */
public final class OperandReader {
  private static final int NO_REGISTER = -1;
  private static final int DS = 3;
  private static final int SS = 2;
  private static final int SP = 4;
  private static final int BP = 5;
  private static final int[] SCALES = {1, 2, 4, 8};

  /** Base and index of 16-bit addresses, by rm; 16 is none. */
  private static final int[] BASES_16 = {3, 3, 5, 5, 6, 7, 5, 3};

  private static final int[] INDEXES_16 = {6, 7, 6, 7, 16, 16, 16, 16};

  private final boolean wideCode;
  private final FormRecords records;
  private final int[] pages = new int[Cells.MAPS];

  private OperandReader(CodeSize size, Vendor vendor) {
    this.wideCode = size == CodeSize.BITS64;
    this.records = FormRecords.get();
    int first = (size.ordinal() * Vendor.values().length + vendor.ordinal()) * Cells.MAPS;
    System.arraycopy(records.pages, first, pages, 0, Cells.MAPS);
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
    if (!instruction.isValid()) {
      into.mnemonic = "";
      into.count = 0;
      into.form = 0;
      return false;
    }
    new Pass(instruction, into).read();
    return true;
  }

  /** One instruction. */
  private final class Pass {
    private final Instruction instruction;
    private final Operands into;
    private final Bytes code;
    private final int at;
    private final int length;

    /** Offset behind the opcode. */
    private final int opcodeEnd;

    private int segment = NO_REGISTER;
    private int branchHint;
    private boolean operandSize;
    private boolean lock;

    /** As the state has it: 0 none, 2 F3, 3 F2. */
    private int simd;

    // Bits that lengthen register numbers, as 8 and 16.
    private boolean rex;
    private boolean wide;
    private int highReg;
    private int highIndex;
    private int highBase;
    private int highRm;
    private int vvvv;
    private int highVectorIndex;

    // EVEX.
    private boolean evex;
    private boolean broadcastBit;
    private int vectorLength;

    private int opcode;
    private int modRm;
    private int state;
    private int immediateAt;

    Pass(Instruction instruction, Operands into) {
      this.instruction = instruction;
      this.into = into;
      this.code = instruction.bytes;
      this.at = instruction.at;
      this.length = instruction.length();
      this.opcodeEnd = instruction.opcodeEnd;
    }

    void read() {
      into.mask = 0;
      into.zeroing = false;
      into.rounding = Rounding.NONE;
      into.broadcast = 0;
      into.farPointer = false;
      immediateAt = length - instruction.immediateSize();
      int map = findForm();
      int form = InstructionDecoder.walk(records.cells, records.cells[pages[map] + opcode], state);
      int[] words = records.forms;
      int word = (form - 1) * FormRecords.WORDS;
      int first = words[word];
      into.form = form;
      into.mnemonic = records.mnemonics[first & 0xFFF];
      into.count = first >>> FormRecords.COUNT_SHIFT & 7;
      into.masked = first >>> FormRecords.MASKED_SHIFT & 15;
      into.attributes = words[word + 1];
      if (evex) {
        rounding();
      }
      for (int i = 0; i < into.count; i++) {
        operand(i, words[word + 2 + i]);
      }
      prefixes();
    }

    /** Reads prefixes and opcode; returns the map. */
    private int findForm() {
      int position = at;
      int value = code.u8(position);
      while (isPrefix(value)) {
        position++;
        value = code.u8(position);
      }
      int opcodeAt = at + opcodeEnd - 1;
      int map;
      boolean hasModRm = opcodeEnd < length;
      modRm = hasModRm ? code.u8(opcodeAt + 1) : 0;
      opcode = code.u8(opcodeAt);
      if (position == opcodeAt) {
        map = Cells.MAP_LEGACY;
      } else if (value == 0x0F) {
        map = escaped(position, opcodeAt);
      } else {
        return vector(value, position);
      }
      int prefix = simd != 0 ? simd : operandSize ? 1 : 0;
      state =
          InstructionDecoder.state(modRm)
              | prefix << Cells.STATE_PREFIX
              | (operandSize ? 1 : 0) << Cells.STATE_OPERAND_SIZE
              | (wide ? 2 : 0) << Cells.STATE_OPERAND_SIZE
              | (instruction.addressSizePrefix ? 1 : 0) << Cells.STATE_ADDRESS_SIZE
              | highReg >>> 3 << Cells.STATE_REX_R
              | highBase >>> 3 << Cells.STATE_REX_B;
      return map;
    }

    private int escaped(int position, int opcodeAt) {
      if (position + 1 == opcodeAt && opcode != 0x0F) {
        return Cells.MAP_0F;
      }
      if (position + 1 == opcodeAt) {
        opcode = code.u8(at + length - 1);
        return Cells.MAP_3DNOW;
      }
      return code.u8(position + 1) == 0x38 ? Cells.MAP_0F38 : Cells.MAP_0F3A;
    }

    private boolean isPrefix(int value) {
      switch (value) {
        case 0x26, 0x2E, 0x36, 0x3E -> {
          int number = value >> 3 & 3;
          if (!wideCode) {
            segment = number;
          }
          branchHint = number == 1 || number == DS ? number : branchHint;
        }
        case 0x64, 0x65 -> segment = value - 0x60;
        case 0x66 -> operandSize = true;
        case 0x67 -> {}
        case 0xF0 -> lock = true;
        case 0xF2 -> simd = 3;
        case 0xF3 -> simd = 2;
        default -> {
          return wideCode && value >>> 4 == 4 && rex(value);
        }
      }
      rex = false;
      wide = false;
      highReg = 0;
      highIndex = 0;
      highBase = 0;
      highRm = 0;
      return true;
    }

    private boolean rex(int value) {
      rex = true;
      wide = (value & 8) != 0;
      highReg = (value & 4) << 1;
      highIndex = (value & 2) << 2;
      highBase = (value & 1) << 3;
      highRm = highBase;
      return true;
    }

    /** VEX, XOP, EVEX; registers beyond 7 outside 64-bit code are not there. */
    private int vector(int lead, int position) {
      int second = code.u8(position + 1);
      int third = lead == 0xC5 ? second & 0x7F : code.u8(position + 2);
      int rxb = lead == 0xC5 ? second & 0x80 | 0x60 : second;
      int map;
      int fourth = 0;
      switch (lead) {
        case 0xC5 -> map = Cells.MAP_VEX + 1;
        case 0xC4 -> map = Cells.MAP_VEX + (second & 31);
        case 0x8F -> map = Cells.MAP_XOP + (second & 31) - 8;
        default -> {
          map = Cells.MAP_EVEX + (second & 7);
          fourth = code.u8(position + 3);
          evex = true;
        }
      }
      wide = third >= 0x80;
      vvvv = ~third >>> 3 & (wideCode ? 15 : 7);
      if (wideCode) {
        highReg = ~rxb >>> 4 & 8;
        highIndex = ~rxb >>> 3 & 8;
        highBase = ~rxb >>> 2 & 8;
        highRm = highBase;
      }
      highVectorIndex = highIndex;
      vectorLength = third >>> 2 & 1;
      if (evex) {
        vectorLength = fourth >>> 5 & 3;
        broadcastBit = (fourth & 0x10) != 0;
        into.mask = fourth & 7;
        into.zeroing = fourth >= 0x80;
        if (wideCode) {
          highReg |= ~second & 16;
          highRm |= ~second >>> 2 & 16;
          vvvv |= (~fourth & 8) << 1;
          highVectorIndex |= (~fourth & 8) << 1;
        }
      }
      state =
          InstructionDecoder.state(modRm)
              | (third & 3) << Cells.STATE_PREFIX
              | (wide ? 2 : 0) << Cells.STATE_OPERAND_SIZE
              | vectorLength << Cells.STATE_VECTOR_LENGTH
              | (broadcastBit ? 1 : 0) << Cells.STATE_BROADCAST;
      return map;
    }

    private void rounding() {
      if (!broadcastBit || modRm < 0xC0) {
        return;
      }
      if ((into.attributes & FormRecords.ROUNDING) != 0) {
        into.rounding = Rounding.at(1 + vectorLength);
      } else if ((into.attributes & FormRecords.SAE) != 0) {
        into.rounding = Rounding.SAE;
      }
    }

    private void operand(int i, int word) {
      int type = word >>> FormRecords.CLASS_SHIFT & 31;
      switch (word & 15) {
        case FormRecords.PLACE_REG -> register(i, type, modRm >>> 3 & 7 | highReg);
        case FormRecords.PLACE_RM -> {
          if (modRm >= 0xC0 || (into.attributes & FormRecords.ANY_MOD) != 0) {
            int high = type >= RegisterClass.XMM.ordinal() ? highRm : highBase;
            register(i, type, modRm & 7 | high);
          } else {
            memory(i, word, type);
          }
        }
        case FormRecords.PLACE_VVVV -> register(i, type, vvvv);
        case FormRecords.PLACE_OPCODE -> opcodeRegister(i, type);
        case FormRecords.PLACE_IMMEDIATE_REGISTER ->
            register(i, type, code.u8(at + immediateAt) >>> 4 & (wideCode ? 15 : 7));
        case FormRecords.PLACE_IMMEDIATE_NIBBLE ->
            number(i, OperandType.IMMEDIATE, code.u8(at + immediateAt) & 15, 8);
        case FormRecords.PLACE_IMMEDIATE -> immediate(i, word);
        case FormRecords.PLACE_RELATIVE -> relative(i);
        case FormRecords.PLACE_FAR -> far(i);
        case FormRecords.PLACE_OFFSET -> offset(i, word);
        case FormRecords.PLACE_FIXED ->
            number(
                i,
                OperandType.REGISTER,
                0,
                type << Register.STRIDE_SHIFT | word >>> FormRecords.NUMBER_SHIFT & 31);
        case FormRecords.PLACE_ONE -> number(i, OperandType.IMMEDIATE, 1, 8);
        case FormRecords.PLACE_ADDRESS_AX ->
            number(i, OperandType.REGISTER, 0, addressClass() << Register.STRIDE_SHIFT);
        default -> implied(i, word);
      }
    }

    private void number(int i, OperandType type, long value, int detail) {
      into.types[i] = (byte) type.ordinal();
      into.numbers[i] = value;
      into.details[i] = detail;
    }

    private void opcodeRegister(int i, int type) {
      // Of x87, the register is in the byte that lies where ModRM would.
      int low = type == RegisterClass.X87.ordinal() ? modRm : opcode;
      register(i, type, low & 7 | highBase);
    }

    private void register(int i, int type, int encoded) {
      int kind = type;
      int number = encoded;
      switch (RegisterClass.at(type)) {
        case GENERAL8 -> {
          if (!rex && encoded >= 4 && encoded < 8) {
            kind = RegisterClass.HIGH8.ordinal();
            number = encoded - 4;
          }
        }
        case SEGMENT, X87, MMX, MASK, TILE -> number = encoded & 7;
        case BOUND -> number = encoded & 3;
        case CONTROL -> {
          // AMD's way to CR8 outside 64-bit code; the prefix is used up.
          number = lock ? encoded | 8 : encoded;
          lock = false;
        }
        default -> {}
      }
      number(i, OperandType.REGISTER, 0, kind << Register.STRIDE_SHIFT | number);
    }

    private void immediate(int i, int word) {
      int log = word >>> FormRecords.IMMEDIATE_SHIFT & 7;
      int extended = word >>> FormRecords.EXTENDED_SHIFT & 3;
      int from = at + immediateAt;
      immediateAt += 1 << log;
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
      number(i, OperandType.IMMEDIATE, value, 8 << extended);
    }

    private void relative(int i) {
      int from = at + immediateAt;
      long offset =
          switch (length - immediateAt) {
            case 1 -> (byte) code.u8(from);
            case 2 -> (short) code.u16(from);
            default -> code.i32(from);
          };
      number(i, OperandType.RELATIVE, offset, 0);
    }

    private void far(int i) {
      int from = at + immediateAt;
      boolean narrow = length - immediateAt == 4;
      long offset = narrow ? code.u16(from) : code.u32(from);
      number(i, OperandType.FAR, offset, code.u16(from + (narrow ? 2 : 4)));
    }

    private void offset(int i, int word) {
      int from = at + immediateAt;
      into.displacement =
          switch (length - immediateAt) {
            case 2 -> code.u16(from);
            case 4 -> code.u32(from);
            default -> code.i64(from);
          };
      into.base = NO_REGISTER;
      into.index = NO_REGISTER;
      into.scale = 1;
      into.segment = segment(DS);
      into.memoryBytes = word >>> FormRecords.MEMORY_SHIFT & FormRecords.MEMORY_MASK;
      number(i, OperandType.MEMORY, 0, 0);
    }

    private int segment(int unlessSaid) {
      int number = segment < 0 ? unlessSaid : segment;
      return RegisterClass.SEGMENT.ordinal() << Register.STRIDE_SHIFT | number;
    }

    private void implied(int i, int word) {
      int place = word & 15;
      int number = place == FormRecords.PLACE_BX ? 3 : place == FormRecords.PLACE_SI ? 6 : 7;
      int where =
          place == FormRecords.PLACE_ES_DI ? Register.id(RegisterClass.SEGMENT, 0) : segment(DS);
      int bytes = word >>> FormRecords.MEMORY_SHIFT & FormRecords.MEMORY_MASK;
      number(
          i,
          OperandType.MEMORY,
          bytes,
          where << 16 | addressClass() << Register.STRIDE_SHIFT | number);
    }

    private int addressClass() {
      return switch (instruction.addressSize()) {
        case 16 -> RegisterClass.GENERAL16.ordinal();
        case 32 -> RegisterClass.GENERAL32.ordinal();
        default -> RegisterClass.GENERAL64.ordinal();
      };
    }

    private void memory(int i, int word, int vectorIndex) {
      int bytes = word >>> FormRecords.MEMORY_SHIFT & FormRecords.MEMORY_MASK;
      number(i, OperandType.MEMORY, 0, 0);
      into.farPointer = (word & FormRecords.FAR) != 0;
      int scaleLog = into.attributes & FormRecords.DISPLACEMENT_SCALE_MASK;
      if (broadcastBit) {
        int element = into.attributes >>> FormRecords.BROADCAST_SHIFT & 3;
        into.broadcast = bytes >>> element;
        bytes = 1 << element;
        scaleLog = element;
      }
      into.memoryBytes = bytes;
      if (instruction.addressSize() == 16) {
        address16();
      } else {
        boolean vsib = vectorIndex >= RegisterClass.XMM.ordinal() && isVsib();
        address(vsib ? vectorIndex : -1, evex ? scaleLog : 0);
      }
    }

    private boolean isVsib() {
      return (into.attributes & FormRecords.VECTOR_INDEX) != 0;
    }

    private void address16() {
      int mod = modRm >>> 6;
      int rm = modRm & 7;
      int from = at + opcodeEnd + 1;
      boolean alone = mod == 0 && rm == 6;
      int general = RegisterClass.GENERAL16.ordinal() << Register.STRIDE_SHIFT;
      into.base = alone ? NO_REGISTER : general | BASES_16[rm];
      into.index = INDEXES_16[rm] == 16 ? NO_REGISTER : general | INDEXES_16[rm];
      into.scale = 1;
      into.displacement =
          alone
              ? code.u16(from)
              : switch (mod) {
                case 1 -> (byte) code.u8(from);
                case 2 -> (short) code.u16(from);
                default -> 0;
              };
      into.segment = segment(!alone && (rm == 2 || rm == 3 || rm == 6) ? SS : DS);
    }

    private void address(int vectorIndex, int scaleLog) {
      int mod = modRm >>> 6;
      int rm = modRm & 7;
      int from = at + opcodeEnd + 1;
      int general = addressClass() << Register.STRIDE_SHIFT;
      int base = general | rm | highBase;
      int index = NO_REGISTER;
      int low = rm;
      into.scale = 1;
      if (rm == 4) {
        int sib = code.u8(from++);
        low = sib & 7;
        base = general | low | highBase;
        into.scale = SCALES[sib >>> 6];
        int number = sib >>> 3 & 7 | highIndex;
        if (vectorIndex >= 0) {
          index = vectorIndex << Register.STRIDE_SHIFT | sib >>> 3 & 7 | highVectorIndex;
        } else if (number != 4) {
          index = general | number;
        }
      }
      int defaultSegment = DS;
      if (mod == 0 && low == 5) {
        base = NO_REGISTER;
        if (rm != 4 && wideCode) {
          base =
              RegisterClass.POINTER.ordinal() << Register.STRIDE_SHIFT
                  | (instruction.addressSize() == 64 ? 1 : 0);
        }
        into.displacement = code.i32(from);
      } else {
        int number = base & 31;
        if (number == SP || number == BP) {
          defaultSegment = SS;
        }
        into.displacement =
            switch (mod) {
              case 1 -> (long) (byte) code.u8(from) << scaleLog;
              case 2 -> code.i32(from);
              default -> 0;
            };
      }
      into.base = base;
      into.index = index;
      into.segment = segment(defaultSegment);
    }

    private void prefixes() {
      int has = lock ? InstructionPrefix.LOCK.bit() : 0;
      int attributes = into.attributes;
      if (simd != 0) {
        has |= repeats(attributes);
        if (simd == 3 && (attributes & FormRecords.BND) != 0) {
          has |= InstructionPrefix.BND.bit();
        }
      }
      if (branchHint != 0) {
        if ((attributes & FormRecords.HINT) != 0) {
          has |= (branchHint == 1 ? InstructionPrefix.NOT_TAKEN : InstructionPrefix.TAKEN).bit();
        }
        if ((attributes & FormRecords.NOTRACK) != 0 && branchHint == DS && segment < 4) {
          has |= InstructionPrefix.NOTRACK.bit();
        }
      }
      into.prefixes = has;
      into.segmentPrefix = segment;
    }

    private int repeats(int attributes) {
      if ((attributes & FormRecords.REPE) != 0) {
        return (simd == 3 ? InstructionPrefix.REPNE : InstructionPrefix.REPE).bit();
      }
      if ((attributes & FormRecords.REP) != 0) {
        return InstructionPrefix.REP.bit();
      }
      boolean memory = modRm < 0xC0;
      boolean xchg = opcode == 0x86 || opcode == 0x87;
      if (simd == 3 && (attributes & FormRecords.XACQUIRE) != 0 && memory && (lock || xchg)) {
        return InstructionPrefix.XACQUIRE.bit();
      }
      boolean mov = (attributes & FormRecords.XACQUIRE) == 0;
      if (simd == 2
          && (attributes & FormRecords.XRELEASE) != 0
          && memory
          && (lock || xchg || mov)) {
        return InstructionPrefix.XRELEASE.bit();
      }
      return 0;
    }
  }
}
