package io.ntrail.formats.bytes;

/**
 * Why there is no answer: for people, with the place and a next step. It never means a defect of
 * ntrail; anything else that escapes does.
 */
public final class CannotGoOn extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String nextStep;
  private final boolean impossible;

  /**
   * @param message what happened and where, without the program's name
   * @param nextStep a command or a sentence that helps, without {@code try:}; may be empty
   */
  public CannotGoOn(String message, String nextStep) {
    this(message, nextStep, false);
  }

  private CannotGoOn(String message, String nextStep, boolean impossible) {
    super(message);
    this.nextStep = nextStep;
    this.impossible = impossible;
  }

  /** What is not allowed to this user, or not possible on this system or with such a program. */
  public static CannotGoOn impossible(String message, String nextStep) {
    return new CannotGoOn(message, nextStep, true);
  }

  /** Whether the same would be said of any input: the system or its rights are the reason. */
  public boolean isImpossible() {
    return impossible;
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
