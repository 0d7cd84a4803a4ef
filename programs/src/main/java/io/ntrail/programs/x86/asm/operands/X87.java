package io.ntrail.programs.x86.asm.operands;

/** The stack of the x87: ST0 is its top. */
public enum X87 implements RegisterOperand {
  ST0,
  ST1,
  ST2,
  ST3,
  ST4,
  ST5,
  ST6,
  ST7;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 80;
  }
}
