package io.ntrail.cli.text;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Writer of JSON: one object ({@code --format json}), or one a line ({@code jsonl}). Unknown values
 * are null, never 0 or "".
 */
public final class Json implements AutoCloseable {
  /** Key of members that are written again and again: its escapes and bytes are made once. */
  public static final class Key {
    private final String name;

    /** Its bytes; null: it may need escapes of ours. */
    private final @Nullable SerializedString encoded;

    public Key(String name) {
      this.name = name;
      boolean isPlain = !JsonEscapes.apply(name) && !JsonEscapes.isBeyondAscii(name);
      encoded = isPlain ? new SerializedString(name) : null;
    }
  }

  private static final int MOST_ENCODED = 1 << 12;

  private static final byte[] HEX_DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final JsonGenerator generator;
  private final OutputStream target;
  private final Map<String, SerializedString> encoded = new HashMap<>();
  private final byte[] hex = "0x0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private byte[] pairs = new byte[64];
  private boolean empty = true;
  private final boolean isAscii;

  /** Writes UTF-8 to a stream that it does not close; objects on a line of their own each. */
  public Json(OutputStream out) {
    this(out, isAscii(out));
  }

  /** Returns true if other characters than ASCII would not arrive. */
  static boolean isAscii(OutputStream out) {
    return out instanceof TextPrinter printer && printer.isAscii();
  }

