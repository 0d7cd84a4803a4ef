package io.ntrail.programs.x86.asm.operands;

/** The debug registers; moves to and from them have the width of the code. */
public enum DebugRegister implements RegisterOperand {
  DR0,
  DR1,
  DR2,
  DR3,
  DR4,
  DR5,
  DR6,
  DR7;

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 64;
  }
}
