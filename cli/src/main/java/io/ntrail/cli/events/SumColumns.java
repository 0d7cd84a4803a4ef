package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.FieldSum;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Columns with the sums of fields, in every form. */
final class SumColumns {
  /** A sum above 64 bits. */
  private static final String TOO_LARGE = "too large";

  private SumColumns() {}

  /**
   * Adds the columns: on the screen and in CSV one for each field, in JSON one list.
   *
   * @param fields their names
   * @param total the sums of all rows, in this order
   * @param sums gives those of a row
   */
  static <R> void add(
      ListingColumns<R> columns,
      List<String> fields,
      List<FieldSum> total,
      Function<R, List<FieldSum>> sums) {
    if (fields.isEmpty()) {
      return;
    }
    for (int i = 0; i < fields.size(); i++) {
      int field = i;
      columns
          .value(key(fields.get(i)), (row, cell) -> number(sums.apply(row).get(field), cell))
          .onlyCsv()
          .titled(fields.get(i) + (total.get(i).unit() == null ? "" : " ms"))
          .shown(row -> text(sums.apply(row).get(field)))
          .right();
    }
    columns.value("sums", (row, cell) -> json(fields, sums.apply(row), cell)).onlyJson();
  }

  /** Returns the key of a field's column. */
  static String key(String field) {
    return "sum of " + field;
  }

  /** Returns the words that say how many events have the fields. */
  static String heading(List<String> fields, List<FieldSum> total) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < fields.size(); i++) {
      text.append(i == 0 ? ", " : " and ")
          .append(fields.get(i))
          .append(" in ")
          .append(Numbers.count(total.get(i).events()));
    }
    return text.toString();
  }

  private static void number(FieldSum sum, CellWriter cell) {
    if (!sum.isKnown()) {
      unknown(sum, cell);
    } else if (sum.isReal()) {
      cell.real(sum.real());
    } else {
      cell.count(sum.whole());
    }
  }

  /** Writes that there is no sum: of no events nothing, which one above 64 bits is not. */
  private static void unknown(FieldSum sum, CellWriter cell) {
    if (sum.events() == 0) {
      cell.absent();
    } else {
      cell.text(TOO_LARGE);
    }
  }

  private static String text(FieldSum sum) {
    if (!sum.isKnown()) {
      return sum.events() == 0 ? "-" : TOO_LARGE;
    }
    if (sum.isReal()) {
      return String.format(Locale.ROOT, "%,.3f", sum.real());
    }
    return sum.unit() == null
        ? Numbers.count(sum.whole())
        : Numbers.decimal(sum.whole() / 1_000, 3);
  }

  private static void json(List<String> fields, List<FieldSum> sums, CellWriter cell) {
    cell.shaped(
        () -> "",
        json -> {
          json.array();
          for (int i = 0; i < fields.size(); i++) {
            json(fields.get(i), sums.get(i), json);
          }
          json.endArray();
        });
  }

  private static void json(String field, FieldSum sum, Json json) {
    json.object().text("field", field).text("unit", sum.unit()).number("events", sum.events());
    if (!sum.isKnown()) {
      json.unknown("sum");
    } else if (sum.isReal()) {
      json.key("sum").real(sum.real());
    } else {
      json.number("sum", sum.whole());
    }
    json.endObject();
  }
}
