package io.ntrail.formats.registry;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Text of a {@code .reg} file, version 5: UTF-16, little-endian, with a byte order mark; lines end
 * with CR LF. Importing it goes through the lines in order.
 *
 * <p>Form and width of lines are those of files that regedit exports.
 */
public final class RegistryText implements RegistryChanges {
  private static final String LINE = "\r\n";
  private static final String FIRST_LINE = "Windows Registry Editor Version 5.00";

  /** A line goes on in the next one as soon as it has this many characters. */
  private static final int WIDTH = 77;

  private final StringBuilder text = new StringBuilder(FIRST_LINE).append(LINE);

  /** Makes one without keys. */
  public RegistryText() {}

  /** Adds a key with its full path; values that follow are in it, and it is made if missing. */
  @Override
  public RegistryText key(String path) {
    text.append(LINE).append('[').append(path).append(']').append(LINE);
    return this;
  }

  /** Adds that a key is deleted with all that is in it. */
  @Override
  public RegistryText deleteKey(String path) {
    return key("-" + path);
  }

  /** Adds a REG_DWORD. */
  @Override
  public RegistryText number(String name, int value) {
    return value(name, "dword:%08x".formatted(value));
  }

  /** Adds a REG_QWORD: its bytes, the lowest first. */
  @Override
  public RegistryText wide(String name, long value) {
    StringBuilder bytes = new StringBuilder("hex(b):");
    for (int i = 0; i < Long.BYTES; i++) {
      bytes.append(i == 0 ? "" : ",").append(HexFormat.of().toHexDigits((byte) (value >>> 8 * i)));
    }
    return value(name, bytes.toString());
  }

  /**
   * Adds a REG_SZ.
   *
   * @throws IllegalArgumentException if the text has more than one line
   */
  @Override
  public RegistryText string(String name, String value) {
    return value(name, quoted(value));
  }

  /** Adds a REG_BINARY. */
  @Override
  public RegistryText binary(String name, byte[] value) {
    StringBuilder line = new StringBuilder(quoted(name)).append("=hex:");
    for (int i = 0; i < value.length; i++) {
      line.append(HexFormat.of().toHexDigits(value[i]));
      if (i + 1 < value.length) {
        line.append(',');
        if (line.length() >= WIDTH) {
          text.append(line).append('\\').append(LINE);
          line = new StringBuilder("  ");
        }
      }
    }
    text.append(line).append(LINE);
    return this;
  }

  /** Adds that a value is deleted; no error if there is none. */
  @Override
  public RegistryText deleteValue(String name) {
    return value(name, "-");
  }

  private RegistryText value(String name, String value) {
    text.append(quoted(name)).append('=').append(value).append(LINE);
    return this;
  }

  private static String quoted(String words) {
    if (words.chars().anyMatch(letter -> letter < ' ')) {
      throw new IllegalArgumentException("a name or text of a .reg file must be one line");
    }
    return '"' + words.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Returns the bytes of the file. */
  public byte[] toBytes() {
    return ('\uFEFF' + text.toString() + LINE).getBytes(StandardCharsets.UTF_16LE);
  }
}
