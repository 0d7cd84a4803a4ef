package io.ntrail.programs.x86.asm.operands;

/** The vector registers of 512 bits, of AVX-512. */
public enum Zmm implements VectorRegister {
  ZMM0,
  ZMM1,
  ZMM2,
  ZMM3,
  ZMM4,
  ZMM5,
  ZMM6,
  ZMM7,
  ZMM8,
  ZMM9,
  ZMM10,
  ZMM11,
  ZMM12,
  ZMM13,
  ZMM14,
  ZMM15,
  ZMM16,
  ZMM17,
  ZMM18,
  ZMM19,
  ZMM20,
  ZMM21,
  ZMM22,
  ZMM23,
  ZMM24,
  ZMM25,
  ZMM26,
  ZMM27,
  ZMM28,
  ZMM29,
  ZMM30,
  ZMM31;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 512;
  }
}
