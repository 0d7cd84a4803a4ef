package io.ntrail.programs.x86.asm.operands;

/** A vector register of 256 bits, or memory. */
public sealed interface YmmOrMemory extends AssemblerOperand permits Ymm, Mem {}
