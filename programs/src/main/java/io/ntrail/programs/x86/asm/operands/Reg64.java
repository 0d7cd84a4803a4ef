package io.ntrail.programs.x86.asm.operands;

/** The general registers of 64 bits. */
public enum Reg64 implements AddressRegister<Reg64> {
  RAX,
  RCX,
  RDX,
  RBX,
  RSP,
  RBP,
  RSI,
  RDI,
  R8,
  R9,
  R10,
  R11,
  R12,
  R13,
  R14,
  R15;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 64;
  }

  /** The lower half. */
  public Reg32 low() {
    return Reg32.values()[ordinal()];
  }
}
