package io.ntrail.analysis.merge.names;

import java.util.HashMap;
import java.util.Map;

/**
 * UTF-16 units as names are compared by: without case, as Windows compares the names of files and
 * accounts, and told apart into those that words are made of and others.
 */
final class NameUnits {
  private static final int UNITS = 1 << 16;
  private static final char[] FOLDED = new char[UNITS];
  private static final boolean[] IS_WORD = new boolean[UNITS];

  /** Units that are not their own case, by what they are in that. */
  private static final Map<Character, String> OTHERS;

  static {
    Map<Character, String> others = new HashMap<>();
    for (int unit = 0; unit < UNITS; unit++) {
      FOLDED[unit] = folded(unit);
      if (FOLDED[unit] != unit) {
        others.merge(FOLDED[unit], String.valueOf((char) unit), String::concat);
      }
      IS_WORD[unit] =
          Character.isLetterOrDigit(unit)
              || Character.isSurrogate((char) unit)
              || Character.getType(unit) == Character.NON_SPACING_MARK
              || Character.getType(unit) == Character.COMBINING_SPACING_MARK;
    }
    OTHERS = Map.copyOf(others);
  }

  private NameUnits() {}

  /** A letter takes as many bytes of UTF-8 in its other case, or is not taken for equal. */
  private static char folded(int unit) {
    char upper = Character.toUpperCase((char) unit);
    char lower = Character.toLowerCase(upper);
    if (bytes(lower) == bytes((char) unit)) {
      return lower;
    }
    char plain = Character.toLowerCase((char) unit);
    return bytes(plain) == bytes((char) unit) ? plain : (char) unit;
  }

  private static int bytes(char unit) {
    return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
  }

  /** Returns a unit in the case that names are compared in. */
  static char folded(char unit) {
    return FOLDED[unit];
  }

  /** Returns a text in the case that names are compared in. */
  static String folded(String text) {
    char[] units = text.toCharArray();
    for (int i = 0; i < units.length; i++) {
      units[i] = FOLDED[units[i]];
    }
    return new String(units);
  }

  /** Returns all units that are equal to one but for case, that one the first. */
  static String variants(char folded) {
    return folded + OTHERS.getOrDefault(folded, "");
  }

  /** Returns true if words are made of a unit: letters and digits of any script. */
  static boolean isWord(char unit) {
    return IS_WORD[unit];
  }

  /** Returns true if a word of a text may end or begin between two units. */
  static boolean isBorder(char left, char right) {
    return !IS_WORD[left] || !IS_WORD[right];
  }

  /** Returns true if a unit is a digit of ASCII. */
  static boolean isDigit(char unit) {
    return unit >= '0' && unit <= '9';
  }

  /** Returns true if a unit is a letter of ASCII. */
  static boolean isAsciiLetter(char unit) {
    return (unit | 0x20) >= 'a' && (unit | 0x20) <= 'z';
  }
}
