package io.ntrail.formats.schema;

/** Kinds of values, for printing and comparing. */
public enum ValueKind {
  /** A 64-bit number with a sign. */
  SIGNED,
  /** A 64-bit number without one. */
  UNSIGNED,
  /** An address, or a number that people read in hexadecimal. */
  HEX,
  /** A number with a fraction. */
  REAL,
  /** True or false. */
  BOOL,
  /** Text: strings, GUIDs, SIDs, network addresses, points in time. */
  TEXT,
  /** Bytes. */
  BINARY
}
