package io.ntrail.programs.x86.asm;

/** What an instruction works on: a register, memory, a number, or a place to go to. */
public sealed interface Operand
    permits RegisterOrMemory, XmmOrMemory, YmmOrMemory, Register, Imm, FarPointer, Label, Target {}
