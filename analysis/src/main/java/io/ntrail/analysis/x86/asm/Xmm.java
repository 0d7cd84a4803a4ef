package io.ntrail.analysis.x86.asm;

/** The vector registers of 128 bits. */
public enum Xmm implements Register, XmmOrMemory {
  XMM0,
  XMM1,
  XMM2,
  XMM3,
  XMM4,
  XMM5,
  XMM6,
  XMM7,
  XMM8,
  XMM9,
  XMM10,
  XMM11,
  XMM12,
  XMM13,
  XMM14,
  XMM15;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 128;
  }
}
