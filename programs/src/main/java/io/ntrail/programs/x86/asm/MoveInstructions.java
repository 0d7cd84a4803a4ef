package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Gpr;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg64;
import io.ntrail.programs.x86.asm.operands.RegisterOrMemory;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;

/** Moves between registers, memory and the stack. */
interface MoveInstructions extends Instructions {
  default <R extends Gpr<R>> Assembler mov(R to, R from) {
    return op("MOV", to, from);
  }

  default Assembler mov(Gpr<?> to, Mem from) {
    return op("MOV", to, from);
  }

  default Assembler mov(Mem to, Gpr<?> from) {
    return op("MOV", to, from);
  }

  default Assembler mov(RegisterOrMemory to, long value) {
    return mov(to, Imm.imm(value));
  }

  default Assembler mov(RegisterOrMemory to, Imm value) {
    return op("MOV", to, value);
  }

  /** The address of a label, in full. */
  default Assembler mov(RegisterOrMemory to, Label label) {
    return mov(to, Imm.address(label));
  }

  /** Appends a MOV; the whole register is written, whatever its width. */
  default Assembler mov(RegisterOrMemory to, SegmentRegister from) {
    return op("MOV", to instanceof Reg64 r ? r.low() : to, from);
  }

  /** With the 32-bit form: the other differs by a prefix that changes nothing. */
  default Assembler mov(SegmentRegister to, Reg16 from) {
    return op("MOV", to, from.wide());
  }

  default Assembler mov(SegmentRegister to, Mem from) {
    return op("MOV", to, from);
  }

  default Assembler movzx(Gpr<?> to, RegisterOrMemory from) {
    return op("MOVZX", to, from);
  }

  default Assembler movsx(Gpr<?> to, RegisterOrMemory from) {
    return op("MOVSX", to, from);
  }

  default Assembler movsxd(Gpr<?> to, RegisterOrMemory from) {
    return op("MOVSXD", to, from);
  }

  default Assembler lea(Gpr<?> to, Mem from) {
    return op("LEA", to, from);
  }

  default Assembler push(RegisterOrMemory what) {
    return op("PUSH", stackSized(what));
  }

  default Assembler push(SegmentRegister what) {
    return op("PUSH", what);
  }

  default Assembler pop(RegisterOrMemory what) {
    return op("POP", stackSized(what));
  }

  default Assembler pop(SegmentRegister what) {
    return op("POP", what);
  }

  default Assembler push(long value) {
    return op("PUSH", Imm.imm(value));
  }

  default Assembler push(Imm value) {
    return op("PUSH", value);
  }

  /** The address of a label; 32-bit code only. */
  default Assembler push(Label label) {
    return op("PUSH", Imm.address(label));
  }

  /** One byte shorter where one of the two is the accumulator, of more than 8 bits. */
  default <R extends Gpr<R>> Assembler xchg(R a, R b) {
    return b.number() == 0 && b.bits() > 8 ? op("XCHG", a, b) : op("XCHG", b, a);
  }

  default Assembler xchg(Mem a, Gpr<?> b) {
    return op("XCHG", a, b);
  }

  default Assembler xchg(Gpr<?> a, Mem b) {
    return op("XCHG", b, a);
  }

  default <R extends Gpr<R>> Assembler xadd(R to, R from) {
    return op("XADD", to, from);
  }

  default Assembler xadd(Mem to, Gpr<?> from) {
    return op("XADD", to, from);
  }

  default <R extends Gpr<R>> Assembler cmpxchg(R to, R from) {
    return op("CMPXCHG", to, from);
  }

  default Assembler cmpxchg(Mem to, Gpr<?> from) {
    return op("CMPXCHG", to, from);
  }

  default Assembler cmpxchg8b(Mem what) {
    return op("CMPXCHG8B", what);
  }

  default Assembler cmpxchg16b(Mem what) {
    return op("CMPXCHG16B", what);
  }

  default Assembler cmov(Condition condition, Gpr<?> to, RegisterOrMemory from) {
    return op(condition.move(), to, from);
  }

  default Assembler bswap(Gpr<?> what) {
    return op("BSWAP", what);
  }

  default Assembler pushfq() {
    return op("PUSHFQ");
  }

  default Assembler popfq() {
    return op("POPFQ");
  }

  default Assembler pushfd() {
    return op("PUSHFD");
  }

  default Assembler popfd() {
    return op("POPFD");
  }

  default Assembler pushad() {
    return op("PUSHAD");
  }

  default Assembler popad() {
    return op("POPAD");
  }

  default Assembler leave() {
    return op("LEAVE");
  }

  default Assembler sahf() {
    return op("SAHF");
  }

  default Assembler lahf() {
    return op("LAHF");
  }

  default Assembler enter(int bytes, int level) {
    return op("ENTER", Imm.imm(bytes), Imm.imm(level));
  }
}
