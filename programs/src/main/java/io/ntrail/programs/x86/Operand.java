package io.ntrail.programs.x86;

import java.util.Optional;

/** One operand of an instruction, as a value that can be kept. */
public sealed interface Operand {
  /** A register. */
  record InRegister(Register register) implements Operand {}

  /**
   * Memory, or an address only (LEA).
   *
   * @param bytes number of bytes accessed; 0 if none, or if it depends on more than the
   *     instruction. Gathers and scatters: of one element
   * @param segment the segment it is in; FS and GS have a base of their own in 64-bit code
   * @param base the base register; RIP or EIP for relative addresses
   * @param index the register added {@code scale} times; a vector register in gathers and scatters
   * @param scale 1, 2, 4 or 8
   * @param displacement the constant added; the whole address where there is no register
   * @param broadcast number of copies of the element that fill the vector; 0 without broadcast
   */
  record InMemory(
      int bytes,
      Register segment,
      Optional<Register> base,
      Optional<Register> index,
      int scale,
      long displacement,
      int broadcast)
      implements Operand {}

  /**
   * A number in the instruction.
   *
   * @param value sign-extended or not, as the instruction does
   * @param bits how wide it is when used: 8, 16, 32 or 64
   */
  record Immediate(long value, int bits) implements Operand {}

  /** Target of a relative branch: an offset from the end of the instruction. */
  record Relative(long offset) implements Operand {}

  /** Segment and offset in the instruction. */
  record Far(int segment, long offset) implements Operand {}
}
