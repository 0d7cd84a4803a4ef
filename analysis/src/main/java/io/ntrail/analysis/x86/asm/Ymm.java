package io.ntrail.analysis.x86.asm;

/** The vector registers of 256 bits. */
public enum Ymm implements Register, YmmOrMemory {
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
  YMM15;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 256;
  }
}
