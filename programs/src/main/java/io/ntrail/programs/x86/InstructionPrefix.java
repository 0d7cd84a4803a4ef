package io.ntrail.programs.x86;

/** A prefix that changes what an instruction does, but not which instruction it is. */
public enum InstructionPrefix {
  /** F2 before an instruction that can be locked: a transaction starts. */
  XACQUIRE("xacquire"),
  /** F3 before an instruction that can be locked, or a store: a transaction ends. */
  XRELEASE("xrelease"),
  /** F0: no other processor comes between. */
  LOCK("lock"),
  /** F3 (and F2, where it means the same) before a string instruction. */
  REP("rep"),
  /** F3 before CMPS and SCAS. */
  REPE("repe"),
  /** F2 before CMPS and SCAS. */
  REPNE("repne"),
  /** 3E before an indirect branch: its target needs no ENDBR. */
  NOTRACK("notrack"),
  /** F2 before a branch: bounds stay as they are. */
  BND("bnd"),
  /** 2E before a conditional branch. */
  NOT_TAKEN("hint-not-taken"),
  /** 3E before a conditional branch. */
  TAKEN("hint-taken");

  private static final InstructionPrefix[] VALUES = values();

  private final String text;

  InstructionPrefix(String text) {
    this.text = text;
  }

  /** Returns the prefix as the text of an instruction shows it. */
  public String text() {
    return text;
  }

  int bit() {
    return 1 << ordinal();
  }

  /** Returns a prefix by its ordinal, in the order in which they are shown. */
  static InstructionPrefix at(int ordinal) {
    return VALUES[ordinal];
  }
}
