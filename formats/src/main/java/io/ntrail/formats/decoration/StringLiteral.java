package io.ntrail.formats.decoration;

import java.io.ByteArrayOutputStream;

/** The text of a constant string, of which a decorated name keeps the first 32 bytes. */
final class StringLiteral {
  private static final String SPECIAL = ",/\\:. \n\t'-";
  private static final int MOST_BYTES = 128;
  private static final int KEPT = 32;
  private static final int MOST_WIDE_BYTES = 64;

  private StringLiteral() {}

  /** Reads a string literal's name after {@code ??_C}. */
  static String read(DecoratedNameCursor in) {
    if (!in.take("@_")) {
      throw DecoratedNameCursor.wrong();
    }
    char width = in.next();
    if (width != '0' && width != '1') {
      throw DecoratedNameCursor.wrong();
    }
    boolean wide = width == '1';
    long size = in.number();
    if (size < (wide ? 2 : 1)) {
      throw DecoratedNameCursor.wrong();
    }
    in.until('@');
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (!in.take('@')) {
      if (in.isEmpty() || bytes.size() >= MOST_BYTES) {
        throw DecoratedNameCursor.wrong();
      }
      bytes.write(character(in));
    }
    return wide ? wide(bytes.toByteArray(), size) : narrow(bytes.toByteArray(), size);
  }

  private static int character(DecoratedNameCursor in) {
    char first = in.next();
    if (first != '?') {
      return first;
    }
    char second = in.next();
    if (second == '$') {
      return nibble(in.next()) << 4 | nibble(in.next());
    }
    if (second >= '0' && second <= '9') {
      return SPECIAL.charAt(second - '0');
    }
    if (second >= 'a' && second <= 'z') {
      return 0xE1 + second - 'a';
    }
    if (second >= 'A' && second <= 'Z') {
      return 0xC1 + second - 'A';
    }
    throw DecoratedNameCursor.wrong();
  }

  private static int nibble(char letter) {
    if (letter < 'A' || letter > 'P') {
      throw DecoratedNameCursor.wrong();
    }
    return letter - 'A';
  }

  /** The last character is the 0 that ends it, unless the name has only a part. */
  private static String wide(byte[] bytes, long size) {
    if (bytes.length % 2 != 0 || bytes.length > size) {
      throw DecoratedNameCursor.wrong();
    }
    boolean cut = size > MOST_WIDE_BYTES;
    StringBuilder out = new StringBuilder("L\"");
    for (int i = 0; i < bytes.length; i += 2) {
      if (cut || i != size - 2) {
        append(out, (bytes[i] & 0xFF) << 8 | bytes[i + 1] & 0xFF);
      }
    }
    return out.append('"').append(cut ? "..." : "").toString();
  }

  private static String narrow(byte[] bytes, long size) {
    boolean cut = size > bytes.length;
    int width = width(bytes, size);
    if (bytes.length % width != 0) {
      throw DecoratedNameCursor.wrong();
    }
    StringBuilder out = new StringBuilder(width == 1 ? "\"" : width == 2 ? "u\"" : "U\"");
    int count = bytes.length / width - (cut ? 0 : 1);
    for (int i = 0; i < count; i++) {
      int value = 0;
      for (int j = 0; j < width; j++) {
        value |= (bytes[width * i + j] & 0xFF) << 8 * j;
      }
      append(out, value);
    }
    return out.append('"').append(cut ? "..." : "").toString();
  }

  /** Characters of two and four bytes look like bytes; by their zeros they are guessed. */
  private static int width(byte[] bytes, long size) {
    if (size % 2 != 0) {
      return 1;
    }
    if (size < KEPT) {
      int zeros = 0;
      for (int i = bytes.length - 1; i >= 0 && bytes[i] == 0; i--) {
        zeros++;
      }
      return zeros >= 4 && size % 4 == 0 ? 4 : zeros >= 2 ? 2 : 1;
    }
    int zeros = 0;
    for (byte one : bytes) {
      zeros += one == 0 ? 1 : 0;
    }
    return 3 * zeros >= 2 * bytes.length && size % 4 == 0 ? 4 : 3 * zeros >= bytes.length ? 2 : 1;
  }

  private static void append(StringBuilder out, int value) {
    switch (value) {
      case 0 -> out.append("\\0");
      case 7 -> out.append("\\a");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      case 11 -> out.append("\\v");
      case '\'' -> out.append("\\'");
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      default -> {
        if (value > 0x1F && value < 0x7F) {
          out.append((char) value);
        } else {
          out.append("\\x").append(hex(value));
        }
      }
    }
  }

  private static String hex(int value) {
    String digits = Integer.toHexString(value).toUpperCase(java.util.Locale.ROOT);
    return digits.length() % 2 == 0 ? digits : "0" + digits;
  }
}
