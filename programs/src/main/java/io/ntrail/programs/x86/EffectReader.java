package io.ntrail.programs.x86;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Computes the effects of one instruction from the effects of its form. */
final class EffectReader {
  private static final int FS = 4;
  private static final int CX = 1;
  private static final int STACK_SEGMENT = 2;

  private final Instruction instruction;
  private final Operands operands;
  private final boolean wideCode;
  private final boolean vector;
  private final boolean repeated;
  private final List<Effects.RegisterUse> registers = new ArrayList<>();
  private final List<Effects.MemoryUse> memory = new ArrayList<>();

  EffectReader(Instruction instruction, Operands operands) {
    this.instruction = instruction;
    this.operands = operands;
    this.wideCode = instruction.decoder.codeSize() == CodeSize.BITS64;
    this.vector = (operands.attributes & FormRecords.VECTOR) != 0;
    this.repeated =
        operands.has(InstructionPrefix.REP)
            || operands.has(InstructionPrefix.REPE)
            || operands.has(InstructionPrefix.REPNE);
  }

  Effects read() {
    FormRecords records = FormRecords.get();
    int[] table = records.effects;
    int at = records.forms[(operands.form() - 1) * FormRecords.WORDS + FormRecords.EFFECTS_WORD];
    int letters = table[at];
    boolean zero = (letters & FormRecords.SAME_IS_ZERO) != 0 && isSame();
    if (zero) {
      // The destination is the first of the two where there are only two operands.
      letters =
          FormRecords.ACCESS_NONE << 8 | FormRecords.ACCESS_NONE << 4 | Access.WRITE.ordinal();
    }
    boolean inMemory = operands.memoryOperand() >= 0;
    for (int i = 0; i < operands.count(); i++) {
      int letter = letters >>> 4 * i & 15;
      if (i == 0 && inMemory && (letters >>> 20 & 15) != 0) {
        letter = (letters >>> 20 & 15) - 1;
      }
      operand(i, letter);
    }
    mask();
    if (repeated) {
      use(general(addressBits(), CX), Access.READ_MAY_WRITE);
    }
    if ((operands.attributes & FormRecords.SEGMENT_UNSEEN) != 0) {
      readSegment(segment(0), false);
    }
    X87Stack stack = X87Stack.at(letters >>> FormRecords.X87_SHIFT & 7);
    int more = table[at + 4];
    for (int i = 0; i < more; i++) {
      beside(table[at + 5 + 2 * i], table[at + 6 + 2 * i]);
    }
    int read = table[at + 1] & 0xFFFF;
    int written = table[at + 1] >>> 16;
    int cleared = table[at + 2] & 0xFFFF;
    int set = table[at + 2] >>> 16;
    int undefined = table[at + 3];
    if (zero) {
      set = written & (Flag.ZERO.bit() | Flag.PARITY.bit());
      cleared |= written & ~set;
      written = 0;
    }
    if ((letters & FormRecords.COUNTED) != 0) {
      int count = count();
      if (count == 0) {
        read = 0;
        written = 0;
        undefined = 0;
      } else if (count == 1) {
        written |= undefined & Flag.OVERFLOW.bit();
        undefined &= ~Flag.OVERFLOW.bit();
      }
    }
    return new Effects(
        registers,
        memory,
        new FlagSet(read),
        new FlagSet(written),
        new FlagSet(cleared),
        new FlagSet(set),
        new FlagSet(undefined),
        stack);
  }

  /** Returns true if the last two operands are the same register. */
  private boolean isSame() {
    int last = operands.count() - 1;
    return operands.type(last) == OperandType.REGISTER
        && operands.type(last - 1) == OperandType.REGISTER
        && operands.register(last) == operands.register(last - 1);
  }

  /** Returns the shift count if the instruction has it; else -1. */
  private int count() {
    int last = operands.count() - 1;
    if (operands.type(last) != OperandType.IMMEDIATE) {
      return -1;
    }
    return (int) operands.immediate(last) & (instruction.operandSize() == 64 ? 63 : 31);
  }

