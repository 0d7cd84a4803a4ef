package io.ntrail.cli.text;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.FileTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One object of JSON as bytes, for rows of which there are millions: it writes what {@link Json}
 * would. Nothing checks that members have keys and that what was begun is ended. One thread at a
 * time.
 */
public final class JsonRow {
  /** Key of members that are written again and again. */
  public static final class Key {
    private final byte[] encoded;

    /**
     * @param encoded a comma, the key in its quotes and a colon
     */
    private Key(byte[] encoded) {
      this.encoded = encoded;
    }
  }

  /** Bytes that a number, a point in time or a word of JSON needs at most. */
  private static final int MOST_OF_NUMBER = 32;

  private static final int MOST_NAMES = 1 << 12;

  /** Digits of the fraction of a second. */
  private static final int FRACTION_DIGITS = 7;

  /** The two digits of each byte in hexadecimal, one behind the other. */
  private static final byte[] HEX_PAIRS = new byte[512];

  private static final byte[] NOTHING = {};
  private static final byte[] NULL = ascii("null");
  private static final byte[] TRUE = ascii("true");
  private static final byte[] FALSE = ascii("false");

  /** The last digits of numbers below a hundred, and the first ones. */
  private static final byte[] ONES = new byte[100];

  private static final byte[] TENS = new byte[100];

  private static final byte[] LOWEST = ascii(Long.toString(Long.MIN_VALUE));

