package io.ntrail.analysis.calls;

/** Kinds of records of a thread. */
public enum CallEventKind {
  /** A routine was entered. */
  ENTRY,
  /** A routine was entered whose ends are never recorded: a call of unknown duration. */
  ENTRY_ONLY,
  /** A routine returned. */
  EXIT,
  /** An exception, or a long jump that unwinds, left a routine. */
  UNWIND,
  /**
   * An unwinder is about to leave the calls of a stack up to a frame; the value is the code. Which
   * of them it left shows later, since those that run meanwhile return.
   */
  UNWIND_TARGET,
  /** Calls of a slot and above it are over: it was not seen how they ended. */
  OVER,
  /** Records are missing here; the value is how many, 0 if unknown. */
  LOST,
  /** Calls below the call of a slot are left out of the recording; the value is how many. */
  LEFT_OUT
}
