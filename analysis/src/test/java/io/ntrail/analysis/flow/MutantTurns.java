package io.ntrail.analysis.flow;

/**
 * Turns that are left to a mutant, in all its loops; public, as another loader's classes call it.
 */
public final class MutantTurns {
  private static int left;

  private MutantTurns() {}

  static void allow(int turns) {
    left = turns;
  }

  /** Counts a turn. */
  public static void spend() {
    if (--left < 0) {
      throw new IllegalStateException("a loop that does not end");
    }
  }
}
