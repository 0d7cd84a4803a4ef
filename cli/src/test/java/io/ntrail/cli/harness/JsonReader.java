package io.ntrail.cli.harness;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value as a test looks at it.
 *
 * @param value a map of texts to these, a list of these, a text, a number, a truth value, or null
 */
public record JsonReader(@Nullable Object value) {

  /** Parses exactly one value; a key that is there twice is an error. */
  public static JsonReader parse(String text) {
    JsonFactory factory =
        JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    try (JsonParser parser = factory.createParser(text)) {
      parser.nextToken();
      JsonReader value = new JsonReader(value(parser));
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("more than one value in: " + text);
      }
      return value;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable Object value(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    return switch (token) {
      case START_OBJECT -> {
        Map<String, JsonReader> object = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String key = parser.currentName();
          parser.nextToken();
          object.put(key, new JsonReader(value(parser)));
        }
        yield object;
      }
      case START_ARRAY -> {
        List<JsonReader> array = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          array.add(new JsonReader(value(parser)));
        }
        yield array;
      }
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new IllegalArgumentException("unexpected " + token);
    };
  }

  /** The value of a key that must be there. */
  public JsonReader get(String key) {
    JsonReader member = object().get(key);
    if (member == null) {
      throw new AssertionError("no key " + key + " in " + this);
    }
    return member;
  }

  /** Returns whether there is such a key. */
  public boolean has(String key) {
    return object().containsKey(key);
  }

  /** Returns the value as an object. */
  @SuppressWarnings("unchecked") // made by value() only
  public Map<String, JsonReader> object() {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, JsonReader>) map;
    }
    throw new AssertionError("no object: " + this);
  }

  /** Returns the value as an array. */
  @SuppressWarnings("unchecked") // made by value() only
  public List<JsonReader> array() {
    if (value instanceof List<?> list) {
      return (List<JsonReader>) list;
    }
    throw new AssertionError("no array: " + this);
  }

  /** Returns the value as a text. */
  public String text() {
    if (value instanceof String text) {
      return text;
    }
    throw new AssertionError("no text: " + this);
  }

  /** Returns the value as an integer. */
  public long number() {
    if (value instanceof BigDecimal number) {
      return number.longValueExact();
    }
    throw new AssertionError("no number: " + this);
  }

  /** Returns whether it is true. */
  public boolean isTrue() {
    return Boolean.TRUE.equals(value);
  }

  /** Returns whether it is null. */
  public boolean isNull() {
    return value == null;
  }
}
