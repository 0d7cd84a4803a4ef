package io.ntrail.programs.x86.asm.operands;

/** An operand of an instruction: a register, memory, a number, or the target of a branch. */
public sealed interface AssemblerOperand
    permits RegisterOrMemory,
        XmmOrMemory,
        YmmOrMemory,
        RegisterOperand,
        Imm,
        FarPointer,
        Label,
        BranchTarget {}
