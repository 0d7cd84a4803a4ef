package io.ntrail.programs.x86.asm.operands;

/** The control registers that exist; moves to and from them have the width of the code. */
public enum ControlRegister implements RegisterOperand {
  CR0(0),
  CR2(2),
  CR3(3),
  CR4(4),
  /** The task priority, in 64-bit code. */
  CR8(8);

  private final int number;

  ControlRegister(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public int bits() {
    return 64;
  }
}
