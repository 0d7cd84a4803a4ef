package io.ntrail.programs.x86;

/** Static rounding of an EVEX instruction with register operands. */
public enum Rounding {
  /** By MXCSR. */
  NONE(""),
  /** To the nearest, of two the even one; without exceptions. */
  NEAREST("rn-sae"),
  /** Down; without exceptions. */
  DOWN("rd-sae"),
  /** Up; without exceptions. */
  UP("ru-sae"),
  /** Towards zero; without exceptions. */
  ZERO("rz-sae"),
  /** Does not round; without exceptions. */
  SAE("sae");

  private static final Rounding[] VALUES = values();

  private final String text;

  Rounding(String text) {
    this.text = text;
  }

  /** Returns the text of the manuals, without the braces. */
  public String text() {
    return text;
  }

  static Rounding at(int ordinal) {
    return VALUES[ordinal];
  }
}
