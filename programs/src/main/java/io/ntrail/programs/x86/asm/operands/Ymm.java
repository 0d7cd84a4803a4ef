package io.ntrail.programs.x86.asm.operands;

/** The vector registers of 256 bits. Those from YMM16 on exist for AVX-512 only. */
public enum Ymm implements VectorRegister, YmmOrMemory {
  YMM0,
  YMM1,
  YMM2,
  YMM3,
  YMM4,
  YMM5,
  YMM6,
  YMM7,
  YMM8,
  YMM9,
  YMM10,
  YMM11,
  YMM12,
  YMM13,
  YMM14,
  YMM15,
  YMM16,
  YMM17,
  YMM18,
  YMM19,
  YMM20,
  YMM21,
  YMM22,
  YMM23,
  YMM24,
  YMM25,
  YMM26,
  YMM27,
  YMM28,
  YMM29,
  YMM30,
  YMM31;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 256;
  }
}
