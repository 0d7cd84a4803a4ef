package io.ntrail.formats.decoration;

import java.util.ArrayList;
import java.util.List;

/** Qualifiers of types, as bits. */
final class Qualifiers {
  static final int NONE = 0;
  static final int CONST = 1;
  static final int VOLATILE = 2;
  static final int RESTRICT = 4;
  static final int UNALIGNED = 8;

  /** Of pointers with 64 bits. Only the C runtime prints it. */
  static final int PTR64 = 16;

  private Qualifiers() {}

  /** Returns the qualifiers after a type, in the order in which they are written. */
  static List<String> words(int qualifiers) {
    List<String> words = new ArrayList<>();
    if ((qualifiers & CONST) != 0) {
      words.add("const");
    }
    if ((qualifiers & VOLATILE) != 0) {
      words.add("volatile");
    }
    if ((qualifiers & RESTRICT) != 0) {
      words.add("__restrict");
    }
    return words;
  }
}
