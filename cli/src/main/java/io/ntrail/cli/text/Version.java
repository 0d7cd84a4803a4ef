package io.ntrail.cli.text;

/** The version of the program, the same as the build's. */
public final class Version {
  /** For example {@code 0.4.0}. */
  public static final String NUMBER = "0.1.0";

  private Version() {}
}
