package io.ntrail.programs.x86;

/** Kinds of operands. */
public enum OperandType {
  /** A register. */
  REGISTER,
  /** Memory, or an address alone (LEA). */
  MEMORY,
  /** A number in the instruction. */
  IMMEDIATE,
  /** The target of a relative branch. */
  RELATIVE,
  /** Segment and offset in the instruction. */
  FAR
}
