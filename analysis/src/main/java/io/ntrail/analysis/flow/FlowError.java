package io.ntrail.analysis.flow;

/** Reasons why the flow is lost at a place. */
public enum FlowError {
  /** The bytes are not packets. */
  PACKETS("no packets"),
  /**
   * A packet stands where it cannot: branches while tracing is off, an address without a branch.
   */
  CONTEXT("a packet that cannot stand here"),
  /** The trace does not fit the code: another kind of branch comes next. */
  MISMATCH("the trace does not fit the code"),
  /** A compressed return has no call. */
  RETURN_STACK("a compressed return without a call"),
  /** The state that a header tells is not the one that was reached. */
  STATUS("a header tells another state"),
  /** The address that a header tells is not on the way: the flow was wrong before. */
  SEAM("a header tells another address: the flow before was wrong"),
  /** The code at the address is not known. */
  NO_CODE("no code at this address"),
  /** The bytes at the address are not an instruction. */
  NO_INSTRUCTION("no instruction at this address"),
  /** The code goes round without a branch that the trace would tell. */
  ENDLESS("the code goes round without a branch that is traced"),
  /** A target that is needed is not told. */
  NO_ADDRESS("a target that is not told");

  private final String text;

  FlowError(String text) {
    this.text = text;
  }

  /** Returns the reason in words. */
  public String text() {
    return text;
  }
}
