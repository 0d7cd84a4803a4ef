package io.ntrail.cli.common;

/** Wrong words on the command line: for people, with what was probably meant. */
public final class UsageError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String nextStep;

  /**
   * @param message what is wrong
   * @param nextStep what to write instead, without {@code try:}; may be empty
   */
  public UsageError(String message, String nextStep) {
    super(message);
    this.nextStep = nextStep;
  }

  /** Returns what to type instead; empty if unknown. */
  public String nextStep() {
    return nextStep;
  }
}
