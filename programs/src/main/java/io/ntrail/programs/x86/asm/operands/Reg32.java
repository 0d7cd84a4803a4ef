package io.ntrail.programs.x86.asm.operands;

/** The general registers of 32 bits. Writing one of them in 64-bit code zeroes the upper half. */
public enum Reg32 implements AddressRegister<Reg32> {
  EAX,
  ECX,
  EDX,
  EBX,
  ESP,
  EBP,
  ESI,
  EDI,
  R8D,
  R9D,
  R10D,
  R11D,
  R12D,
  R13D,
  R14D,
  R15D;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 32;
  }
}
