package io.ntrail.live.plan;

import io.ntrail.programs.x86.Effects;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.Operand;
import io.ntrail.programs.x86.OperandType;
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.PlainRegisters;
import io.ntrail.programs.x86.Register;
import io.ntrail.programs.x86.RegisterClass;
import java.util.Optional;

/**
 * Tracks the stack pointer and its copies through code: the distance of each above the address of
 * the return address.
 */
final class StackPointerTracker {
  private static final int RSP = 4;
  private static final int RBP = 5;
  private static final int SLOT = 8;

  /** Mask of the volatile registers, which calls change. */
  private static final int VOLATILE = 0x0F07;

  private final long[] above = new long[16];
  private int known;

  /** Clears all registers. */
  void begin() {
    known = 0;
  }

  /** Sets where a register points to. */
  void set(int register, long distance) {
    above[register] = distance;
    known |= 1 << register;
  }

  /** Sets where the stack pointer points to. */
  void stackPointer(long distance) {
    set(RSP, distance);
  }

  /** Clears what differs between paths through a function. */
  void resume() {
    known &= ~VOLATILE;
  }

  private boolean knows(int register) {
    return (known & 1 << register) != 0;
  }

  /**
   * Returns whether the stack pointer points to the return address, as at the beginning of a
   * function.
   */
  boolean isAtReturnAddress() {
    return knows(RSP) && above[RSP] == 0;
  }

  /** Returns whether nothing is known that points into the frame. */
  boolean isLost() {
    return (known & ~VOLATILE) == 0;
  }

  /**
   * Returns whether an instruction neither touches anything on the stack nor changes what is known
   * of it; false if that is not sure.
   */
  boolean isApart(Instruction instruction) {
    int registers = PlainRegisters.of(instruction);
    return registers >= 0 && (known & (registers | VOLATILE)) == 0;
  }

  /**
   * Returns whether an instruction touches the return address, or takes the address of its place.
   */
  boolean touches(Operands operands) {
    String mnemonic = operands.mnemonic();
    if (mnemonic.equals("pop") && isAtReturnAddress()) {
      return true;
    }
    int operand = operands.memoryOperand();
    if (operand < 0 || mnemonic.equals("nop")) {
      return false;
    }
    Operand.InMemory memory = operands.memory(operand);
    Optional<Long> distance = distance(memory);
    if (distance.isEmpty()) {
      return false;
    }
    if (mnemonic.equals("lea")) {
      return distance.get() == 0;
    }
    return distance.get() < SLOT && distance.get() + Math.max(1, memory.bytes()) > 0;
  }

  /** Returns how far an operand lies above the return address, if it is on the stack. */
  private Optional<Long> distance(Operand.InMemory memory) {
    if (memory.index().isPresent() || memory.base().isEmpty()) {
      return Optional.empty();
    }
    int base = number(memory.base().get());
    return base >= 0 && knows(base)
        ? Optional.of(above[base] + memory.displacement())
        : Optional.empty();
  }

  /** Returns the number of a 64-bit general register, or -1. */
  private static int number(Register register) {
    return register.type() == RegisterClass.GENERAL64 ? register.number() : -1;
  }

  private static int whole(Register register) {
    return number(register.whole());
  }

  /** Tracks an instruction. */
  void step(Instruction instruction, Operands operands) {
    String mnemonic = operands.mnemonic();
    switch (mnemonic) {
      case "push", "pushfq" -> above[RSP] -= SLOT;
      case "popfq" -> above[RSP] += SLOT;
      case "pop" -> {
        above[RSP] += SLOT;
        forgetOperand(operands, 0);
      }
      case "enter" -> known &= ~(1 << RSP | 1 << RBP);
      case "leave" -> {
        known = knows(RBP) ? known | 1 << RSP : known & ~(1 << RSP);
        above[RSP] = above[RBP] + SLOT;
        known &= ~(1 << RBP);
      }
      default -> other(mnemonic, instruction, operands);
    }
  }

  private void other(String mnemonic, Instruction instruction, Operands operands) {
    FlowClass flow = instruction.flowClass();
    if (flow == FlowClass.DIRECT_CALL || flow == FlowClass.INDIRECT_CALL) {
      known &= ~VOLATILE;
      return;
    }
    if (operands.count() >= 2 && operands.type(0) == OperandType.REGISTER) {
      computed(mnemonic, instruction, operands);
    } else if (operands.count() < 2 && (known & ~(1 << RSP)) != 0 && !isJump(mnemonic)) {
      forget(instruction, operands);
    }
  }

  /** Returns true for jumps, which write no register: nothing else begins so. */
  private static boolean isJump(String mnemonic) {
    return mnemonic.charAt(0) == 'j';
  }

  private void computed(String mnemonic, Instruction instruction, Operands operands) {
    Register to = operands.register(0);
    int register = number(to);
    Optional<Long> value = register < 0 ? Optional.empty() : value(mnemonic, register, operands);
    if (value.isPresent()) {
      set(register, value.get());
      return;
    }
    int written = whole(to);
    if (written >= 0 && knows(written)) {
      forget(instruction, operands);
    }
    if (mnemonic.equals("xchg") || mnemonic.equals("xadd")) {
      forgetOperand(operands, 1);
    }
  }

  /** Sets what a register points to afterwards, if that is on the stack. */
  private Optional<Long> value(String mnemonic, int register, Operands operands) {
    return switch (mnemonic) {
      case "lea" ->
          operands.type(1) == OperandType.MEMORY ? distance(operands.memory(1)) : Optional.empty();
      case "mov" -> {
        int from = operands.type(1) == OperandType.REGISTER ? number(operands.register(1)) : -1;
        yield from >= 0 && knows(from) ? Optional.of(above[from]) : Optional.empty();
      }
      case "add", "sub" -> {
        if (!knows(register) || operands.type(1) != OperandType.IMMEDIATE) {
          yield Optional.empty();
        }
        long by = operands.immediate(1);
        yield Optional.of(above[register] + (mnemonic.equals("add") ? by : -by));
      }
      default -> Optional.empty();
    };
  }

  private void forgetOperand(Operands operands, int operand) {
    if (operands.type(operand) == OperandType.REGISTER) {
      int register = whole(operands.register(operand));
      known &= register < 0 ? -1 : ~(1 << register);
    }
  }

  /** Clears the registers that an instruction writes. */
  private void forget(Instruction instruction, Operands operands) {
    for (Effects.RegisterUse use : Effects.of(instruction, operands).registers()) {
      int register = use.access().writes() ? whole(use.register()) : -1;
      // The stack pointer is moved by returns and the like, after which it does not matter.
      if (register >= 0 && (register != RSP || operands.count() >= 2)) {
        known &= ~(1 << register);
      }
    }
  }
}
