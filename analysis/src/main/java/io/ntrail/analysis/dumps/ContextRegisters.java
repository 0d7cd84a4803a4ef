package io.ntrail.analysis.dumps;

import io.ntrail.formats.dump.context.ContextKind;
import io.ntrail.formats.dump.context.ProcessorContext;
import io.ntrail.programs.unwind.FrameRegisters;
import java.util.Optional;

/** Registers of contexts in the form of unwinders. */
final class ContextRegisters {
  private static final int VECTORS = 16;

  private ContextRegisters() {}

  /**
   * Returns the registers that were saved; empty for architectures whose frames are not walked, and
   * where instruction pointer or stack pointer were not saved.
   */
  static Optional<FrameRegisters> of(ProcessorContext context) {
    if (context.kind() == ContextKind.ARM64 || context.ip().isEmpty() || context.sp().isEmpty()) {
      return Optional.empty();
    }
    boolean is64Bit = context.kind() == ContextKind.X64;
    FrameRegisters registers = is64Bit ? FrameRegisters.x64() : FrameRegisters.x86();
    registers.setIp(context.ip().getAsLong());
    for (int number = 0; number < registers.count(); number++) {
      int register = number;
      context.general(number).ifPresent(value -> registers.set(register, value));
    }
    if (is64Bit && context.hasVectors()) {
      for (int number = 0; number < VECTORS; number++) {
        registers.setVector(number, context.vectorLow(number), context.vectorHigh(number));
      }
    }
    return Optional.of(registers);
  }
}
