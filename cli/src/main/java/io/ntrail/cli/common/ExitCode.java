package io.ntrail.cli.common;

/** Exit codes of every command. */
public final class ExitCode {
  /** Done. */
  public static final int DONE = 0;

  /** Failed, no result. */
  public static final int FAILED = 1;

  /** Wrong usage. */
  public static final int USAGE = 2;

  /**
   * A result, or that something is not there, but some bytes of the input could not be read (or,
   * with --strict, losses).
   */
  public static final int INCOMPLETE = 3;

  /** Not allowed or not possible on this system. */
  public static final int NOT_POSSIBLE = 4;

  private ExitCode() {}
}
