package io.ntrail.formats.bytes;

/**
 * Why there is no answer: for people, with the place and a next step. It never means a defect of
 * ntrail; anything else that escapes does.
 */
public final class CannotGoOn extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String nextStep;

  /**
   * @param message what happened and where, without the program's name
   * @param nextStep a command or a sentence that helps, without {@code try:}; may be empty
   */
  public CannotGoOn(String message, String nextStep) {
    super(message);
    this.nextStep = nextStep;
  }

  /** What happened and where. */
  public String message() {
    return String.valueOf(getMessage());
  }

  /** A command or a sentence that helps; empty if there is none. */
  public String nextStep() {
    return nextStep;
  }
}
