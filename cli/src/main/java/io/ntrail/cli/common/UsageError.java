package io.ntrail.cli.common;

import java.util.List;

/** Wrong words on the command line: for people, with what was probably meant. */
public final class UsageError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> excerpt;
  private final String nextStep;

  /**
   * @param message what is wrong
   * @param nextStep what to write instead, without {@code try:}; may be empty
   */
  public UsageError(String message, String nextStep) {
    this(message, List.of(), nextStep);
  }

  /**
   * An error in a text of several lines.
   *
   * @param message what is wrong
   * @param excerpt lines that show the place
   * @param nextStep what to write instead, without {@code try:}; may be empty
   */
  public UsageError(String message, List<String> excerpt, String nextStep) {
    super(message);
    this.excerpt = List.copyOf(excerpt);
    this.nextStep = nextStep;
  }

  /** Returns the lines that show the place; none if there are no more than a word or two. */
  public List<String> excerpt() {
    return excerpt;
  }

  /** Returns what to type instead; empty if unknown. */
  public String nextStep() {
    return nextStep;
  }
}
