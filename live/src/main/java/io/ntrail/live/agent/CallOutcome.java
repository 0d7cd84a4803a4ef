package io.ntrail.live.agent;

/**
 * Outcome of a call by the agent.
 *
 * @param result what it returned in rax, or in eax (and edx: {@link AgentCall#wholeResult}); of a
 *     fault the exception's code
 * @param error the last error of the thread, as it was set by the call; 0 if it was not
 * @param kind whether it was made, and came back
 */
public record CallOutcome(long result, int error, Kind kind) {
  /** Kind of an outcome. */
  public enum Kind {
    /** The call returned. */
    DONE,
    /** The call ended with an exception. */
    FAULT,
    /** The call was not made, because one before it ended the batch. */
    SKIPPED;

    static Kind of(int status) {
      return switch (status) {
        case AgentProtocol.DONE -> DONE;
        case AgentProtocol.SKIPPED -> SKIPPED;
        default -> FAULT;
      };
    }
  }

  /** Returns the result as a signed 32-bit number. */
  public int asInt() {
    return (int) result;
  }

  /** Returns whether the call returned anything but 0. */
  public boolean isTrue() {
    return kind == Kind.DONE && (int) result != 0;
  }

  /** Returns whether the call returned an NTSTATUS that is a success. */
  public boolean isSuccess() {
    return kind == Kind.DONE && (int) result >= 0;
  }
}
