package io.ntrail.cli.pt.recipe;

/**
 * Code that is traced, as WPR's element {@code CodeMode} names it.
 *
 * <p>Source: the words that WindowsPerformanceRecorderControl.dll compares with; they become the
 * code modes 3, 4 and 5 of the option word.
 */
public enum CodeMode {
  USER("User"),
  KERNEL("Kernel"),
  BOTH("UserKernel");

  private final String word;

  CodeMode(String word) {
    this.word = word;
  }

  /** Returns the value in a profile. */
  public String word() {
    return word;
  }
}
