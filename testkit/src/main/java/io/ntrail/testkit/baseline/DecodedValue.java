package io.ntrail.testkit.baseline;

import org.jspecify.annotations.Nullable;

/** A value that the code under test decoded, for {@link BaselineComparison#same}. */
public sealed interface DecodedValue {
  /**
   * A number, an address, an enumeration, a truth value.
   *
   * @param value with or without a sign: that is not compared
   * @param bytes how wide it is stored
   * @param names what is known about the value in words, joined with a bar; null if nothing is
   */
  record Whole(long value, int bytes, @Nullable String names) implements DecodedValue {}

  /** A number with a fraction. */
  record Fraction(double value) implements DecodedValue {}

  /** A text; GUIDs and addresses of the network are texts. */
  record Text(String value) implements DecodedValue {}

  /**
   * A point in time.
   *
   * @param fileTime 100 ns since 1601, UTC
   */
  record Time(long fileTime) implements DecodedValue {}

  /** Absent value: the record ends before it, or its version has no such field. */
  record Nothing() implements DecodedValue {}
}
