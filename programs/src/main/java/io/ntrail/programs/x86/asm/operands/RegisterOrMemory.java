package io.ntrail.programs.x86.asm.operands;

/** The operand that most instructions have one of: a general register or memory. */
public sealed interface RegisterOrMemory extends AssemblerOperand permits Gpr, Mem {}
