package io.ntrail.cli.text;

/** Times when colours are used. */
public enum ColorUse {
  /** On a terminal, unless its user wants none ({@code NO_COLOR}) or it shows none. */
  AUTO,
  /** Everywhere, also in files and pipes. */
  ALWAYS,
  /** Nowhere. */
  NEVER
}
