package io.ntrail.programs.x86;

/** Movement of the top of the x87 register stack; ST(0) is another register then. */
public enum X87Stack {
  /** ST(0) stays ST(0). */
  UNMOVED,
  /** ST(0) becomes ST(1). What an instruction loads is in the new ST(0). */
  PUSH,
  /** Like {@link #PUSH}, unless the operand is out of range: FPTAN, FSINCOS. */
  MAY_PUSH,
  /** ST(1) becomes ST(0). */
  POP,
  /** ST(2) becomes ST(0). */
  POP_TWICE,
  /** The top is set anew: FNINIT, FNSAVE, FRSTOR, FLDENV. */
  SET;

  private static final X87Stack[] VALUES = values();

  static X87Stack at(int ordinal) {
    return VALUES[ordinal];
  }
}
