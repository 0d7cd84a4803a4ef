package io.ntrail.programs.x86.asm.operands;

/** The general registers of 16 bits. */
public enum Reg16 implements Gpr<Reg16> {
  AX,
  CX,
  DX,
  BX,
  SP,
  BP,
  SI,
  DI,
  R8W,
  R9W,
  R10W,
  R11W,
  R12W,
  R13W,
  R14W,
  R15W;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 16;
  }

  /** Returns the 32-bit register of which it is the lower half. */
  public Reg32 wide() {
    return Reg32.values()[ordinal()];
  }
}
