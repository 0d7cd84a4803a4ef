package io.ntrail.programs.x86.asm.operands;

/** A vector register of 128 bits, or memory. */
public sealed interface XmmOrMemory extends AssemblerOperand permits Xmm, Mem {}
