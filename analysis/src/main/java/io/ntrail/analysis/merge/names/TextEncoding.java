package io.ntrail.analysis.merge.names;

import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Encoding of a text, as a view of bytes: reads and writes one UTF-16 unit after the other, so that
 * one comparison serves all encodings.
 */
abstract sealed class TextEncoding {
  /** There is no unit. */
  static final int NONE = -1;

  /** UTF-16, low byte first. */
  static final TextEncoding UTF16_LE = new Utf16(false);

  /** UTF-16, high byte first. */
  static final TextEncoding UTF16_BE = new Utf16(true);

  /** UTF-8. */
  static final TextEncoding UTF8 = new Utf8();

  /** Western European code page of Windows; what it leaves undefined is a control character. */
  static final TextEncoding WINDOWS_1252 = new Page(Charset.forName("windows-1252"));

  /**
   * Code pages of Windows and its consoles. Which of them there are depends on the Java runtime.
   */
  private static final List<String> PAGES =
      List.of(
          "windows-1250",
          "windows-1251",
          "windows-1253",
          "windows-1254",
          "windows-1255",
          "windows-1256",
          "windows-1257",
          "windows-1258",
          "x-windows-874",
          "IBM437",
          "IBM850",
          "IBM852",
          "IBM866",
          "windows-31j",
          "GBK",
          "x-windows-949",
          "x-windows-950");

  /**
   * Reads a unit.
   *
   * @param to end of the text
   * @return bytes of it in the high 16 bits, the unit in the low ones; {@link #NONE} if there is
   *     none
   */
  abstract int read(byte[] data, int at, int to);

  /** Returns the unit before a place; {@link #NONE} if there is none. */
  abstract int before(byte[] data, int at, int from);

  /** Writes a unit over one of as many bytes. */
  abstract void write(byte[] data, int at, int width, char unit);

  /** Returns the code pages that have all characters of some of these names. */
  static List<TextEncoding> pages(Collection<String> names) {
    List<String> beyond = names.stream().filter(name -> !isAscii(name)).toList();
    List<TextEncoding> found = new ArrayList<>();
    if (!beyond.isEmpty()) {
      found.add(WINDOWS_1252);
    }
    for (String page : PAGES) {
      if (Charset.isSupported(page)) {
        CharsetEncoder encoder = Charset.forName(page).newEncoder();
        if (beyond.stream().anyMatch(name -> has(encoder, name))) {
          found.add(new Page(Charset.forName(page)));
        }
      }
    }
    return found;
  }

  /** Returns true if a code page has all characters of a name in some case. */
  private static boolean has(CharsetEncoder encoder, String name) {
    return name.chars()
        .allMatch(unit ->
            NameUnits.variants((char) unit).chars().anyMatch(one -> encoder.canEncode((char) one)));
  }

  /** Returns a text in this encoding; empty if it does not have one of the characters. */
  abstract byte[] encoded(String text);

  private static boolean isAscii(String text) {
    return text.chars().allMatch(unit -> unit < 0x80);
  }

  /** Returns a text of bytes: UTF-8, or where it is not well-formed that of a code page. */
  static String decoded(byte[] text) {
    String utf8 = new String(text, StandardCharsets.UTF_8);
    if (Arrays.equals(utf8.getBytes(StandardCharsets.UTF_8), text)) {
      return utf8;
    }
    StringBuilder out = new StringBuilder(text.length);
    for (int i = 0; i < text.length; i++) {
      out.append((char) WINDOWS_1252.read(text, i, text.length));
    }
    return out.toString();
  }

  /** Returns a letter of ASCII for one that an encoding does not have. */
  static char plain(char unit) {
    return (char) ('a' + unit % 26);
  }

  private static final class Utf16 extends TextEncoding {
    private final int low;

    Utf16(boolean isBigEndian) {
      this.low = isBigEndian ? 1 : 0;
    }

    @Override
    int read(byte[] data, int at, int to) {
      return at + 2 > to ? NONE : 2 << 16 | unit(data, at);
    }

    @Override
    byte[] encoded(String text) {
      return text.getBytes(low == 0 ? StandardCharsets.UTF_16LE : StandardCharsets.UTF_16BE);
    }

    private int unit(byte[] data, int at) {
      return data[at + low] & 0xFF | (data[at + 1 - low] & 0xFF) << 8;
    }

    @Override
    int before(byte[] data, int at, int from) {
      return at - 2 < from ? NONE : unit(data, at - 2);
    }

    @Override
    void write(byte[] data, int at, int width, char unit) {
      data[at + low] = (byte) unit;
      data[at + 1 - low] = (byte) (unit >>> 8);
    }
  }

  /**
   * A character beyond U+FFFF is two units of two bytes each. Its first unit stays as it is when
   * something is written over it.
   */
  private static final class Utf8 extends TextEncoding {
    @Override
    byte[] encoded(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }

    private static boolean isNext(byte[] data, int at, int to) {
      return at < to && (data[at] & 0xC0) == 0x80;
    }

