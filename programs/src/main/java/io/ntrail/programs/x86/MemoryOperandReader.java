package io.ntrail.programs.x86;

import io.ntrail.formats.bytes.Bytes;

/** Reads memory operands: the part of {@link OperandReader} that knows ModRM and SIB. */
final class MemoryOperandReader {
  private static final int NO_REGISTER = -1;
  private static final int NONE = 16;
  private static final int SS = 2;
  private static final int DS = 3;
  private static final int SP = 4;
  private static final int BP = 5;

  /** Base and index of 16-bit addresses, by rm. */
  private static final int[] BASES_16 = {3, 3, 5, 5, 6, 7, 5, 3};

  private static final int[] INDEXES_16 = {6, 7, 6, 7, NONE, NONE, NONE, NONE};
  private static final int SEGMENTS = RegisterClass.SEGMENT.ordinal() << Register.STRIDE_SHIFT;
  private static final int GENERAL16 = RegisterClass.GENERAL16.ordinal() << Register.STRIDE_SHIFT;
  private static final int POINTERS = RegisterClass.POINTER.ordinal() << Register.STRIDE_SHIFT;
  private static final int IS_MEMORY = OperandType.MEMORY.ordinal();

  // What bases are asked by: a register number, and these.
  private static final int KEY_WITHOUT_DISPLACEMENT = 16;
  private static final int KEY_SIB = 32;
  private static final int KEY_67 = 64;

  /** A SIB byte that is equivalent to none: no index, scaled by one. */
  private static final int NO_SIB = SP << 3;

  private final boolean wideCode;

  /** The first register of addresses, without and with 67. */
  private final int registers;

  private final int otherRegisters;

  /** By the key: the base in the lower half, or -1; in the upper half its segment. */
  private final int[] bases = new int[2 * KEY_67];

  /** By the number and whether there is 67: the index, or -1. */
  private final int[] indexes = new int[32];

  MemoryOperandReader(CodeSize size) {
    wideCode = size == CodeSize.BITS64;
    registers = first(size.bits());
    otherRegisters = first(size.bits() == 32 ? 16 : 32);
    for (int key = 0; key < bases.length; key++) {
      bases[key] = base(key);
    }
    for (int i = 0; i < indexes.length; i++) {
      int number = i & 15;
      indexes[i] = number == SP ? NO_REGISTER : (i < 16 ? registers : otherRegisters) | number;
    }
  }

