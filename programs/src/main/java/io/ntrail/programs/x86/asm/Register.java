package io.ntrail.programs.x86.asm;

/** A register that an instruction names. */
public sealed interface Register extends Operand
    permits Gpr, Segment, VectorRegister, Mmx, X87, Mask, Control, Debug, Tile, Bound {
  /** Its number in machine code, 0 to 31. */
  int number();

  /** Its size. */
  int bits();
}
