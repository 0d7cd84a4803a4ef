package io.ntrail.cli.text;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.FileTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
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

  /** Place of the fraction of a second in a time in its quotes. */
  private static final int FRACTION = "\"2026-03-14T08:26:53.".length();

  private static final int FRACTION_DIGITS = 7;
  private static final byte[] HEX_DIGITS = ascii("0123456789abcdef");
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
  }

  private final boolean isAscii;
  private final Map<String, byte[]> names = new HashMap<>();
  private final Map<String, Key> keys = new HashMap<>();
  private byte[] bytes = new byte[1 << 10];
  private int size;
  private byte[] utc = new byte[0];
  private long utcSecond = Long.MIN_VALUE;

  /** Makes an empty row. */
  public JsonRow() {
    this(false);
  }

  private JsonRow(boolean isAscii) {
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
    byte[] encoded = key.encoded;
    int length = encoded.length;
    byte[] to = room(length);
    // The first member of an object has no comma before it.
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
    // The logarithm of 2 is a little more than 1233 / 4096. Zero has a digit, as one has.
    long some = left | 1;
    int digits = (Long.SIZE - Long.numberOfLeadingZeros(some)) * 1233 >> 12;
    if (some >= POWERS[digits]) {
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
    byte[] to = room(MOST_OF_NUMBER);
    int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 3) >> 2);
    int at = size;
    to[at] = '"';
    to[at + 1] = '0';
    to[at + 2] = 'x';
    long rest = value;
    for (int i = at + 2 + digits; i > at + 2; i--) {
      to[i] = HEX_DIGITS[(int) rest & 15];
      rest >>>= 4;
    }
    to[at + 3 + digits] = '"';
    size = at + 4 + digits;
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
   * A FILETIME as {@link FileTime#text} writes it, null if it is not a date; after {@link #key} or
   * {@link #element}. Of times that follow each other only the fraction of the second is written
   * anew.
   */
  public JsonRow utc(long fileTime) {
    if (!FileTime.isDate(fileTime)) {
      return unknown();
    }
    long second = fileTime / FileTime.SECOND;
    if (second != utcSecond) {
      utc = ascii('"' + FileTime.text(fileTime) + '"');
      utcSecond = second;
    }
    int left = (int) (fileTime - second * FileTime.SECOND);
    byte[] text = utc;
    for (int i = FRACTION + FRACTION_DIGITS - 1; i >= FRACTION; i--) {
      int tenth = left / 10;
      text[i] = (byte) ('0' + left - 10 * tenth);
      left = tenth;
    }
    return raw(text);
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

  /** Writes the object to a stream that remembers failures, as a line. */
  public void line(PrintStream out) {
    put('\n');
    out.write(bytes, 0, size);
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
