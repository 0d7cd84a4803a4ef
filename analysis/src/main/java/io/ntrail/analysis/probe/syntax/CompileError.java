package io.ntrail.analysis.probe.syntax;

/** A program that cannot be understood, with the place and DTrace's tag for the reason. */
public final class CompileError extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String tag;
  private final transient Place place;

  /**
   * An error.
   *
   * @param tag as DTrace names the reason: D_SYNTAX
   */
  public CompileError(String tag, Place place, String message) {
    super(message);
    this.tag = tag;
    this.place = place;
  }

  /** Returns DTrace's tag for the reason. */
  public String tag() {
    return tag;
  }

  /** Returns where it was seen. */
  public Place place() {
    return place;
  }

  /** Returns the reason. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
