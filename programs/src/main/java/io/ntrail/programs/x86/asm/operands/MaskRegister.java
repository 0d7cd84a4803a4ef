package io.ntrail.programs.x86.asm.operands;

/** The mask registers of AVX-512. K0 cannot select elements. */
public enum MaskRegister implements RegisterOperand {
  K0,
  K1,
  K2,
  K3,
  K4,
  K5,
  K6,
  K7;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 64;
  }
}
