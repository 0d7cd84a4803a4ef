package io.ntrail.programs.x86.asm.operands;

/** What an instruction works on: a register, memory, a number, or a place to go to. */
public sealed interface AssemblerOperand
    permits RegisterOrMemory,
        XmmOrMemory,
        YmmOrMemory,
        RegisterOperand,
        Imm,
        FarPointer,
        Label,
        BranchTarget {}
