package io.ntrail.programs.x86.asm.operands;

/** The tile registers of AMX. */
public enum TileRegister implements RegisterOperand {
  TMM0,
  TMM1,
  TMM2,
  TMM3,
  TMM4,
  TMM5,
  TMM6,
  TMM7;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 8192;
  }
}
