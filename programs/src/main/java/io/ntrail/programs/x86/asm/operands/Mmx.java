package io.ntrail.programs.x86.asm.operands;

/** The MMX registers. */
public enum Mmx implements RegisterOperand {
  MM0,
  MM1,
  MM2,
  MM3,
  MM4,
  MM5,
  MM6,
  MM7;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 64;
  }
}
