package io.ntrail.programs.x86.asm.operands;

/**
 * The general registers of 8 bits. {@link #SPL} to {@link #DIL} need a REX prefix, {@link #AH} to
 * {@link #BH} have the same numbers and must be without one.
 */
public enum Reg8 implements Gpr<Reg8> {
  AL,
  CL,
  DL,
  BL,
  SPL,
  BPL,
  SIL,
  DIL,
  R8B,
  R9B,
  R10B,
  R11B,
  R12B,
  R13B,
  R14B,
  R15B,
  AH,
  CH,
  DH,
  BH;

  @Override
  public int number() {
    return isHigh() ? ordinal() - AH.ordinal() + SPL.ordinal() : ordinal();
  }

  @Override
  public int bits() {
    return 8;
  }

  /** Returns true if it is the second byte of its register. */
  public boolean isHigh() {
    return compareTo(AH) >= 0;
  }

  /** Returns true if it exists with a REX prefix only, even an empty one. */
  public boolean needsRex() {
    return compareTo(SPL) >= 0 && compareTo(DIL) <= 0;
  }
}
