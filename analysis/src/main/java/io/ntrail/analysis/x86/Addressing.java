package io.ntrail.analysis.x86;

import io.ntrail.formats.bytes.Bytes;

/** Reads memory operands: the part of {@link OperandReader} that knows ModRM and SIB. */
final class Addressing {
  private static final int NO_REGISTER = -1;
  private static final int NONE = 16;
  private static final int SS = 2;
  private static final int DS = 3;
  private static final int SP = 4;
  private static final int BP = 5;
  private static final int[] SCALES = {1, 2, 4, 8};

  /** Base and index of 16-bit addresses, by rm. */
  private static final int[] BASES_16 = {3, 3, 5, 5, 6, 7, 5, 3};

  private static final int[] INDEXES_16 = {6, 7, 6, 7, NONE, NONE, NONE, NONE};
  private static final int SEGMENTS = RegisterClass.SEGMENT.ordinal() << Register.STRIDE_SHIFT;
  private static final int GENERAL16 = RegisterClass.GENERAL16.ordinal() << Register.STRIDE_SHIFT;
  private static final int POINTERS = RegisterClass.POINTER.ordinal() << Register.STRIDE_SHIFT;
  private static final byte IS_MEMORY = (byte) OperandType.MEMORY.ordinal();

  private final boolean wideCode;

  /** The first register of addresses, without and with 67. */
  private final int registers;

  private final int otherRegisters;

  Addressing(CodeSize size) {
    wideCode = size == CodeSize.BITS64;
    registers = first(size.bits());
    otherRegisters = first(size.bits() == 32 ? 16 : 32);
  }

  private static int first(int bits) {
    RegisterClass type =
        switch (bits) {
          case 16 -> RegisterClass.GENERAL16;
          case 32 -> RegisterClass.GENERAL32;
          default -> RegisterClass.GENERAL64;
        };
    return type.ordinal() << Register.STRIDE_SHIFT;
  }

  /** AX, EAX or RAX, by the address size. */
  int registers(Instruction instruction) {
    return instruction.addressSizePrefix ? otherRegisters : registers;
  }

  private static int segment(Operands into, int unlessSaid) {
    int said = into.prefixWord >>> OperandReader.SEGMENT_SHIFT & 7;
    return SEGMENTS | (said == 0 ? unlessSaid : said - 1);
  }

  private static int bytes(int word) {
    return word >>> FormRecords.MEMORY_SHIFT & FormRecords.MEMORY_MASK;
  }

  /** What ModRM names. */
  void memory(Instruction instruction, int i, int word, Operands into) {
    into.types[i] = IS_MEMORY;
    into.details[i] = 0;
    into.farPointer = (word & FormRecords.FAR) != 0;
    int bytes = bytes(word);
    int scaleLog = into.evex ? into.attributes & FormRecords.DISPLACEMENT_SCALE_MASK : 0;
    if (into.broadcastBit) {
      int element = into.attributes >>> FormRecords.BROADCAST_SHIFT & 3;
      into.broadcast = bytes >>> element;
      bytes = 1 << element;
      scaleLog = element;
    }
    into.memoryBytes = bytes;
    int general = registers(instruction);
    int from = instruction.at + instruction.opcodeEnd + 1;
    if (general == GENERAL16) {
      address16(instruction.bytes, from, scaleLog, into);
    } else {
      address(instruction.bytes, from, general, scaleLog, word, into);
    }
  }

  private static void address16(Bytes code, int from, int scaleLog, Operands into) {
    int mod = into.modRm >>> 6;
    int rm = into.modRm & 7;
    boolean alone = mod == 0 && rm == 6;
    into.base = alone ? NO_REGISTER : GENERAL16 | BASES_16[rm];
    into.index = INDEXES_16[rm] == NONE ? NO_REGISTER : GENERAL16 | INDEXES_16[rm];
    into.scale = 1;
    into.displacement =
        switch (alone ? 3 : mod) {
          case 0 -> 0;
          case 1 -> (long) (byte) code.u8(from) << scaleLog;
          case 2 -> (short) code.u16(from);
          default -> code.u16(from);
        };
    into.segment = segment(into, !alone && BASES_16[rm] == BP ? SS : DS);
  }

  private void address(Bytes code, int from, int general, int scaleLog, int word, Operands into) {
    int mod = into.modRm >>> 6;
    int rm = into.modRm & 7;
    int low = rm;
    int displacementAt = from;
    int index = NO_REGISTER;
    int scale = 1;
    if (rm == 4) {
      int sib = code.u8(from);
      displacementAt++;
      low = sib & 7;
      scale = SCALES[sib >>> 6];
      int number = sib >>> 3 & 7 | into.highIndex;
      if ((into.attributes & FormRecords.VECTOR_INDEX) != 0) {
        int type = word >>> FormRecords.CLASS_SHIFT & 31;
        index = type << Register.STRIDE_SHIFT | sib >>> 3 & 7 | into.highVectorIndex;
      } else if (number != SP) {
        index = general | number;
      }
    }
    into.index = index;
    into.scale = scale;
    if (mod == 0 && low == 5) {
      boolean relative = rm != 4 && wideCode;
      into.base = relative ? POINTERS | (general == registers ? 1 : 0) : NO_REGISTER;
      into.displacement = code.i32(displacementAt);
      into.segment = segment(into, DS);
      return;
    }
    int number = low | into.highBase;
    into.base = general | number;
    into.displacement =
        mod == 0
            ? 0
            : mod == 1
                ? (long) (byte) code.u8(displacementAt) << scaleLog
                : code.i32(displacementAt);
    into.segment = segment(into, number == SP || number == BP ? SS : DS);
  }

  /** The address that MOV to and from the accumulator has in the place of an immediate. */
  void offset(Instruction instruction, int i, int word, Operands into) {
    Bytes code = instruction.bytes;
    int from = instruction.at + into.immediateAt;
    into.displacement =
        switch (instruction.immediateSize()) {
          case 2 -> code.u16(from);
          case 4 -> code.u32(from);
          default -> code.i64(from);
        };
    into.base = NO_REGISTER;
    into.index = NO_REGISTER;
    into.scale = 1;
    into.segment = segment(into, DS);
    into.memoryBytes = bytes(word);
    into.set(i, OperandType.MEMORY, 0, 0);
  }

  /** Memory of string instructions. */
  void implied(Instruction instruction, int i, int word, Operands into) {
    int place = word & 15;
    int number = place == FormRecords.PLACE_BX ? 3 : place == FormRecords.PLACE_SI ? 6 : 7;
    int where = place == FormRecords.PLACE_ES_DI ? SEGMENTS : segment(into, DS);
    into.set(i, OperandType.MEMORY, bytes(word), where << 16 | registers(instruction) | number);
  }
}