  /**
   * Writes to a stream that it does not close.
   *
   * @param isAscii whether other characters are written as escapes
   */
  Json(OutputStream out, boolean isAscii) {
    target = out;
    this.isAscii = isAscii;
    try {
      generator =
          new JsonFactoryBuilder()
              .rootValueSeparator("\n")
              .characterEscapes(new JsonEscapes())
              .configure(JsonWriteFeature.ESCAPE_NON_ASCII, isAscii)
              // Names and texts have the same bytes: what is whole is not written in two escapes.
              .configure(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8, true)
              .build()
              .createGenerator(out);
      generator.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      generator.disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM.mappedFeature());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Begins an object, as an element or as the whole. */
  public Json object() {
    try {
      empty = false;
      generator.writeStartObject();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Begins an object under a key. */
  public Json object(String key) {
    return key(key).object();
  }

  /** Makes an empty row with the characters that are written here, for {@link #row}. */
  public JsonRow newRow() {
    return new JsonRow(isAscii);
  }

  /** Writes an object whose bytes were made elsewhere, as an element or as the whole. */
  public Json row(JsonRow row) {
    try {
      empty = false;
      // What belongs in front of a value is the library's to know.
      generator.writeRawValue("");
      generator.flush();
      row.to(target);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends an object. */
  public Json endObject() {
    try {
      generator.writeEndObject();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Begins an array as an element. */
  public Json array() {
    try {
      generator.writeStartArray();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Begins an array under a key. */
  public Json array(String key) {
    return key(key).array();
  }

  /** Ends an array. */
  public Json endArray() {
    try {
      generator.writeEndArray();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A key, whose value is written next. */
  public Json key(String key) {
    try {
      SerializedString known = encoded(key);
      if (known == null) {
        generator.writeFieldName(JsonEscapes.hasHalf(key) ? TextSanitizer.one(key) : key);
      } else {
        generator.writeFieldName(known);
      }
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A key, whose value is written next. */
  public Json key(Key key) {
    SerializedString known = key.encoded;
    if (known == null) {
      return key(key.name);
    }
    try {
      generator.writeFieldName(known);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A text that is written again and again, such as a name, or null; after {@link #key}. */
  public Json name(@Nullable String value) {
    SerializedString known = value == null ? null : encoded(value);
    if (known == null) {
      return text(value);
    }
    try {
      generator.writeString(known);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A text that is written again and again, such as a name; or null. */
  public Json name(String key, @Nullable String value) {
    return key(key).name(value);
  }

  /**
   * Keys and names with their bytes, which cost more than finding them here; null: it needs escapes
   * of ours.
   */
  private @Nullable SerializedString encoded(String text) {
    SerializedString known = encoded.get(text);
    if (known == null
        && !JsonEscapes.apply(text)
        && !(isAscii && JsonEscapes.isBeyondAscii(text))) {
      known = new SerializedString(text);
      if (encoded.size() == MOST_ENCODED) {
        encoded.clear();
      }
      encoded.put(text, known);
    }
    return known;
  }

  /** A text, or null, as an element or after {@link #key}. */
  public Json text(@Nullable String value) {
    try {
      if (value == null) {
        generator.writeNull();
      } else if (JsonEscapes.hasHalf(value)) {
        generator.writeRawValue(JsonEscapes.quoted(value));
      } else {
        generator.writeString(value);
      }
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A text, or null. */
  public Json text(String key, @Nullable String value) {
    return key(key).text(value);
  }

  /** An address or flags, as {@link Numbers#hex} writes them; an element or after {@link #key}. */
  public Json hex(long value) {
    int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 3) / 4);
    long rest = value;
    for (int i = digits + 1; i > 1; i--) {
      hex[i] = HEX_DIGITS[(int) rest & 15];
      rest >>>= 4;
    }
    try {
      generator.writeRawUTF8String(hex, 0, digits + 2);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Bytes as {@link Numbers#hex(Bytes, int, int)} writes them; an element or after a key. */
  public Json bytes(Bytes bytes, int at, int length) {
    if (pairs.length < 2 * length) {
      pairs = new byte[2 * length];
    }
    Numbers.hex(bytes, at, length, pairs, 0);
    try {
      generator.writeRawUTF8String(pairs, 0, 2 * length);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A number, as an element or after {@link #key}. */
  public Json number(long value) {
    try {
      generator.writeNumber(value);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A number. */
  public Json number(String key, long value) {
    return key(key).number(value);
  }

  /** A 64-bit number without a sign, as an element or after {@link #key}. */
  public Json unsigned(long value) {
    if (value >= 0) {
      return number(value);
    }
    try {
      generator.writeNumber(Long.toUnsignedString(value));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A 64-bit number without a sign. */
  public Json unsigned(String key, long value) {
    return key(key).unsigned(value);
  }

  /** Writes a number; empty is unknown. */
  public Json known(String key, OptionalLong value) {
    return value.isPresent() ? number(key, value.getAsLong()) : unknown(key);
  }

  /** A number with decimals, exactly: 125 with one is 12.5. */
  public Json decimal(long units, int decimals) {
    try {
      if (decimals == 0 || units == 0) {
        generator.writeNumber(units);
      } else {
        generator.writeNumber(Numbers.plainDecimal(units, decimals));
      }
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A number with a fraction; what JSON has no number for (infinite, not a number) as a text. */
  public Json real(double value) {
    try {
      if (Double.isFinite(value)) {
        generator.writeNumber(value);
      } else {
        generator.writeString(Double.toString(value));
      }
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a number with a fraction, with the digits that 32 bits of it have. */
  public Json real(float value) {
    try {
      if (Float.isFinite(value)) {
        generator.writeNumber(value);
      } else {
        generator.writeString(Float.toString(value));
      }
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An unknown value. */
  public Json unknown(String key) {
    return key(key).text(null);
  }

  /** A truth value, as an element or after {@link #key}. */
  public Json bool(boolean value) {
    try {
      generator.writeBoolean(value);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A truth value. */
  public Json bool(String key, boolean value) {
    return key(key).bool(value);
  }

  /** The losses that the recorder counted. */
  public Json lost(long events, long buffers) {
    return lost(events, buffers, 0, 0);
  }

  /**
   * Writes the losses of a recording of events.
   *
   * @param neverFinalised files whose session did not end in an orderly way
   * @param flagged buffers whose header says that something was lost before them
   */
  public Json lost(long events, long buffers, int neverFinalised, int flagged) {
    return lost(OptionalLong.of(events), OptionalLong.of(buffers), neverFinalised, flagged);
  }

  /** Writes the losses of any recording; what its recorder does not count is empty. */
  public Json lost(OptionalLong events, OptionalLong buffers, int neverFinalised, int flagged) {
    object("lost").known("events", events).known("buffers", buffers);
    if (neverFinalised > 0) {
      number("neverFinalised", neverFinalised);
    }
    if (flagged > 0) {
      number("flaggedBuffers", flagged);
    }
    return endObject();
  }

  /** Writes the parts of the input that could not be read. */
  public Json gaps(List<Gap> gaps) {
    array("gaps");
    for (Gap gap : gaps) {
      object().text("file", gap.file()).number("offset", gap.offset());
      if (gap.bytes() < 0) {
        unknown("bytes");
      } else {
        number("bytes", gap.bytes());
      }
      text("what", gap.what()).text("why", gap.why()).endObject();
    }
    return endArray();
  }

  /** Gives what is written so far to the stream. */
  void flush() {
    try {
      generator.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the last line. */
  @Override
  public void close() {
    try {
      generator.close();
      if (!empty) {
        target.write('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