    @Override
    int read(byte[] data, int at, int to) {
      if (at >= to) {
        return NONE;
      }
      int lead = data[at] & 0xFF;
      if (lead < 0x80) {
        return 1 << 16 | lead;
      }
      if (lead >= 0xC2 && lead < 0xE0 && isNext(data, at + 1, to)) {
        return 2 << 16 | (lead & 0x1F) << 6 | data[at + 1] & 0x3F;
      }
      if ((lead & 0xF0) == 0xE0 && isNext(data, at + 1, to) && isNext(data, at + 2, to)) {
        return 3 << 16 | (lead & 0xF) << 12 | (data[at + 1] & 0x3F) << 6 | data[at + 2] & 0x3F;
      }
      if (isFour(data, at, to)) {
        return 2 << 16
            | 0xD800
            | ((lead & 7) << 8 | (data[at + 1] & 0x3F) << 2) + ((data[at + 2] & 0x30) >>> 4) - 0x40;
      }
      if (lead < 0xC0 && at >= 2 && isFour(data, at - 2, to)) {
        return 2 << 16 | 0xDC00 | (lead & 0xF) << 6 | data[at + 1] & 0x3F;
      }
      return 1 << 16 | lead;
    }

    private static boolean isFour(byte[] data, int at, int to) {
      int lead = data[at] & 0xFF;
      return lead >= 0xF0
          && lead <= 0xF4
          && isNext(data, at + 1, to)
          && isNext(data, at + 2, to)
          && isNext(data, at + 3, to);
    }

    @Override
    int before(byte[] data, int at, int from) {
      for (int width = 2; width <= 3 && at - width >= from; width++) {
        int read = read(data, at - width, at);
        if (read >>> 16 == width) {
          return read & 0xFFFF;
        }
      }
      return at - 1 < from ? NONE : data[at - 1] & 0xFF;
    }

    @Override
    void write(byte[] data, int at, int width, char unit) {
      if (Character.isLowSurrogate(unit)) {
        data[at] = (byte) (data[at] & 0xB0 | (unit & 0x3FF) >>> 6);
        data[at + 1] = (byte) (0x80 | unit & 0x3F);
      } else if (width == 1) {
        data[at] = (byte) (unit < 0x80 ? unit : plain(unit));
      } else if (width == 2 && !Character.isSurrogate(unit)) {
        data[at] = (byte) (0xC0 | unit >>> 6);
        data[at + 1] = (byte) (0x80 | unit & 0x3F);
      } else if (width == 3) {
        data[at] = (byte) (0xE0 | unit >>> 12);
        data[at + 1] = (byte) (0x80 | unit >>> 6 & 0x3F);
        data[at + 2] = (byte) (0x80 | unit & 0x3F);
      }
    }
  }

  /** One or two bytes are a character. */
  private static final class Page extends TextEncoding {
    private static final char LEAD = 0xFFFF;
    private final CharsetEncoder encoder;
    private final char[] single = new char[256];
    private final char[] pairs;

    Page(Charset charset) {
      this.encoder = charset.newEncoder();
      boolean isDouble = encoder.maxBytesPerChar() > 1;
      for (int b = 0; b < 256; b++) {
        String one = new String(new byte[] {(byte) b}, charset);
        boolean isNone = one.length() != 1 || one.charAt(0) == 0xFFFD;
        single[b] = isNone ? (char) (isDouble && b >= 0x80 ? LEAD : b) : one.charAt(0);
      }
      this.pairs = isDouble ? pairs(charset) : new char[0];
    }

    private char[] pairs(Charset charset) {
      char[] all = new char[1 << 16];
      for (int lead = 0x80; lead < 256; lead++) {
        for (int next = 0x40; single[lead] == LEAD && next < 256; next++) {
          String one = new String(new byte[] {(byte) lead, (byte) next}, charset);
          boolean isOne = one.length() == 1 && one.charAt(0) != 0xFFFD;
          all[lead << 8 | next] = isOne ? one.charAt(0) : 0;
        }
      }
      return all;
    }

    @Override
    int read(byte[] data, int at, int to) {
      if (at >= to) {
        return NONE;
      }
      int first = data[at] & 0xFF;
      char one = single[first];
      if (one != LEAD || pairs.length == 0) {
        return 1 << 16 | one;
      }
      char both = at + 1 < to ? pairs[first << 8 | data[at + 1] & 0xFF] : 0;
      return both == 0 ? 1 << 16 | first : 2 << 16 | both;
    }

    @Override
    int before(byte[] data, int at, int from) {
      if (at - 1 < from) {
        return NONE;
      }
      if (pairs.length > 0 && at - 2 >= from) {
        int read = read(data, at - 2, at);
        if (read >>> 16 == 2) {
          return read & 0xFFFF;
        }
      }
      return single[data[at - 1] & 0xFF];
    }

    @Override
    void write(byte[] data, int at, int width, char unit) {
      byte[] bytes = encoded(String.valueOf(unit));
      if (bytes.length != width) {
        bytes = new byte[width];
        Arrays.fill(bytes, (byte) plain(unit));
      }
      System.arraycopy(bytes, 0, data, at, width);
    }

    @Override
    byte[] encoded(String text) {
      return encoder.canEncode(text) ? text.getBytes(encoder.charset()) : new byte[0];
    }
  }
}
