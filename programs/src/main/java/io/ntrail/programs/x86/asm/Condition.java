package io.ntrail.programs.x86.asm;

/** Conditions of conditional instructions, in the order of their numbers in machine code. */
public enum Condition {
  /** Overflow. */
  O,
  /** No overflow. */
  NO,
  /** Below, unsigned; carry. */
  B,
  /** Above or equal, unsigned; no carry. */
  AE,
  /** Equal; zero. */
  E,
  /** Not equal; not zero. */
  NE,
  /** Below or equal, unsigned. */
  BE,
  /** Above, unsigned. */
  A,
  /** Sign: negative. */
  S,
  /** No sign. */
  NS,
  /** Parity even; unordered. */
  P,
  /** Parity odd; ordered. */
  NP,
  /** Less, signed. */
  L,
  /** Greater or equal, signed. */
  GE,
  /** Less or equal, signed. */
  LE,
  /** Greater, signed. */
  G;

  private final String jump = "J" + name();
  private final String set = "SET" + name();
  private final String move = "CMOV" + name();

  /** Returns the opposite condition. */
  public Condition negated() {
    return values()[ordinal() ^ 1];
  }

  String jump() {
    return jump;
  }

  String set() {
    return set;
  }

  String move() {
    return move;
  }
}
