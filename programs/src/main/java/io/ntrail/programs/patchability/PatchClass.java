package io.ntrail.programs.patchability;

/** Ways to patch a function. */
public enum PatchClass {
  /**
   * Own padding in front of it, and its first instruction is as long as the short jump: no thread
   * can be between the overwritten instructions.
   */
  A("own padding, one instruction"),
  /** Own padding; the short jump overwrites several instructions: threads must be suspended. */
  B("own padding, several instructions"),
  /** The long jump goes into padding in front of another function; threads must be suspended. */
  C("padding in front of another function"),
  /**
   * No padding: the long jump overwrites its own first five bytes; threads must be suspended. Only
   * {@link Patchability#inPlace} returns it.
   */
  E("its own first five bytes"),
  /** Not at all. */
  D("refused");

  private final String text;

  PatchClass(String text) {
    this.text = text;
  }

  /** For people. */
  public String text() {
    return text;
  }
}