  private int base(int key) {
    int number = key & 15;
    int general = key < KEY_67 ? registers : otherRegisters;
    if ((key & KEY_WITHOUT_DISPLACEMENT) != 0 && (key & 7) == BP) {
      boolean relative = (key & KEY_SIB) == 0 && wideCode;
      int base = relative ? POINTERS | (key < KEY_67 ? 1 : 0) : NO_REGISTER;
      return (SEGMENTS | DS) << 16 | base & 0xFFFF;
    }
    int segment = number == SP || number == BP ? SS : DS;
    return (SEGMENTS | segment) << 16 | general | number;
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

  private static int segment(int prefixes, int unlessSaid) {
    int said = prefixes >>> OperandReader.SEGMENT_SHIFT & 7;
    return said == 0 ? unlessSaid : SEGMENTS | said - 1;
  }

  private static int bytes(int word) {
    return word >>> FormRecords.MEMORY_SHIFT & FormRecords.MEMORY_MASK;
  }

  /** Reads the memory operand of ModRM. */
  void memory(
      Instruction instruction, int operand, int word, long last, int prefixes, Operands into) {
    into.types |= IS_MEMORY << 3 * operand;
    into.details[operand] = 0;
    into.farPointer = (word & FormRecords.FAR) != 0;
    into.memoryBytes = bytes(word);
    if (!wideCode && registers(instruction) == GENERAL16) {
      address16(instruction, prefixes, into);
    } else {
      address(instruction, last, prefixes, into);
      if ((into.attributes & FormRecords.VECTOR_INDEX) != 0) {
        vectorIndex(instruction, word, into);
      }
    }
    if (into.evex) {
      compressed(instruction, into);
    }
  }

  /** EVEX: one element for all, and displacements of a byte that count units. */
  private static void compressed(Instruction instruction, Operands into) {
    int scaleLog = into.attributes & FormRecords.DISPLACEMENT_SCALE_MASK;
    if (into.broadcastBit) {
      int element = into.attributes >>> FormRecords.BROADCAST_SHIFT & 3;
      into.broadcast = into.memoryBytes >>> element;
      into.memoryBytes = 1 << element;
      scaleLog = element;
    }
    if (instruction.displacementSize() == 1) {
      into.displacement <<= scaleLog;
    }
  }

  private static void address16(Instruction instruction, int prefixes, Operands into) {
    Bytes code = instruction.bytes;
    int from = instruction.at + instruction.opcodeEnd + 1;
    int mod = instruction.modRm() >>> 6;
    int rm = instruction.modRm() & 7;
    boolean alone = mod == 0 && rm == 6;
    into.base = alone ? NO_REGISTER : GENERAL16 | BASES_16[rm];
    into.index = INDEXES_16[rm] == NONE ? NO_REGISTER : GENERAL16 | INDEXES_16[rm];
    into.scale = 1;
    into.displacement =
        switch (alone ? 3 : mod) {
          case 0 -> 0;
          case 1 -> (byte) code.u8(from);
          case 2 -> (short) code.u16(from);
          default -> code.u16(from);
        };
    into.segment = segment(prefixes, SEGMENTS | (!alone && BASES_16[rm] == BP ? SS : DS));
  }

  /**
   * Reads an address. As with registers, there is no branch on properties that half of all
   * addresses have.
   */
  private void address(Instruction instruction, long last, int prefixes, Operands into) {
    int modRm = instruction.modRm();
    int low = modRm & 7;
    int hasSib = 1 << SP >>> low & 1;
    int sib = instruction.sib() & -hasSib | (NO_SIB | low) & hasSib - 1;
    int other = (prefixes & Instruction.ADDRESS_SIZE) / Instruction.ADDRESS_SIZE;
    int key =
        sib & 7
            | (prefixes & Instruction.REX_B) << 3
            | (modRm < 0x40 ? KEY_WITHOUT_DISPLACEMENT : 0)
            | hasSib * KEY_SIB
            | other * KEY_67;
    int base = bases[key];
    into.base = (short) base;
    into.segment = segment(prefixes, base >>> 16);
    int high = (prefixes & Instruction.REX_X) << 2 & -hasSib;
    into.index = indexes[sib >>> 3 & 7 | high | other << 4];
    into.scale = 1 << (sib >>> 6);
    int immediate = instruction.immediateSize();
    int size = instruction.length() - immediate - instruction.opcodeEnd - 1 - hasSib;
    // Shifting by 64 would do nothing.
    long there = -size >> 31;
    into.displacement = last << 8 * immediate >> 64 - 8 * size & there;
  }

  private static void vectorIndex(Instruction instruction, int word, Operands into) {
    int sib = instruction.sib();
    int type = word >>> FormRecords.CLASS_SHIFT & 31;
    into.index = type << Register.STRIDE_SHIFT | sib >>> 3 & 7 | into.highVectorIndex;
  }

  /** The address that MOV to and from the accumulator has in the place of an immediate. */
  void offset(Instruction instruction, int from, int i, int word, int prefixes, Operands into) {
    Bytes code = instruction.bytes;
    into.displacement =
        switch (instruction.immediateSize()) {
          case 2 -> code.u16(from);
          case 4 -> code.u32(from);
          default -> code.i64(from);
        };
    into.base = NO_REGISTER;
    into.index = NO_REGISTER;
    into.scale = 1;
    into.segment = segment(prefixes, SEGMENTS | DS);
    into.memoryBytes = bytes(word);
    into.farPointer = false;
    into.set(i, OperandType.MEMORY, 0, 0);
  }

  /** Memory of string instructions. */
  void implied(Instruction instruction, int i, int word, int prefixes, Operands into) {
    int place = word & 15;
    int number = place == FormRecords.PLACE_BX ? 3 : place == FormRecords.PLACE_SI ? 6 : 7;
    int where = place == FormRecords.PLACE_ES_DI ? SEGMENTS : segment(prefixes, SEGMENTS | DS);
    into.set(i, OperandType.MEMORY, bytes(word), where << 16 | registers(instruction) | number);
  }
}
