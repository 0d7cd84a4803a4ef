package io.ntrail.cli.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import io.ntrail.formats.bytes.Gap;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one writer of JSON: one object ({@code --format json}), or one a line ({@code jsonl}).
 * Unknown values are null, never 0 or "".
 */
public final class Json implements AutoCloseable {
  private final JsonGenerator generator;
  private final OutputStream target;

  /** Writes UTF-8 to a stream that it does not close. */
  public Json(OutputStream out) {
    target = out;
    try {
      generator = new JsonFactory().createGenerator(out);
      generator.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      generator.disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM.mappedFeature());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private interface Write {
    void run() throws IOException;
  }

  private Json write(Write action) {
    try {
      action.run();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Begins an object, as an element or as the whole. */
  public Json object() {
    return write(generator::writeStartObject);
  }

  /** Begins an object under a key. */
  public Json object(String key) {
    return write(() -> generator.writeObjectFieldStart(key));
  }

  /** Ends an object. */
  public Json endObject() {
    return write(generator::writeEndObject);
  }

  /** Begins an array under a key. */
  public Json array(String key) {
    return write(() -> generator.writeArrayFieldStart(key));
  }

  /** Ends an array. */
  public Json endArray() {
    return write(generator::writeEndArray);
  }

  /** A text, or null. */
  public Json text(String key, @Nullable String value) {
    return write(() -> {
      if (value == null) {
        generator.writeNullField(key);
      } else {
        generator.writeStringField(key, value);
      }
    });
  }

  /** A number. */
  public Json number(String key, long value) {
    return write(() -> generator.writeNumberField(key, value));
  }

  /** A 64-bit number without a sign. */
  public Json unsigned(String key, long value) {
    if (value >= 0) {
      return number(key, value);
    }
    return write(() -> {
      generator.writeFieldName(key);
      generator.writeNumber(Long.toUnsignedString(value));
    });
  }

  /** An unknown value. */
  public Json unknown(String key) {
    return write(() -> generator.writeNullField(key));
  }

  /** A truth value. */
  public Json bool(String key, boolean value) {
    return write(() -> generator.writeBooleanField(key, value));
  }

  /** The losses that the recorder counted. */
  public Json lost(long events, long buffers) {
    return object("lost").number("events", events).number("buffers", buffers).endObject();
  }

  /** What could not be read. */
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

  /** Ends a line of JSON Lines: the next object follows on the next line. */
  @Override
  public void close() {
    write(() -> {
      generator.close();
      target.write('\n');
    });
  }
}
