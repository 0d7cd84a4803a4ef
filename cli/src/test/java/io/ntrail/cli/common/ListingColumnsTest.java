package io.ntrail.cli.common;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.cli.text.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListingColumnsTest {
  /** A row of a type. */
  private record Row(int number, String type) {}

  private static String lines(ListingColumns<Row> columns, List<Row> rows) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Json json = new Json(bytes)) {
      rows.forEach(row -> columns.object(json, row));
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void membersComeInTheOrderOfTheirColumnsWithoutThoseThatAreAbsent() {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .count("number", Row::number)
            .name("type", Row::type)
            .value("absent", (_, cell) -> cell.absent())
            .text("elsewhere", Row::type)
            .onlyCsv()
            .count("length", row -> row.type().length());

    assertEquals(
        """
        {"number":1,"type":"a\\"b","length":3}
        {"number":2,"type":"\\u202E","length":1}
        """,
        lines(columns, List.of(new Row(1, "a\"b"), new Row(2, "\u202e"))));
  }
}
