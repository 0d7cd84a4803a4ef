package io.ntrail.programs.x86;

/** A bit of EFLAGS, of the x87 status word, or the flag of user interrupts. */
public enum Flag {
  /** CF. */
  CARRY,
  /** PF. */
  PARITY,
  /** AF. */
  ADJUST,
  /** ZF. */
  ZERO,
  /** SF. */
  SIGN,
  /** OF. */
  OVERFLOW,
  /** DF. */
  DIRECTION,
  /** IF. */
  INTERRUPT,
  /** AC. */
  ALIGNMENT,
  /** UIF. */
  USER_INTERRUPT,
  /** C0 of the x87 status word. */
  C0,
  /** C1 of the x87 status word. */
  C1,
  /** C2 of the x87 status word. */
  C2,
  /** C3 of the x87 status word. */
  C3;

  /** Their letters in the table of effects, in the same order. */
  static final String LETTERS = "cpazsodiAu0123";

  int bit() {
    return 1 << ordinal();
  }
}
