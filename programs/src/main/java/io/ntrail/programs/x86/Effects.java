package io.ntrail.programs.x86;

import java.util.List;

/**
 * Registers, memory and flags that an instruction reads and writes, explicitly or implicitly. The
 * instruction pointer and the effects of an exception are not included; registers may appear more
 * than once.
 *
 * @param registers registers; writing a 32-bit register in 64-bit code is writing all 64 bits
 * @param memory memory; the registers of the address are among the registers
 * @param flagsRead flags that it depends on
 * @param flagsWritten flags that the result decides
 * @param flagsCleared flags that are 0 afterwards
 * @param flagsSet flags that are 1 afterwards
 * @param flagsUndefined flags that the manuals leave undefined. Shifts whose count is 0 change no
 *     flags; that is not considered
 * @param x87Stack movement of the x87 stack. Registers have the names that they have before, but
 *     for the ST(0) that a push writes
 */
public record Effects(
    List<RegisterUse> registers,
    List<MemoryUse> memory,
    FlagSet flagsRead,
    FlagSet flagsWritten,
    FlagSet flagsCleared,
    FlagSet flagsSet,
    FlagSet flagsUndefined,
    X87Stack x87Stack) {

  /** A register, and what happens to it. */
  public record RegisterUse(Register register, Access access) {}

  /** Access to memory; of 0 bytes where the instruction does not determine the size. */
  public record MemoryUse(Operand.InMemory memory, Access access) {}

  /** Lists are copies and stay as they are. */
  public Effects {
    registers = List.copyOf(registers);
    memory = List.copyOf(memory);
  }

  /**
   * The effects of an instruction.
   *
   * @param operands what {@link OperandReader} read of it
   * @throws IllegalStateException if it is none
   */
  public static Effects of(Instruction instruction, Operands operands) {
    if (!instruction.isValid() || operands.count() == 0 && operands.form() == 0) {
      throw new IllegalStateException("no instruction");
    }
    return new EffectReader(instruction, operands).read();
  }
}