  private void operand(int i, int letter) {
    boolean memoryOperand = operands.type(i) == OperandType.MEMORY;
    if (letter == FormRecords.ACCESS_NONE) {
      return;
    }
    if (memoryOperand) {
      memoryOperand(operands.memory(i), i, letter);
    } else if (operands.type(i) == OperandType.REGISTER) {
      Register register = operands.register(i);
      use(register, access(register, i, letter));
    }
  }

  private Access access(Register register, int i, int letter) {
    if (letter == FormRecords.ACCESS_MOVE) {
      // A conditional move to a 32-bit register clears the upper half in any case.
      boolean always = wideCode && register.type() == RegisterClass.GENERAL32;
      return always ? Access.READ_WRITE : Access.MAY_WRITE;
    }
    if (letter == FormRecords.ACCESS_SELECTED) {
      return Access.WRITE;
    }
    if (letter == FormRecords.ACCESS_ADDRESS) {
      return Access.READ;
    }
    Access access = Access.at(letter);
    boolean merging =
        operands.mask != 0
            && i == operands.masked
            && !operands.zeroing
            && register.type() != RegisterClass.MASK;
    if (!merging || !access.writes()) {
      return access;
    }
    // What is not selected stays; of smaller registers, what is above them becomes zero.
    return register.type() == RegisterClass.ZMM ? Access.READ_MAY_WRITE : Access.READ_WRITE;
  }

  private void memoryOperand(Operand.InMemory operand, int i, int letter) {
    operand.base().ifPresent(this::readAddress);
    operand.index().ifPresent(this::readAddress);
    if (letter == FormRecords.ACCESS_ADDRESS) {
      if ((operands.attributes & FormRecords.NO_SEGMENT) == 0) {
        readSegment(operand.segment(), false);
      }
      return;
    }
    boolean masked = operands.mask != 0 && i == operands.masked;
    Access access = Access.at(letter);
    boolean conditional = masked && access.writes() || repeated;
    readSegment(operand.segment(), repeated);
    memory.add(new Effects.MemoryUse(operand, conditional ? access.conditional() : access));
  }

  private void access(Operand.InMemory where, Access access) {
    readSegment(where.segment(), access == Access.MAY_READ || access == Access.MAY_WRITE);
    memory.add(new Effects.MemoryUse(where, access));
  }

  /** Segments matter where they have a base, which in 64-bit code only two have. */
  private void readSegment(Register segment, boolean maybe) {
    if (!wideCode || segment.number() >= FS) {
      add(segment, maybe ? Access.MAY_READ : Access.READ);
    }
  }

  private void readAddress(Register register) {
    if (register.type() != RegisterClass.POINTER && !repeated) {
      add(register, Access.READ);
    }
  }

  private void mask() {
    if (operands.mask != 0) {
      boolean consumed =
          (operands.attributes & FormRecords.VECTOR_INDEX) != 0 && operands.count == 2;
      Register mask = Register.of(RegisterClass.MASK, operands.mask);
      use(mask, consumed ? Access.READ_WRITE : Access.READ);
    }
  }

  private void add(Register register, Access access) {
    registers.add(new Effects.RegisterUse(register, access));
  }

  /** Notes a use; a write of a part that clears the rest is one of the whole. */
  private void use(Register register, Access access) {
    boolean clears =
        wideCode && register.type() == RegisterClass.GENERAL32
            || vector
                && (register.type() == RegisterClass.XMM
                    || register.type() == RegisterClass.YMM
                    || register.type() == RegisterClass.ZMM);
    boolean split = clears && register.whole() != register || repeated;
    if (!split || !access.writes()) {
      add(register, repeated && access == Access.READ ? Access.MAY_READ : access);
      return;
    }
    Register written = clears ? register.whole() : register;
    if (repeated && access != Access.READ_MAY_WRITE) {
      if (access.reads()) {
        add(register, Access.MAY_READ);
      }
      add(written, Access.MAY_WRITE);
    } else if (access == Access.READ_MAY_WRITE && repeated) {
      add(register, access);
    } else {
      if (access.reads()) {
        add(register, Access.READ);
      }
      boolean may = access == Access.MAY_WRITE || access == Access.READ_MAY_WRITE;
      add(written, may ? Access.MAY_WRITE : Access.WRITE);
    }
  }

