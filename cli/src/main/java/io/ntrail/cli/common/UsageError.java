package io.ntrail.cli.common;

import io.ntrail.formats.bytes.Gap;
import java.util.List;

/** Wrong words on the command line: for people, with what was probably meant. */
public final class UsageError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> excerpt;
  private final String nextStep;
  private final transient List<Gap> gaps;

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
    this(message, excerpt, nextStep, List.of());
  }

  private UsageError(String message, List<String> excerpt, String nextStep, List<Gap> gaps) {
    super(message);
    this.excerpt = List.copyOf(excerpt);
    this.nextStep = nextStep;
    this.gaps = List.copyOf(gaps);
  }

  /**
   * Returns the same error about a word that names nothing in an input; if parts of the input could
   * not be read, it says that they may have it.
   *
   * @param unread what could not be read
   */
  public UsageError mayBeIn(List<Gap> unread) {
    return unread.isEmpty()
        ? this
        : new UsageError(
            getMessage() + "; what could not be read may hold it", excerpt, nextStep, unread);
  }

  /** Returns the lines that show the place; none if there are no more than a word or two. */
  public List<String> excerpt() {
    return excerpt;
  }

  /** Returns what could not be read, and may hold what was not found; none if that is certain. */
  public List<Gap> gaps() {
    return gaps;
  }

  /** Returns what to type instead; empty if unknown. */
  public String nextStep() {
    return nextStep;
  }
}
