package io.ntrail.programs.x86;

/** Reasons why bytes are not an instruction. */
public enum DecodeError {
  /** The bytes end inside the instruction. */
  ENDS_EARLY("the bytes end inside the instruction"),
  /** More than 15 bytes. */
  TOO_LONG("longer than 15 bytes"),
  /** No form fits. */
  NO_SUCH_OPCODE("no such instruction"),
  /** There is one in 64-bit code only. */
  NEEDS_64_BIT("exists in 64-bit code only"),
  /** There is one outside 64-bit code only. */
  NOT_IN_64_BIT("does not exist in 64-bit code"),
  /** There is one for the other vendor only. */
  OTHER_VENDOR("read so only by processors of the other vendor"),
  /** There is one with a memory operand only. */
  NEEDS_MEMORY("needs a memory operand"),
  /** There is one with a register only. */
  NEEDS_REGISTER("needs a register operand"),
  /** LOCK before an instruction, or before an operand, that cannot be locked. */
  LOCK("LOCK is not allowed"),
  /** 66, F2, F3, F0 or REX before VEX, EVEX or XOP. */
  PREFIX_BEFORE_VECTOR("66, F2, F3, LOCK or REX before VEX, EVEX or XOP"),
  /** Register bits of a VEX, EVEX or XOP prefix name what is not there. */
  REGISTER("register bits name no register, or have to be unused"),
  /** Registers that have to differ do not. */
  SAME_REGISTER("registers that must differ are the same"),
  /** A mask or zeroing where there is none, or no mask where one is needed. */
  MASK("mask or zeroing is not allowed, or a mask is missing"),
  /** A vector index or tiles without a SIB byte, or with 16-bit addresses. */
  NEEDS_SIB("needs a SIB byte"),
  /** Reserved bits of a prefix. */
  RESERVED_BITS("reserved bits of the prefix"),
  /** Advanced Performance Extensions: REX2, EVEX map 4 and extended EVEX. */
  APX("APX is not supported yet");

  private final String text;

  DecodeError(String text) {
    this.text = text;
  }

  /** For people. */
  public String text() {
    return text;
  }
}
