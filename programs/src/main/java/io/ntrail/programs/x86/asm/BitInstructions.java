package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Gpr;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg8;
import io.ntrail.programs.x86.asm.operands.RegisterOrMemory;

/** Shifts, rotations, single bits, conditions as numbers. */
interface BitInstructions extends Instructions {
  default Assembler rol(RegisterOrMemory what, int count) {
    return op("ROL", what, count(what, count));
  }

  default Assembler rol(RegisterOrMemory what, Reg8 cl) {
    return op("ROL", what, cl);
  }

  default Assembler ror(RegisterOrMemory what, int count) {
    return op("ROR", what, count(what, count));
  }

  default Assembler ror(RegisterOrMemory what, Reg8 cl) {
    return op("ROR", what, cl);
  }

  default Assembler rcl(RegisterOrMemory what, int count) {
    return op("RCL", what, count(what, count));
  }

  default Assembler rcl(RegisterOrMemory what, Reg8 cl) {
    return op("RCL", what, cl);
  }

  default Assembler rcr(RegisterOrMemory what, int count) {
    return op("RCR", what, count(what, count));
  }

  default Assembler rcr(RegisterOrMemory what, Reg8 cl) {
    return op("RCR", what, cl);
  }

  default Assembler shl(RegisterOrMemory what, int count) {
    return op("SHL", what, count(what, count));
  }

  default Assembler shl(RegisterOrMemory what, Reg8 cl) {
    return op("SHL", what, cl);
  }

  default Assembler shr(RegisterOrMemory what, int count) {
    return op("SHR", what, count(what, count));
  }

  default Assembler shr(RegisterOrMemory what, Reg8 cl) {
    return op("SHR", what, cl);
  }

  default Assembler sar(RegisterOrMemory what, int count) {
    return op("SAR", what, count(what, count));
  }

  default Assembler sar(RegisterOrMemory what, Reg8 cl) {
    return op("SAR", what, cl);
  }

  default <R extends Gpr<R>> Assembler bt(R what, R bit) {
    return op("BT", what, bit);
  }

  default Assembler bt(Mem what, Gpr<?> bit) {
    return op("BT", what, bit);
  }

  default Assembler bt(RegisterOrMemory what, int bit) {
    return op("BT", what, bit(what, bit));
  }

  default <R extends Gpr<R>> Assembler bts(R what, R bit) {
    return op("BTS", what, bit);
  }

  default Assembler bts(Mem what, Gpr<?> bit) {
    return op("BTS", what, bit);
  }

  default Assembler bts(RegisterOrMemory what, int bit) {
    return op("BTS", what, bit(what, bit));
  }

  default <R extends Gpr<R>> Assembler btr(R what, R bit) {
    return op("BTR", what, bit);
  }

  default Assembler btr(Mem what, Gpr<?> bit) {
    return op("BTR", what, bit);
  }

  default Assembler btr(RegisterOrMemory what, int bit) {
    return op("BTR", what, bit(what, bit));
  }

  default <R extends Gpr<R>> Assembler btc(R what, R bit) {
    return op("BTC", what, bit);
  }

  default Assembler btc(Mem what, Gpr<?> bit) {
    return op("BTC", what, bit);
  }

  default Assembler btc(RegisterOrMemory what, int bit) {
    return op("BTC", what, bit(what, bit));
  }

  default Assembler bsf(Gpr<?> to, RegisterOrMemory from) {
    return op("BSF", to, from);
  }

  default Assembler bsr(Gpr<?> to, RegisterOrMemory from) {
    return op("BSR", to, from);
  }

  default Assembler popcnt(Gpr<?> to, RegisterOrMemory from) {
    return op("POPCNT", to, from);
  }

  default Assembler tzcnt(Gpr<?> to, RegisterOrMemory from) {
    return op("TZCNT", to, from);
  }

  default Assembler lzcnt(Gpr<?> to, RegisterOrMemory from) {
    return op("LZCNT", to, from);
  }

  default Assembler set(Condition condition, RegisterOrMemory what) {
    return op(condition.set(), what);
  }

  /** The processor takes the count modulo 32 or 64: a larger one is a mistake. */
  private static Imm count(RegisterOrMemory what, int count) {
    return below(bits(what) == 64 ? 64 : 32, count);
  }

  /** The processor takes the number of the bit modulo the size: a larger one is a mistake. */
  private static Imm bit(RegisterOrMemory what, int bit) {
    return below(bits(what) == 0 ? 64 : bits(what), bit);
  }

  private static Imm below(int end, int number) {
    if (number < 0 || number >= end) {
      throw new IllegalArgumentException(number + " is not from 0 to " + (end - 1));
    }
    return Imm.imm(number);
  }

  private static int bits(RegisterOrMemory what) {
    return what instanceof Gpr<?> register ? register.bits() : ((Mem) what).bits();
  }
}
