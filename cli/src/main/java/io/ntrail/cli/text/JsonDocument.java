package io.ntrail.cli.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A JSON document that was read: an answer of a command.
 *
 * @param value a map of texts to these, a list of these, a text, a number, a truth value, or null
 */
public record JsonDocument(@Nullable Object value) {
  /**
   * Parses the first value of a text.
   *
   * @throws IOException if it is not JSON
   */
  public static JsonDocument parse(String text) throws IOException {
    try (JsonParser parser = new JsonFactory().createParser(text)) {
      if (parser.nextToken() == null) {
        throw new IOException("no JSON: empty");
      }
      return read(parser);
    }
  }

  private static JsonDocument read(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    return new JsonDocument(
        switch (token) {
          case START_OBJECT -> {
            Map<String, JsonDocument> members = new LinkedHashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
              String key = parser.currentName();
              parser.nextToken();
              members.put(key, read(parser));
            }
            yield members;
          }
          case START_ARRAY -> {
            List<JsonDocument> elements = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
              elements.add(read(parser));
            }
            yield elements;
          }
          case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
          case VALUE_TRUE -> true;
          case VALUE_FALSE -> false;
          case VALUE_NULL -> null;
          default -> parser.getText();
        });
  }

  /** Returns a member of an object; empty if there is none. */
  public Optional<JsonDocument> find(String key) {
    return value instanceof Map<?, ?> map && map.get(key) instanceof JsonDocument member
        ? Optional.of(member)
        : Optional.empty();
  }

  /** Returns the elements of an array; none if it is something else. */
  public List<JsonDocument> elements() {
    List<JsonDocument> elements = new ArrayList<>();
    if (value instanceof List<?> list) {
      for (Object one : list) {
        if (one instanceof JsonDocument element) {
          elements.add(element);
        }
      }
    }
    return elements;
  }

  /** Returns the members of an object; none if it is something else. */
  public Map<String, JsonDocument> members() {
    Map<String, JsonDocument> members = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, member) -> {
        if (key instanceof String name && member instanceof JsonDocument document) {
          members.put(name, document);
        }
      });
    }
    return members;
  }

  /** Returns the number that it is; empty if it is something else. */
  public Optional<Double> number() {
    return value instanceof Double number ? Optional.of(number) : Optional.empty();
  }

  /** Returns the text that it is; empty if it is something else. */
  public String text() {
    return value instanceof String text ? text : "";
  }
}
