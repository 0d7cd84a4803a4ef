package io.ntrail.analysis.flow;

/** Things that happen between two instructions. */
public enum FlowEvent {
  /** Tracing starts, at the address. */
  ENABLED,
  /** Tracing ends; the address is where execution goes on, 0 if it is not told. */
  DISABLED,
  /**
   * The flow is interrupted, by what the next event tells; the address is that of the next
   * instruction, which is not executed now.
   */
  INTERRUPTED,
  /** An interrupt or another branch that no instruction asked for; the address is its target. */
  INTERRUPT,
  /** Packets were lost; the address is where the flow goes on, 0 if tracing is off. */
  OVERFLOW,
  /** A transaction begins. */
  TRANSACTION,
  /** A transaction was committed. */
  COMMIT,
  /** A transaction was aborted. */
  ABORT,
  /** The operand of a PTWRITE; the address is the operand. */
  PTWRITE,
  /** The processor stopped tracing. */
  STOPPED
}
