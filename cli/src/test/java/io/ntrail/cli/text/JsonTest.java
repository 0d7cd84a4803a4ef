package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writer of JSON. */
final class JsonTest {
  private static String object(Consumer<Json> members) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Json json = new Json(bytes)) {
      json.object();
      members.accept(json);
      json.endObject();
    }
    return bytes.toString(StandardCharsets.UTF_8).strip();
  }

  @ParameterizedTest
  @CsvSource({
    "true, '{\"B\\u00FCcher\":\"B\\u00FCcher\",\"text\":\"B\\u00FCcher\"}'",
    "false, '{\"B\u00fccher\":\"B\u00fccher\",\"text\":\"B\u00fccher\"}'",
  })
  void keysAndNamesAreEscapedAsTextsAreWhereOnlyAsciiArrives(boolean isAscii, String expected) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    TextPrinter printer = new TextPrinter(bytes, false, isAscii);
    try (Json json = new Json(printer)) {
      json.object().name("B\u00fccher", "B\u00fccher").text("text", "B\u00fccher").endObject();
    }
    printer.flush();
    assertEquals(expected, bytes.toString(StandardCharsets.UTF_8).strip());
  }

  @Test
  void keysThatAreKeptAreEscapedAsOthersAre() {
    for (String name : List.of("plain", "B\u00fccher", "a\"b", "a\u009bb", "a\ud83db")) {
      Json.Key kept = new Json.Key(name);
      assertEquals(
          object(json -> json.key(name).number(1)), object(json -> json.key(kept).number(1)));
    }
  }

  @Test
  void bytesAreInHexadecimalHoweverMany() {
    byte[] some = new byte[300];
    some[1] = (byte) 0xFF;
    some[299] = 0x0A;
    Bytes bytes = Bytes.copyOf(some, "some");
    assertEquals(
        "{\"a\":\"ff00\",\"b\":\"\",\"c\":\"00ff" + "00".repeat(297) + "0a\"}",
        object(json ->
            json.key("a")
                .bytes(bytes, 1, 2)
                .key("b")
                .bytes(bytes, 3, 0)
                .key("c")
                .bytes(bytes, 0, 300)));
  }
}
