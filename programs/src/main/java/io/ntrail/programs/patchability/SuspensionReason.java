package io.ntrail.programs.patchability;

/** Reasons why a function cannot be patched while threads run. */
public enum SuspensionReason {
  /** A thread may be between the instructions that the short jump overwrites. */
  SEVERAL_INSTRUCTIONS("the short jump overwrites several instructions"),
  /** Its long jump is in padding that is not its own. */
  BORROWED_PADDING("its jump is in the padding of another function"),
  /** No single store writes a jump of five bytes. */
  IN_PLACE("a long jump overwrites its own first bytes"),
  /** No single store writes both bytes of the short jump for all processors. */
  STRADDLES("its first two bytes straddle a cache line");

  private final String text;

  SuspensionReason(String text) {
    this.text = text;
  }

  /** For people; a clause about the function. */
  public String text() {
    return text;
  }
}
