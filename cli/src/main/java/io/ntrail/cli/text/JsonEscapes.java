package io.ntrail.cli.text;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;

/**
 * Escapes of everything in a text of JSON that could steer a terminal: the text is exact, and can
 * be shown.
 */
final class JsonEscapes extends CharacterEscapes {
  private static final long serialVersionUID = 1L;

  private static final int DELETE = 0x7F;

  @Override
  public int[] getEscapeCodesForAscii() {
    int[] codes = standardAsciiEscapesForJSON();
    codes[DELETE] = ESCAPE_STANDARD;
    return codes;
  }

  @Override
  public @Nullable SerializableString getEscapeSequence(int c) {
    return TextSanitizer.steers((char) c) ? new SerializedString(escape((char) c)) : null;
  }

  private static String escape(char c) {
    return "\\u%04X".formatted((int) c);
  }

  /** Returns whether a text has characters that a plain writer of JSON does not escape. */
  static boolean apply(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= DELETE && TextSanitizer.steersAt(text, i)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a text has characters beyond ASCII. */
  static boolean isBeyondAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > DELETE) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a text has half of a character, for which a writer of JSON has no bytes. */
  static boolean hasHalf(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i)) && TextSanitizer.steersAt(text, i)) {
        return true;
      }
    }
    return false;
  }

  /** Returns a text with its quotes, also one with halves of characters. */
  static String quoted(String text) {
    StringBuilder to = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\' || TextSanitizer.steersAt(text, i)) {
        to.append(escape(c));
      } else {
        to.append(c);
      }
    }
    return to.append('"').toString();
  }
}
