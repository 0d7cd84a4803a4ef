package io.ntrail.formats.pt;

/** Packets of time that a trace has, from none to the finest. */
public enum TraceTiming {
  /** No packet of time. */
  NONE("none"),
  /** TSC and MTC: ticks of the crystal clock. */
  MTC("mtc"),
  /** CYC as well: cycles of the core. */
  CYC("cyc");

  private final String word;

  TraceTiming(String word) {
    this.word = word;
  }

  /** Returns the word that JSON has for it. */
  public String word() {
    return word;
  }
}
