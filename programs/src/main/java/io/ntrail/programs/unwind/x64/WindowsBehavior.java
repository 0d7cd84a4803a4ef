package io.ntrail.programs.unwind.x64;

/**
 * Versions of Windows between which RtlVirtualUnwind changed, oldest first. Registers of a caller
 * differ only for code that compilers seldom make.
 */
public enum WindowsBehavior {
  /** Before Windows 10 1809: the code of every function with an entry is searched for epilogues. */
  BEFORE_1809,
  /**
   * Since Windows 10 1809: not the code of functions without unwind codes; those of the parts that
   * it is chained to count.
   */
  SINCE_1809,
  /**
   * Since Windows 10 20H2 (2009): a jump to other code of the same function is known by the start
   * of the function alone, whatever else differs in its entries.
   */
  SINCE_20H2,
  /**
   * Since Windows 11: in an epilogue of a function with a frame register the establisher frame is
   * the place of the return address.
   */
  SINCE_WINDOWS_11;

  /** The newest one known. */
  public static WindowsBehavior newest() {
    return SINCE_WINDOWS_11;
  }

  /** Returns true if this is a version or a later one. */
  boolean isSince(WindowsBehavior version) {
    return compareTo(version) >= 0;
  }
}
