package io.ntrail.formats.decoration;

/** Qualifiers of types, as bits. */
final class Qualifiers {
  static final int NONE = 0;
  static final int CONST = 1;
  static final int VOLATILE = 2;
  static final int RESTRICT = 4;
  static final int UNALIGNED = 8;

  /** Of pointers with 64 bits. Only the C runtime prints it. */
  static final int PTR64 = 16;

  /** By the bits of the three that are words. */
  private static final String[] TEXTS = {
    "",
    "const",
    "volatile",
    "const volatile",
    "__restrict",
    "const __restrict",
    "volatile __restrict",
    "const volatile __restrict"
  };

  private Qualifiers() {}

  /** Returns the qualifiers after a type, in the order in which they are written. */
  static String text(int qualifiers) {
    return TEXTS[qualifiers & (CONST | VOLATILE | RESTRICT)];
  }
}