  private int addressBits() {
    return instruction.addressSize();
  }

  private static Register general(int bits, int number) {
    return Register.of(
        switch (bits) {
          case 8 -> RegisterClass.GENERAL8;
          case 16 -> RegisterClass.GENERAL16;
          case 32 -> RegisterClass.GENERAL32;
          default -> RegisterClass.GENERAL64;
        },
        number);
  }

  private void beside(int what, int size) {
    Access access = Access.at(what & 7);
    int number = what >>> 12 & 31;
    int kind = what >>> 4 & 7;
    if (kind == FormRecords.KIND_GROUP) {
      group(number, access);
      return;
    }
    Register register =
        switch (kind) {
          case FormRecords.KIND_ADDRESS -> general(addressBits(), number);
          case FormRecords.KIND_OPERAND -> general(instruction.operandSize(), number);
          case FormRecords.KIND_CODE -> general(instruction.decoder.codeSize().bits(), number);
          case FormRecords.KIND_FIRST -> operands.register(0);
          default -> Register.of(RegisterClass.at(what >>> 7 & 31), number);
        };
    if ((what & FormRecords.BESIDE_MEMORY) == 0) {
      if (wideCode || register.number() < 8) {
        use(register, access);
      }
      return;
    }
    int unit = (what & FormRecords.BESIDE_UNITS) != 0 ? instruction.operandSize() / 8 : 1;
    int bytes = size & 0xFFFF;
    int segment = what >>> 17 & 3;
    access(
        new Operand.InMemory(
            bytes == FormRecords.OPERAND_BYTES ? instruction.operandSize() / 8 : bytes,
            segment(segment),
            Optional.of(register),
            Optional.empty(),
            1,
            (long) (size >> 16) * unit,
            0),
        access);
  }

  /** Returns a segment: 0 DS or that of a prefix, 1 ES, 2 SS. */
  private Register segment(int which) {
    int number =
        switch (which) {
          case 1 -> 0;
          case 2 -> STACK_SEGMENT;
          default -> operands.segmentPrefix >= 0 ? operands.segmentPrefix : 3;
        };
    return Register.of(RegisterClass.SEGMENT, number);
  }

  private void group(int which, Access access) {
    switch (which) {
      case FormRecords.GROUP_GENERAL -> {
        int count = wideCode ? 16 : 8;
        for (int i = 0; i < count; i++) {
          use(general(wideCode ? 64 : 32, i), access);
        }
      }
      case FormRecords.GROUP_SEGMENTS -> {
        for (int i = 0; i < RegisterClass.SEGMENT.count(); i++) {
          use(Register.of(RegisterClass.SEGMENT, i), access);
        }
      }
      case FormRecords.GROUP_VECTORS -> {
        int count = wideCode ? 16 : 8;
        for (int i = 0; i < count; i++) {
          use(Register.of(RegisterClass.XMM, i), access);
        }
      }
      case FormRecords.GROUP_PAIR -> neighbours(operands.register(0), 2, access);
      default -> neighbours(operands.register(1), 4, access);
    }
  }

  /** The other registers of an aligned group. */
  private void neighbours(Register named, int count, Access access) {
    int first = named.number() / count * count;
    for (int i = first; i < first + count; i++) {
      if (i != named.number()) {
        use(Register.of(named.type(), i), access);
      }
    }
  }
}
