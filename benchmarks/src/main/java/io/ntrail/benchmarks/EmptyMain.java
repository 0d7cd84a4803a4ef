package io.ntrail.benchmarks;

/** The floor of every start-up time: a program that does nothing. */
public final class EmptyMain {
  private EmptyMain() {}

  /** Does nothing. */
  public static void main(String[] args) {}

  /** Returns the folder or jar that this class was loaded from, for a class path. */
  public static String folder() {
    return EmptyMain.class.getProtectionDomain().getCodeSource().getLocation().getPath();
  }
}
