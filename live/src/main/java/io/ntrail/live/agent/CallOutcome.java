package io.ntrail.live.agent;

/**
 * How a call by the agent ended.
 *
 * @param result what it returned in rax; of a fault the exception's code
 * @param error the last error of the thread, as it was set by the call; 0 if it was not
 * @param kind whether it was made, and came back
 */
public record CallOutcome(long result, int error, Kind kind) {
  /** Whether a call was made, and came back. */
  public enum Kind {
    /** It came back. */
    DONE,
    /** It ended with an exception. */
    FAULT,
    /** It was not made, because a call before it ended the batch. */
    SKIPPED;

    static Kind of(int status) {
      return switch (status) {
        case AgentProtocol.DONE -> DONE;
        case AgentProtocol.SKIPPED -> SKIPPED;
        default -> FAULT;
      };
    }
  }

  /** The result as the 32-bit number that it is, with its sign. */
  public int asInt() {
    return (int) result;
  }

  /** Whether it came back with anything but 0. */
  public boolean isTrue() {
    return kind == Kind.DONE && (int) result != 0;
  }

  /** Whether it came back with an NTSTATUS that is no error. */
  public boolean isSuccess() {
    return kind == Kind.DONE && (int) result >= 0;
  }
}
