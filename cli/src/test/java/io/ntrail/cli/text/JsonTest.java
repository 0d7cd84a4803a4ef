package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writer of JSON. */
final class JsonTest {
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
}
