package io.ntrail.testkit.probe;

import java.math.BigInteger;

/** Types of values in random programs. */
public enum SlowType {
  /** One byte with sign. */
  CHAR("char", 1, true),
  /** One byte without sign. */
  UCHAR("unsigned char", 1, false),
  /** Two bytes with sign. */
  SHORT("short", 2, true),
  /** Two bytes without sign. */
  USHORT("unsigned short", 2, false),
  /** Four bytes with sign. */
  INT("int", 4, true),
  /** Four bytes without sign. */
  UINT("unsigned int", 4, false),
  /** Four bytes with sign, as Windows has it. */
  LONG("long", 4, true),
  /** Eight bytes with sign. */
  LLONG("long long", 8, true),
  /** Eight bytes without sign. */
  ULLONG("unsigned long long", 8, false),
  /** String. */
  STRING("string", 0, false);

  private final String text;
  private final int bytes;
  private final boolean isSigned;

  SlowType(String text, int bytes, boolean isSigned) {
    this.text = text;
    this.bytes = bytes;
    this.isSigned = isSigned;
  }

  String text() {
    return text;
  }

  int bytes() {
    return bytes;
  }

  boolean isSigned() {
    return isSigned;
  }

  /**
   * Returns the type of the result of two numbers: that of the higher rank, which is the number of
   * bits, and one more without a sign.
   */
  static SlowType common(SlowType one, SlowType other) {
    return one.rank() >= other.rank() ? one : other;
  }

  private int rank() {
    return 8 * bytes + (isSigned ? 0 : 1);
  }

  /** Returns the number that the type keeps of another one. */
  BigInteger cut(BigInteger value) {
    return cut(value, 8 * bytes, isSigned);
  }

  /** Returns a number as 64 bits with or without sign. */
  static BigInteger wide(BigInteger value, boolean isSigned) {
    return cut(value, Long.SIZE, isSigned);
  }

  private static BigInteger cut(BigInteger value, int bits, boolean isSigned) {
    BigInteger modulus = BigInteger.ONE.shiftLeft(bits);
    BigInteger rest = value.mod(modulus);
    return isSigned && rest.testBit(bits - 1) ? rest.subtract(modulus) : rest;
  }
}
