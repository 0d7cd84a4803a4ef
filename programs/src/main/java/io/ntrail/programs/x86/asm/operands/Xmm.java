package io.ntrail.programs.x86.asm.operands;

/** The vector registers of 128 bits. Those from XMM16 on exist for AVX-512 only. */
public enum Xmm implements VectorRegister, XmmOrMemory {
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
  XMM15,
  XMM16,
  XMM17,
  XMM18,
  XMM19,
  XMM20,
  XMM21,
  XMM22,
  XMM23,
  XMM24,
  XMM25,
  XMM26,
  XMM27,
  XMM28,
  XMM29,
  XMM30,
  XMM31;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 128;
  }
}
