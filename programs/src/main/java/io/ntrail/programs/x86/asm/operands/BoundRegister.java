package io.ntrail.programs.x86.asm.operands;

/** The bound registers of MPX. */
public enum BoundRegister implements RegisterOperand {
  BND0,
  BND1,
  BND2,
  BND3;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 128;
  }
}
