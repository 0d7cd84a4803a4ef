package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.RegisterOrMemory;

/** Branch instructions: jumps, calls, returns, loops. */
interface BranchInstructions extends Instructions {
  /** Appends a JMP in its shortest form that reaches. */
  default Assembler jmp(Label to) {
    return op("JMP", to);
  }

  /** In two bytes; refused by {@code assemble} if it does not reach. */
  default Assembler jmpShort(Label to) {
    return op("JMP", BranchTarget.of(to, 1));
  }

  /** In five bytes. */
  default Assembler jmpNear(Label to) {
    return op("JMP", BranchTarget.of(to, 4));
  }

  /** To an address outside, in five bytes. */
  default Assembler jmp(long to) {
    return op("JMP", BranchTarget.of(to, 4));
  }

  /** To an address outside, in two bytes. */
  default Assembler jmpShort(long to) {
    return op("JMP", BranchTarget.of(to, 1));
  }

  default Assembler jmp(RegisterOrMemory to) {
    return op("JMP", stackSized(to));
  }

  /** Appends a Jcc in its shortest form that reaches. */
  default Assembler j(Condition condition, Label to) {
    return op(condition.jump(), to);
  }

  /** In two bytes; refused by {@code assemble} if it does not reach. */
  default Assembler jShort(Condition condition, Label to) {
    return op(condition.jump(), BranchTarget.of(to, 1));
  }

  /** In six bytes. */
  default Assembler jNear(Condition condition, Label to) {
    return op(condition.jump(), BranchTarget.of(to, 4));
  }

  /** To an address outside, in six bytes. */
  default Assembler j(Condition condition, long to) {
    return op(condition.jump(), BranchTarget.of(to, 4));
  }

  default Assembler jo(Label to) {
    return j(Condition.O, to);
  }

  default Assembler jno(Label to) {
    return j(Condition.NO, to);
  }

  default Assembler jb(Label to) {
    return j(Condition.B, to);
  }

  default Assembler jc(Label to) {
    return j(Condition.B, to);
  }

  default Assembler jae(Label to) {
    return j(Condition.AE, to);
  }

  default Assembler jnc(Label to) {
    return j(Condition.AE, to);
  }

  default Assembler je(Label to) {
    return j(Condition.E, to);
  }

  default Assembler jz(Label to) {
    return j(Condition.E, to);
  }

  default Assembler jne(Label to) {
    return j(Condition.NE, to);
  }

  default Assembler jnz(Label to) {
    return j(Condition.NE, to);
  }

  default Assembler jbe(Label to) {
    return j(Condition.BE, to);
  }

  default Assembler ja(Label to) {
    return j(Condition.A, to);
  }

  default Assembler js(Label to) {
    return j(Condition.S, to);
  }

  default Assembler jns(Label to) {
    return j(Condition.NS, to);
  }

  default Assembler jp(Label to) {
    return j(Condition.P, to);
  }

  default Assembler jnp(Label to) {
    return j(Condition.NP, to);
  }

  default Assembler jl(Label to) {
    return j(Condition.L, to);
  }

  default Assembler jge(Label to) {
    return j(Condition.GE, to);
  }

  default Assembler jle(Label to) {
    return j(Condition.LE, to);
  }

  default Assembler jg(Label to) {
    return j(Condition.G, to);
  }

  default Assembler jrcxz(Label to) {
    return op("JRCXZ", to);
  }

  default Assembler jecxz(Label to) {
    return op("JECXZ", to);
  }

  default Assembler loop(Label to) {
    return op("LOOP", to);
  }

  default Assembler loope(Label to) {
    return op("LOOPE", to);
  }

  default Assembler loopne(Label to) {
    return op("LOOPNE", to);
  }

  default Assembler call(Label to) {
    return op("CALL", to);
  }

  /** An address outside. */
  default Assembler call(long to) {
    return op("CALL", BranchTarget.of(to, 4));
  }

  default Assembler call(RegisterOrMemory to) {
    return op("CALL", stackSized(to));
  }

  default Assembler ret() {
    return op("RET");
  }

  /** Takes so many bytes of arguments from the stack. */
  default Assembler ret(int bytes) {
    return op("RET", Imm.imm(bytes));
  }
}
