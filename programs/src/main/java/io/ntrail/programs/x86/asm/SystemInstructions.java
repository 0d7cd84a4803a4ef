package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Gpr;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Mem;

/** Traps, fences, time, the state of the processor. */
interface SystemInstructions extends Instructions {
  default Assembler int3() {
    return op("INT3");
  }

  default Assembler ud2() {
    return op("UD2");
  }

  default Assembler nop() {
    return op("NOP");
  }

  default Assembler pause() {
    return op("PAUSE");
  }

  default Assembler hlt() {
    return op("HLT");
  }

  default Assembler cli() {
    return op("CLI");
  }

  default Assembler sti() {
    return op("STI");
  }

  default Assembler clc() {
    return op("CLC");
  }

  default Assembler stc() {
    return op("STC");
  }

  default Assembler cmc() {
    return op("CMC");
  }

  default Assembler rdtsc() {
    return op("RDTSC");
  }

  default Assembler rdtscp() {
    return op("RDTSCP");
  }

  default Assembler cpuid() {
    return op("CPUID");
  }

  default Assembler lfence() {
    return op("LFENCE");
  }

  default Assembler mfence() {
    return op("MFENCE");
  }

  default Assembler sfence() {
    return op("SFENCE");
  }

  default Assembler endbr64() {
    return op("ENDBR64");
  }

  default Assembler endbr32() {
    return op("ENDBR32");
  }

  default Assembler syscall() {
    return op("SYSCALL");
  }

  default Assembler sysenter() {
    return op("SYSENTER");
  }

  default Assembler xgetbv() {
    return op("XGETBV");
  }

  default Assembler interrupt(int number) {
    return op("INT", Imm.imm(number));
  }

  default Assembler fxsave(Mem area) {
    return op("FXSAVE", area);
  }

  default Assembler fxrstor(Mem area) {
    return op("FXRSTOR", area);
  }

  default Assembler fxsave64(Mem area) {
    return op("FXSAVE64", area);
  }

  default Assembler fxrstor64(Mem area) {
    return op("FXRSTOR64", area);
  }

  default Assembler xsave(Mem area) {
    return op("XSAVE", area);
  }

  default Assembler xrstor(Mem area) {
    return op("XRSTOR", area);
  }

  default Assembler xsave64(Mem area) {
    return op("XSAVE64", area);
  }

  default Assembler xrstor64(Mem area) {
    return op("XRSTOR64", area);
  }

  default Assembler fnstcw(Mem area) {
    return op("FNSTCW", area);
  }

  default Assembler fldcw(Mem area) {
    return op("FLDCW", area);
  }

  default Assembler stmxcsr(Mem area) {
    return op("STMXCSR", area);
  }

  default Assembler ldmxcsr(Mem area) {
    return op("LDMXCSR", area);
  }

  default Assembler rdfsbase(Gpr<?> register) {
    return op("RDFSBASE", register);
  }

  default Assembler rdgsbase(Gpr<?> register) {
    return op("RDGSBASE", register);
  }

  default Assembler wrfsbase(Gpr<?> register) {
    return op("WRFSBASE", register);
  }

  default Assembler wrgsbase(Gpr<?> register) {
    return op("WRGSBASE", register);
  }

  default Assembler rdrand(Gpr<?> register) {
    return op("RDRAND", register);
  }
}
