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
  void rowsOfATypeShareWhatTheirTypeSaysAndNothingElse() {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .count("number", Row::number)
            .shared(
                Row::type,
                type ->
                    type.name("type", Row::type)
                        .value("absent", (_, cell) -> cell.absent())
                        .count("length", row -> row.type().length()))
            .count("again", Row::number);

    assertEquals(
        """
        {"number":1,"type":"a\\"b","length":3,"again":1}
        {"number":2,"type":"\\u202E","length":1,"again":2}
        {"number":3,"type":"a\\"b","length":3,"again":3}
        """,
        lines(columns, List.of(new Row(1, "a\"b"), new Row(2, "\u202e"), new Row(3, "a\"b"))));
  }

  @Test
  void columnsOfOneTypeMayAllBeAbsent() {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .count("number", Row::number)
            .shared(Row::type, type -> type.value("absent", (_, cell) -> cell.absent()))
            .count("again", Row::number);

    assertEquals("{\"number\":1,\"again\":1}\n", lines(columns, List.of(new Row(1, "none"))));
  }

  @Test
  void columnsOfSomeRowsAreWrittenInTheirPlaceAndAskedOfNoOthers() {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .count("number", Row::number)
            .where(
                row -> row.number() != 0,
                some ->
                    some.count("reciprocal", row -> 12 / row.number())
                        .value("absent", (_, cell) -> cell.absent()))
            .name("type", Row::type);

    assertEquals(
        """
        {"number":0,"type":"a"}
        {"number":3,"reciprocal":4,"type":"b"}
        """,
        lines(columns, List.of(new Row(0, "a"), new Row(3, "b"))));
  }

  @Test
  void timesOfDifferentSecondsAndNoTimesAreWrittenInAnyOrder() {
    long time = 134_179_504_139_999_990L;
    ListingColumns<Long> columns =
        new ListingColumns<Long>().value("utc", (fileTime, cell) -> cell.utc(fileTime));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Json json = new Json(bytes)) {
      for (long row : new long[] {0, time, time + 10, time + 9_999_999, time + 3, -1}) {
        columns.object(json, row);
      }
    }
    assertEquals(
        """
        {"utc":null}
        {"utc":"2026-03-14T08:26:53.9999990Z"}
        {"utc":"2026-03-14T08:26:54.0000000Z"}
        {"utc":"2026-03-14T08:26:54.9999989Z"}
        {"utc":"2026-03-14T08:26:53.9999993Z"}
        {"utc":null}
        """,
        bytes.toString(StandardCharsets.UTF_8));
  }
}
