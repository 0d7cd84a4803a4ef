package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Fault;

/** Functions of strings, as DTrace has them; a character stands for a byte. */
final class Texts {
  private Texts() {}

  /**
   * Returns a part of a string.
   *
   * @param from counts from the end if it is negative
   * @param length negative: it ends so many characters before the end, and is empty if it begins
   *     before the string
   */
  static String part(String text, long from, long length) {
    long size = text.length();
    long begin = from < 0 ? from + size : from;
    long end;
    if (begin < 0 && length < 0) {
      return "";
    }
    if (length >= 0) {
      end = begin > Long.MAX_VALUE - length ? Long.MAX_VALUE : begin + length;
    } else {
      end = size + length;
    }
    begin = Math.clamp(begin, 0, size);
    end = Math.clamp(end, 0, size);
    return begin >= end ? "" : text.substring((int) begin, (int) end);
  }

  /**
   * Returns where a string is found first, from a place on; -1 if nowhere. An empty one always is.
   */
  static long index(String text, String wanted, long from) {
    if (from > text.length()) {
      return wanted.isEmpty() ? text.length() : -1;
    }
    return text.indexOf(wanted, (int) Math.max(0, from));
  }

  /**
   * Returns where a string is found last, from a place back; -1 if nowhere. An empty one always is.
   */
  static long lastIndex(String text, String wanted, long from) {
    if (from < 0) {
      return wanted.isEmpty() ? 0 : -1;
    }
    return text.lastIndexOf(wanted, (int) Math.min(from, text.length()));
  }

  /** Returns the last part of a path; Windows separators count, too. */
  static String baseName(String path) {
    int end = path.length();
    while (end > 0 && isSeparator(path.charAt(end - 1))) {
      end--;
    }
    if (end == 0) {
      return path.isEmpty() ? "." : path.substring(0, 1);
    }
    int begin = end;
    while (begin > 0 && !isSeparator(path.charAt(begin - 1))) {
      begin--;
    }
    return path.substring(begin, end);
  }

  /** Returns a path without its last part. */
  static String folder(String path) {
    int end = path.length();
    while (end > 0 && isSeparator(path.charAt(end - 1))) {
      end--;
    }
    if (end == 0) {
      return path.isEmpty() ? "." : path.substring(0, 1);
    }
    while (end > 0 && !isSeparator(path.charAt(end - 1))) {
      end--;
    }
    if (end == 0) {
      return ".";
    }
    int last = end;
    while (last > 0 && isSeparator(path.charAt(last - 1))) {
      last--;
    }
    return last == 0 ? path.substring(0, 1) : path.substring(0, last);
  }

  private static boolean isSeparator(char c) {
    return c == '/' || c == '\\';
  }

  /**
   * Returns a path without what stands for nothing: slashes beside slashes, {@code /./}, and {@code
   * /../} with the part before it. What the path ends with stays, a slash or {@code /.}. A path
   * that ends with {@code /..} and has no slash before it becomes its first character, as in
   * DTrace.
   */
  static String clean(String path) {
    char slash = path.indexOf('/') < 0 && path.indexOf('\\') >= 0 ? '\\' : '/';
    StringBuilder clean = new StringBuilder();
    // Without a slash, the end comes from the place where the path began: what was put there last.
    char first = slash;
    int at = 0;
    while (at < path.length()) {
      if (path.charAt(at) != slash) {
        clean.append(path.charAt(at++));
      } else if (path.startsWith(slash + "" + slash, at)) {
        at++;
      } else if (path.startsWith(slash + "." + slash, at)) {
        at += 2;
      } else if (path.startsWith(slash + ".." + slash, at)
          || path.length() == at + 3 && path.endsWith("..")) {
        first = clean.isEmpty() ? first : clean.charAt(0);
        int before = clean.lastIndexOf(String.valueOf(slash));
        clean.setLength(Math.max(0, before));
        at += 3;
        if (at == path.length()) {
          clean.append(before < 0 ? first : slash);
        }
      } else {
        clean.append(path.charAt(at++));
      }
    }
    return clean.toString();
  }

  /** Returns a text with capitals; only those of ASCII change. */
  static String upper(String text) {
    return shifted(text, 'a', 'z', 'A' - 'a');
  }

  /** Returns a text without capitals; only those of ASCII change. */
  static String lower(String text) {
    return shifted(text, 'A', 'Z', 'a' - 'A');
  }

  private static String shifted(String text, char from, char to, int by) {
    StringBuilder all = new StringBuilder(text);
    for (int i = 0; i < all.length(); i++) {
      char c = all.charAt(i);
      if (c >= from && c <= to) {
        all.setCharAt(i, (char) (c + by));
      }
    }
    return all.toString();
  }

  private static int radix(long base, int least) {
    if (base < least || base > Character.MAX_RADIX) {
      throw new Fault(Fault.Kind.ILLOP, 0);
    }
    return (int) base;
  }

  /** Returns a number as a string. */
  static String number(long value, long base) {
    int radix = radix(base, 2);
    if (radix == 10) {
      return Long.toString(value);
    }
    String digits = Long.toUnsignedString(value, radix);
    return base == 16 ? "0x" + digits : base == 8 && value != 0 ? "0" + digits : digits;
  }

  /** Returns the number that a string begins with; 0 if it begins with none. */
  static long parse(String text, long base) {
    int at = 0;
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
    boolean isNegative = at < text.length() && text.charAt(at) == '-';
    at += isNegative || at < text.length() && text.charAt(at) == '+' ? 1 : 0;
    int radix = radix(base, 2);
    if (radix == 16 && text.regionMatches(true, at, "0x", 0, 2)) {
      at += 2;
    }
    long value = 0;
    while (at < text.length() && Character.digit(text.charAt(at), radix) >= 0) {
      value = value * radix + Character.digit(text.charAt(at++), radix);
    }
    return isNegative ? -value : value;
  }
}