  /** Powers of ten. */
  private static final long[] POWERS = new long[19];

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = 10 * POWERS[i - 1];
    }
    for (int i = 0; i < 100; i++) {
      TENS[i] = (byte) ('0' + i / 10);
      ONES[i] = (byte) ('0' + i % 10);
    }
    byte[] digits = ascii("0123456789abcdef");
    for (int i = 0; i < 256; i++) {
      HEX_PAIRS[2 * i] = digits[i >> 4];
      HEX_PAIRS[2 * i + 1] = digits[i & 15];
    }
  }

  private final boolean isAscii;
  private final Map<String, byte[]> names = new HashMap<>();
  private final Map<String, Key> keys = new HashMap<>();
  private byte[] bytes = new byte[1 << 10];
  private int size;
  private byte[] utc = new byte[0];
  private long utcSecond = Long.MIN_VALUE;
  private @Nullable Key utcKey;

  /** Makes an empty row. */
  public JsonRow() {
    this(false);
  }

  JsonRow(boolean isAscii) {
    this.isAscii = isAscii;
  }

  /** Makes an empty row with the characters that arrive where a stream prints. */
  public static JsonRow of(OutputStream out) {
    return new JsonRow(Json.isAscii(out));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Makes a key of objects that are written here. */
  public Key newKey(String name) {
    byte[] object = byLibrary(json -> json.object().key(name).number(0).endObject());
    // The brace makes way for a comma; the number, the other one and the end of the line go.
    byte[] encoded = Arrays.copyOf(object, object.length - "0}\n".length());
    encoded[0] = ',';
    return new Key(encoded);
  }

  /** Returns a text with its quotes. */
  private byte[] encoded(String text) {
    byte[] array = byLibrary(json -> json.array().text(text).endArray());
    return Arrays.copyOfRange(array, 1, array.length - 1);
  }

  /** Returns what the library writes, to which escapes are left. */
  private byte[] byLibrary(Consumer<Json> write) {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    try (Json json = new Json(written, isAscii)) {
      write.accept(json);
    }
    return written.toByteArray();
  }

  private byte[] room(int more) {
    byte[] known = bytes;
    return known.length - size >= more ? known : grow(more);
  }

  private byte[] grow(int more) {
    bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(size, more)));
    return bytes;
  }

  private JsonRow raw(byte[] raw) {
    int length = raw.length;
    System.arraycopy(raw, 0, room(length), size, length);
    size += length;
    return this;
  }

  private JsonRow put(char c) {
    room(1)[size++] = (byte) c;
    return this;
  }

  /** Begins the whole object. */
  public JsonRow begin() {
    size = 0;
    return put('{');
  }

  /** Begins an object after {@link #key} or {@link #element}. */
  public JsonRow object() {
    return put('{');
  }

  /** Ends an object. */
  public JsonRow endObject() {
    return put('}');
  }

  /** Begins an array after {@link #key}. */
  public JsonRow array() {
    return put('[');
  }

  /** Begins an element of an array. */
  public JsonRow element() {
    return bytes[size - 1] == '[' ? this : put(',');
  }

  /** Ends an array. */
  public JsonRow endArray() {
    return put(']');
  }

  /** A key, whose value is written next. */
  public JsonRow key(Key key) {
    return member(key.encoded);
  }

  /** Writes what begins with a comma, which the first member of an object does not have. */
  private JsonRow member(byte[] encoded) {
    int length = encoded.length;
    byte[] to = room(length);
    int from = to[size - 1] == '{' ? 1 : 0;
    System.arraycopy(encoded, from, to, size, length - from);
    size += length - from;
    return this;
  }

  /** A key, whose value is written next: one of few. */
  public JsonRow key(String name) {
    Key known = keys.get(name);
    if (known == null) {
      known = newKey(name);
      keys.put(name, known);
    }
    return key(known);
  }

  /** Writes members, with the separator before them, that were taken from {@link #from}. */
  public JsonRow members(byte[] written) {
    return raw(written);
  }

  /** Returns a copy of what was written since there were so many bytes. */
  public byte[] from(int begin) {
    return Arrays.copyOfRange(bytes, begin, size);
  }

  /** Takes away what was written since there were so many bytes, and returns it. */
  public byte[] take(int begin) {
    byte[] taken = from(begin);
    size = begin;
    return taken;
  }

  /** Returns the number of bytes so far. */
  public int size() {
    return size;
  }

  /** An unknown value, after {@link #key} or {@link #element}. */
  public JsonRow unknown() {
    return raw(NULL);
  }

  /** A truth value, after {@link #key} or {@link #element}. */
  public JsonRow bool(boolean value) {
    return raw(value ? TRUE : FALSE);
  }

  /** A number, after {@link #key} or {@link #element}. */
  public JsonRow number(long value) {
    digits(NOTHING, value);
    return this;
  }

  /** A member that is a number. */
  public JsonRow number(Key key, long value) {
    digits(key.encoded, value);
    return this;
  }

  /** A 64-bit number without a sign, after {@link #key} or {@link #element}. */
  public JsonRow unsigned(long value) {
    return value < 0 ? raw(ascii(Long.toUnsignedString(value))) : number(value);
  }

  /** A member that is a 64-bit number without a sign. */
  public JsonRow unsigned(Key key, long value) {
    return value < 0 ? key(key).unsigned(value) : number(key, value);
  }

  /** Writes a key, if it is not empty, and a number: most of what a row is. */
  private void digits(byte[] key, long value) {
    byte[] to = room(key.length + MOST_OF_NUMBER);
    int at = size;
    if (key.length > 0) {
      int from = to[at - 1] == '{' ? 1 : 0;
      System.arraycopy(key, from, to, at, key.length - from);
      at += key.length - from;
    }
    long left = value;
    if (left < 0) {
      if (left == Long.MIN_VALUE) {
        System.arraycopy(LOWEST, 0, to, at, LOWEST.length);
        size = at + LOWEST.length;
        return;
      }
      left = -left;
      to[at++] = '-';
    }
    if (left < 10) {
      to[at] = (byte) ('0' + (int) left);
      size = at + 1;
      return;
    }
    // The logarithm of 2 is a little more than 1233 / 4096.
    int digits = (Long.SIZE - Long.numberOfLeadingZeros(left)) * 1233 >> 12;
    if (left >= POWERS[digits]) {
      digits++;
    }
    at += digits;
    size = at;
    while (left >= 100) {
      long hundreds = left / 100;
      int two = (int) (left - 100 * hundreds);
      to[--at] = ONES[two];
      to[--at] = TENS[two];
      left = hundreds;
    }
    to[--at] = ONES[(int) left];
    if (left >= 10) {
      to[--at] = TENS[(int) left];
    }
  }

  /**
   * An address or flags, as {@link Numbers#hex} writes them; after {@link #key} or {@link
   * #element}.
   */
  public JsonRow hex(long value) {
    hex(NOTHING, value);
    return this;
  }

  /** A member that is an address or flags. */
  public JsonRow hex(Key key, long value) {
    hex(key.encoded, value);
    return this;
  }

  /** Writes a key, if it is not empty, and a number in hexadecimal. */
  private void hex(byte[] key, long value) {
    byte[] to = room(key.length + MOST_OF_NUMBER);
    int at = size;
    if (key.length > 0) {
      int from = to[at - 1] == '{' ? 1 : 0;
      System.arraycopy(key, from, to, at, key.length - from);
      at += key.length - from;
    }
    size = hex(value, to, at);
  }

  /** Writes a number in hexadecimal with its quotes; returns the place behind it. */
  private static int hex(long value, byte[] to, int begin) {
    int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 3) >> 2);
    to[begin] = '"';
    to[begin + 1] = '0';
    to[begin + 2] = 'x';
    int first = begin + 3;
    int at = first + digits;
    to[at] = '"';
    long rest = value;
    while (at - 2 >= first) {
      int pair = ((int) rest & 0xFF) << 1;
      to[--at] = HEX_PAIRS[pair + 1];
      to[--at] = HEX_PAIRS[pair];
      rest >>>= 8;
    }
    if (at > first) {
      to[first] = HEX_PAIRS[((int) rest & 15) * 2 + 1];
    }
    return first + digits + 1;
  }

  /**
   * An array of addresses or flags, after {@link #key} or {@link #element}.
   *
   * @param of the window that they are in
   * @param begin where the first one begins
   * @param length bytes of each
   */
  public JsonRow hexes(Bytes of, int begin, int length, int count) {
    byte[] to = room(Math.addExact(Math.multiplyExact(MOST_OF_NUMBER, count), 2));
    int unused = Long.SIZE - Byte.SIZE * length;
    int from = begin;
    int at = size;
    to[at++] = '[';
    for (int i = 0; i < count; i++) {
      if (i > 0) {
        to[at++] = ',';
      }
      at = hex(of.word(from, length) << unused >>> unused, to, at);
      from += length;
    }
    to[at] = ']';
    size = at + 1;
    return this;
  }

  /**
   * Bytes as {@link Numbers#hex(Bytes, int, int)} writes them; after {@link #key} or {@link
   * #element}.
   */
  public JsonRow bytes(Bytes of, int at, int length) {
    byte[] to = room(Math.addExact(Math.multiplyExact(2, length), 2));
    to[size] = '"';
    Numbers.hex(of, at, length, to, size + 1);
    size += 2 * length + 2;
    to[size - 1] = '"';
    return this;
  }

  /** A number with a fraction; what JSON has no number for (infinite, not a number) as a text. */
  public JsonRow real(double value) {
    return real(Double.toString(value), Double.isFinite(value));
  }

  /** Writes a number with a fraction, with the digits that 32 bits of it have. */
  public JsonRow real(float value) {
    return real(Float.toString(value), Float.isFinite(value));
  }

  private JsonRow real(String text, boolean isFinite) {
    return isFinite ? raw(ascii(text)) : text(text);
  }

  /**
   * A member that is a FILETIME as {@link FileTime#text} writes it, null if it is not a date. Of
   * times that follow each other only the fraction of the second is written anew.
   */
  public JsonRow utc(Key key, long fileTime) {
    long second = fileTime / FileTime.SECOND;
    if (fileTime <= 0 || second != utcSecond || !key.equals(utcKey)) {
      if (!FileTime.isDate(fileTime)) {
        return key(key).unknown();
      }
      byte[] value = ascii('"' + FileTime.text(fileTime) + '"');
      utc = Arrays.copyOf(key.encoded, key.encoded.length + value.length);
      System.arraycopy(value, 0, utc, key.encoded.length, value.length);
      utcSecond = second;
      utcKey = key;
    }
    int left = (int) (fileTime - second * FileTime.SECOND);
    byte[] text = utc;
    int end = text.length - "Z\"".length();
    for (int i = end - 1; i >= end - FRACTION_DIGITS; i--) {
      int tenth = left / 10;
      text[i] = (byte) ('0' + left - 10 * tenth);
      left = tenth;
    }
    return member(text);
  }

  /** A text that is written again and again, such as a name, or null; after {@link #key}. */
  public JsonRow name(@Nullable String value) {
    return value == null ? unknown() : raw(encodedName(value));
  }

  /** Writes bytes of {@link #encodedName}, after {@link #key} or {@link #element}. */
  public JsonRow encoded(byte[] name) {
    return raw(name);
  }

  /** Returns the bytes of a text that is written again and again, for {@link #encoded}. */
  public byte[] encodedName(String name) {
    byte[] known = names.get(name);
    if (known == null) {
      known = encoded(name);
      if (names.size() == MOST_NAMES) {
        names.clear();
      }
      names.put(name, known);
    }
    return known;
  }

  /** A text, or null, after {@link #key} or {@link #element}. */
  public JsonRow text(@Nullable String value) {
    if (value == null) {
      return unknown();
    }
    int length = value.length();
    byte[] to = room(Math.addExact(Math.multiplyExact(2, length), 2));
    int at = size;
    to[at++] = '"';
    for (int i = 0; i < length; i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        to[at++] = '\\';
      } else if (c < ' ' || c >= '\u007F') {
        return raw(encoded(value));
      }
      to[at++] = (byte) c;
    }
    to[at] = '"';
    size = at + 1;
    return this;
  }

  /** Adds the object to lines on their way to a stream. */
  public void line(JsonLines lines) {
    put('\n');
    lines.add(bytes, size);
  }

  /** Writes the object to a stream. */
  void to(OutputStream out) throws IOException {
    out.write(bytes, 0, size);
  }

  @Override
  public String toString() {
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }
}
