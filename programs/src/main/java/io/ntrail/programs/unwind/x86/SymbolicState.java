package io.ntrail.programs.unwind.x86;

import static io.ntrail.programs.unwind.FrameRegisters.AX;
import static io.ntrail.programs.unwind.FrameRegisters.BP;
import static io.ntrail.programs.unwind.FrameRegisters.CX;
import static io.ntrail.programs.unwind.FrameRegisters.DX;
import static io.ntrail.programs.unwind.FrameRegisters.SP;

import io.ntrail.programs.x86.Effects;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.Operand;
import io.ntrail.programs.x86.OperandType;
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.Register;
import io.ntrail.programs.x86.RegisterClass;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** General registers and words of the stack on a walk through code. */
final class SymbolicState {
  private static final int SLOT = 4;
  private static final SymbolicValue UNKNOWN = SymbolicValue.UNKNOWN;

  private final SymbolicValue[] registers;

  /** Words that were written on the way, by address. */
  private final Map<SymbolicValue, SymbolicValue> written;

  /** Values of the stack pointer that were not known, so far. */
  private int opaque;

  private SymbolicState(
      SymbolicValue[] registers, Map<SymbolicValue, SymbolicValue> written, int opaque) {
    this.registers = registers;
    this.written = written;
    this.opaque = opaque;
  }

  /** Returns the state in which every register has the value that it has. */
  static SymbolicState initial() {
    SymbolicValue[] registers = new SymbolicValue[8];
    for (int i = 0; i < registers.length; i++) {
      registers[i] = SymbolicValue.of(i);
    }
    return new SymbolicState(registers, new HashMap<>(), 0);
  }

  SymbolicState copy() {
    return new SymbolicState(registers.clone(), new HashMap<>(written), opaque);
  }

  SymbolicValue get(int register) {
    return registers[register];
  }

  /**
   * Sets a register. A stack pointer that is not known gets a name, so that what is pushed can be
   * popped.
   */
  void set(int register, SymbolicValue value) {
    registers[register] =
        register == SP && !value.isSum()
            ? new SymbolicValue(SymbolicValue.Kind.SUM, SymbolicValue.FIRST_OPAQUE + opaque++, 0)
            : value;
  }

  void push(SymbolicValue value) {
    set(SP, get(SP).plus(-SLOT));
    store(get(SP), value);
  }

  SymbolicValue pop() {
    SymbolicValue value = load(get(SP));
    set(SP, get(SP).plus(SLOT));
    return value;
  }

  private void store(SymbolicValue address, SymbolicValue value) {
    if (address.isSum()) {
      written.put(address, value);
    }
  }

  /** Returns the word at an address, as far as is known. */
  SymbolicValue load(SymbolicValue address) {
    SymbolicValue value = written.get(address);
    return value != null ? value : address.word();
  }

  /**
   * Returns where the value that a register had at first was stored, as an offset from where the
   * stack pointer was at first; empty if nowhere.
   */
  OptionalInt savedAt(int register) {
    SymbolicValue first = SymbolicValue.of(register);
    return written.entrySet().stream()
        .filter(word -> word.getValue().equals(first) && word.getKey().base() == SP)
        .mapToInt(word -> word.getKey().offset())
        .max();
  }

  /** Makes the registers unknown that a call may change. */
  void forgetVolatile() {
    set(AX, SymbolicValue.UNKNOWN);
    set(CX, SymbolicValue.UNKNOWN);
    set(DX, SymbolicValue.UNKNOWN);
  }

  /** Applies an instruction that continues with the next one. */
  void apply(Instruction instruction, Operands operands) {
    switch (operands.mnemonic()) {
      case "push" -> push(value(operands, 0));
      case "pop" -> pop(operands);
      case "leave" -> {
        set(SP, get(BP));
        set(BP, pop());
      }
      case "mov" -> move(operands, value(operands, 1));
      case "lea" -> move(operands, address(operands.memory(1)));
      case "add" -> add(operands, 1);
      case "sub" -> add(operands, -1);
      case "pushad" -> {
        for (int i = 0; i < registers.length; i++) {
          push(SymbolicValue.UNKNOWN);
        }
      }
      case "popad" -> {
        SymbolicValue top = get(SP);
        forgetAll();
        set(SP, top.plus(SLOT * registers.length));
      }
      case "pushfd" -> push(SymbolicValue.UNKNOWN);
      case "popfd" -> pop();
      default -> forgetWritten(instruction, operands);
    }
  }

  private void forgetAll() {
    for (int i = 0; i < registers.length; i++) {
      set(i, SymbolicValue.UNKNOWN);
    }
  }

  private void pop(Operands operands) {
    SymbolicValue value = pop();
    if (general(operands, 0) >= 0) {
      set(general(operands, 0), value);
    }
  }

  private void move(Operands operands, SymbolicValue value) {
    if (operands.type(0) == OperandType.REGISTER) {
      writeRegister(operands.register(0), value);
    } else if (operands.type(0) == OperandType.MEMORY) {
      store(address(operands.memory(0)), operands.memory(0).bytes() == SLOT ? value : UNKNOWN);
    }
  }

  private void add(Operands operands, int sign) {
    int register = general(operands, 0);
    if (register >= 0 && operands.type(1) == OperandType.IMMEDIATE) {
      set(register, get(register).plus(sign * (int) operands.immediate(1)));
    } else {
      move(operands, UNKNOWN);
    }
  }

  private void writeRegister(Register register, SymbolicValue value) {
    if (register.type() == RegisterClass.GENERAL32) {
      set(register.number(), value);
    } else if (register.whole().type() == RegisterClass.GENERAL64) {
      set(register.whole().number() & 7, UNKNOWN);
    }
  }

  private void forgetWritten(Instruction instruction, Operands operands) {
    if (operands.form() == 0) {
      forgetAll();
      return;
    }
    Effects effects = Effects.of(instruction, operands);
    for (Effects.RegisterUse use : effects.registers()) {
      if (use.access().writes()) {
        writeRegister(use.register(), UNKNOWN);
      }
    }
    for (Effects.MemoryUse use : effects.memory()) {
      if (use.access().writes()) {
        store(address(use.memory()), UNKNOWN);
      }
    }
  }

  /** Returns the number of a 32-bit register, or -1. */
  private static int general(Operands operands, int operand) {
    return operands.type(operand) == OperandType.REGISTER
            && operands.register(operand).type() == RegisterClass.GENERAL32
        ? operands.register(operand).number()
        : -1;
  }

  private SymbolicValue value(Operands operands, int operand) {
    if (general(operands, operand) >= 0) {
      return get(general(operands, operand));
    }
    if (operands.type(operand) == OperandType.MEMORY && operands.memory(operand).bytes() == SLOT) {
      return load(address(operands.memory(operand)));
    }
    return UNKNOWN;
  }

  /** Returns the address of an operand in memory. */
  SymbolicValue address(Operand.InMemory memory) {
    Optional<Register> base = memory.base();
    if (base.isEmpty()
        || memory.index().isPresent()
        || base.get().type() != RegisterClass.GENERAL32
        || memory.segment().number() >= 4) {
      return UNKNOWN;
    }
    return get(base.get().number()).plus((int) memory.displacement());
  }
}
