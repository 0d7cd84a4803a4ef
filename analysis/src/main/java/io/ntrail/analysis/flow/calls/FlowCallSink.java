package io.ntrail.analysis.flow.calls;

import io.ntrail.analysis.flow.FlowError;

/** Receives the calls of a flow in the order in which they happened. */
public interface FlowCallSink {
  /** Ways into a function. */
  enum Entry {
    /** An instruction called it. */
    CALL,
    /** Another function jumped to it, and is left: it returns to the caller of that one. */
    TAIL,
    /** An interrupt or a call of the system. */
    INTERRUPT,
    /** Tracing began in it, or the flow went on in it: it may have been entered before. */
    FOUND
  }

  /**
   * A function is entered.
   *
   * @param depth calls that are open, without it
   * @param address of its first instruction that was executed
   * @param returnAddress 0 if it is not known
   */
  void enter(int function, int depth, long address, long returnAddress, Entry how);

  /**
   * Instructions of the innermost function were executed.
   *
   * @param depth of its call
   */
  void executed(int depth, int instructions);

  /**
   * The innermost function is left.
   *
   * @param depth of its call
   * @param isSeen whether that was seen; false: it must have been
   */
  void leave(int depth, boolean isSeen);

  /** The flow is lost here; what is open stays until it is known where the flow goes on. */
  void lost(FlowError error, long offset, long address);

  /** Packets were lost here. */
  void overflow();
}
