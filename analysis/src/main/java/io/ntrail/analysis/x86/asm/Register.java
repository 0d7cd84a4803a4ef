package io.ntrail.analysis.x86.asm;

/** A register that an instruction names. */
public sealed interface Register extends Operand permits Gpr, Segment, Xmm, Ymm {
  /** Its number in machine code, 0 to 15. */
  int number();

  /** Its size. */
  int bits();
}
