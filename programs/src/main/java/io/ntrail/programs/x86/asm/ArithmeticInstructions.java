package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Gpr;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.RegisterOrMemory;

/** Arithmetic, comparisons, sign extension of the accumulator. */
interface ArithmeticInstructions extends Instructions {
  default <R extends Gpr<R>> Assembler add(R to, R from) {
    return op("ADD", to, from);
  }

  default Assembler add(Gpr<?> to, Mem from) {
    return op("ADD", to, from);
  }

  default Assembler add(Mem to, Gpr<?> from) {
    return op("ADD", to, from);
  }

  default Assembler add(RegisterOrMemory to, long value) {
    return op("ADD", to, Imm.imm(value));
  }

  default Assembler add(RegisterOrMemory to, Imm value) {
    return op("ADD", to, value);
  }

  default <R extends Gpr<R>> Assembler or(R to, R from) {
    return op("OR", to, from);
  }

  default Assembler or(Gpr<?> to, Mem from) {
    return op("OR", to, from);
  }

  default Assembler or(Mem to, Gpr<?> from) {
    return op("OR", to, from);
  }

  default Assembler or(RegisterOrMemory to, long value) {
    return op("OR", to, Imm.imm(value));
  }

  default Assembler or(RegisterOrMemory to, Imm value) {
    return op("OR", to, value);
  }

  default <R extends Gpr<R>> Assembler adc(R to, R from) {
    return op("ADC", to, from);
  }

  default Assembler adc(Gpr<?> to, Mem from) {
    return op("ADC", to, from);
  }

  default Assembler adc(Mem to, Gpr<?> from) {
    return op("ADC", to, from);
  }

  default Assembler adc(RegisterOrMemory to, long value) {
    return op("ADC", to, Imm.imm(value));
  }

  default Assembler adc(RegisterOrMemory to, Imm value) {
    return op("ADC", to, value);
  }

  default <R extends Gpr<R>> Assembler sbb(R to, R from) {
    return op("SBB", to, from);
  }

  default Assembler sbb(Gpr<?> to, Mem from) {
    return op("SBB", to, from);
  }

  default Assembler sbb(Mem to, Gpr<?> from) {
    return op("SBB", to, from);
  }

  default Assembler sbb(RegisterOrMemory to, long value) {
    return op("SBB", to, Imm.imm(value));
  }

  default Assembler sbb(RegisterOrMemory to, Imm value) {
    return op("SBB", to, value);
  }

  default <R extends Gpr<R>> Assembler and(R to, R from) {
    return op("AND", to, from);
  }

  default Assembler and(Gpr<?> to, Mem from) {
    return op("AND", to, from);
  }

  default Assembler and(Mem to, Gpr<?> from) {
    return op("AND", to, from);
  }

  default Assembler and(RegisterOrMemory to, long value) {
    return op("AND", to, Imm.imm(value));
  }

  default Assembler and(RegisterOrMemory to, Imm value) {
    return op("AND", to, value);
  }

  default <R extends Gpr<R>> Assembler sub(R to, R from) {
    return op("SUB", to, from);
  }

  default Assembler sub(Gpr<?> to, Mem from) {
    return op("SUB", to, from);
  }

  default Assembler sub(Mem to, Gpr<?> from) {
    return op("SUB", to, from);
  }

  default Assembler sub(RegisterOrMemory to, long value) {
    return op("SUB", to, Imm.imm(value));
  }

  default Assembler sub(RegisterOrMemory to, Imm value) {
    return op("SUB", to, value);
  }

  default <R extends Gpr<R>> Assembler xor(R to, R from) {
    return op("XOR", to, from);
  }

  default Assembler xor(Gpr<?> to, Mem from) {
    return op("XOR", to, from);
  }

  default Assembler xor(Mem to, Gpr<?> from) {
    return op("XOR", to, from);
  }

  default Assembler xor(RegisterOrMemory to, long value) {
    return op("XOR", to, Imm.imm(value));
  }

  default Assembler xor(RegisterOrMemory to, Imm value) {
    return op("XOR", to, value);
  }

  default <R extends Gpr<R>> Assembler cmp(R to, R from) {
    return op("CMP", to, from);
  }

  default Assembler cmp(Gpr<?> to, Mem from) {
    return op("CMP", to, from);
  }

  default Assembler cmp(Mem to, Gpr<?> from) {
    return op("CMP", to, from);
  }

  default Assembler cmp(RegisterOrMemory to, long value) {
    return op("CMP", to, Imm.imm(value));
  }

  default Assembler cmp(RegisterOrMemory to, Imm value) {
    return op("CMP", to, value);
  }

  default <R extends Gpr<R>> Assembler test(R a, R b) {
    return op("TEST", a, b);
  }

  default Assembler test(Mem a, Gpr<?> b) {
    return op("TEST", a, b);
  }

  default Assembler test(Gpr<?> a, Mem b) {
    return op("TEST", b, a);
  }

  default Assembler test(RegisterOrMemory a, long value) {
    return op("TEST", a, Imm.imm(value));
  }

  default Assembler test(RegisterOrMemory a, Imm value) {
    return op("TEST", a, value);
  }

  default Assembler inc(RegisterOrMemory what) {
    return op("INC", what);
  }

  default Assembler dec(RegisterOrMemory what) {
    return op("DEC", what);
  }

  default Assembler neg(RegisterOrMemory what) {
    return op("NEG", what);
  }

  default Assembler not(RegisterOrMemory what) {
    return op("NOT", what);
  }

  default Assembler mul(RegisterOrMemory what) {
    return op("MUL", what);
  }

  default Assembler imul(RegisterOrMemory what) {
    return op("IMUL", what);
  }

  default Assembler div(RegisterOrMemory what) {
    return op("DIV", what);
  }

  default Assembler idiv(RegisterOrMemory what) {
    return op("IDIV", what);
  }

  default Assembler imul(Gpr<?> to, RegisterOrMemory from) {
    return op("IMUL", to, from);
  }

  default Assembler imul(Gpr<?> to, RegisterOrMemory from, long value) {
    return op("IMUL", to, from, Imm.imm(value));
  }

  default Assembler imul(Gpr<?> to, RegisterOrMemory from, Imm value) {
    return op("IMUL", to, from, value);
  }

  default Assembler cbw() {
    return op("CBW");
  }

  default Assembler cwde() {
    return op("CWDE");
  }

  default Assembler cdqe() {
    return op("CDQE");
  }

  default Assembler cwd() {
    return op("CWD");
  }

  default Assembler cdq() {
    return op("CDQ");
  }

  default Assembler cqo() {
    return op("CQO");
  }
}
