package io.ntrail.programs.patchability;

/** How a function can be patched. */
public enum PatchClass {
  /**
   * Own padding in front of it, and its first instruction is as long as the short jump: no thread
   * can stand between what is overwritten.
   */
  A("own padding, one instruction"),
  /** Own padding; the short jump overwrites several instructions: threads have to stand still. */
  B("own padding, several instructions"),
  /** The long jump goes into padding in front of another function; threads have to stand still. */
  C("padding in front of another function"),
  /**
   * No padding: the long jump overwrites its own first five bytes; threads have to stand still.
   * Only {@link Patchability#inPlace} answers so.
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
