package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.RegisterOrMemory;

/** Base of the interfaces with the instructions of one chapter each. */
interface Instructions {
  /** Writes an instruction. */
  Assembler op(String mnemonic, AssemblerOperand... operands);

  /** 32 or 64 bits. */
  CodeSize codeSize();

  /** Returns memory operands without a size with the width of the stack. */
  default RegisterOrMemory stackSized(RegisterOrMemory operand) {
    return operand instanceof Mem m && m.bits() == 0 ? m.as(codeSize().bits()) : operand;
  }
}
