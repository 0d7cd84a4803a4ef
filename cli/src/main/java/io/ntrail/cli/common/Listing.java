package io.ntrail.cli.common;

import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rows of one kind: the same for people (a table), for programs (objects of JSON), and for
 * spreadsheets (CSV).
 *
 * @param key the name of the array in JSON
 * @param columns what each row consists of
 * @param rows gives the rows, one after the other, each time it is asked
 */
public record Listing(String key, List<Column> columns, Consumer<Consumer<List<Cell>>> rows) {
  /** Rows of a table that are measured together. */
  private static final int PART = 2_000;

  /**
   * A column.
   *
   * @param key its name in JSON and CSV
   * @param title its heading; null: not on the screen
   * @param isNumber whether it stands at the right
   */
  public record Column(String key, @Nullable String title, boolean isNumber) {
    public static Column number(String key, String title) {
      return new Column(key, title, true);
    }

    public static Column name(String key, String title) {
      return new Column(key, title, false);
    }

    public static Column hidden(String key) {
      return new Column(key, null, false);
    }
  }

  /** A value, written in each way. */
  public sealed interface Cell {
    /** A text; null is unknown. */
    record Text(@Nullable String value) implements Cell {}

    /** A count. */
    record Count(long value) implements Cell {}

    /** A number that people read in hexadecimal: addresses and flags. */
    record Hex(long value) implements Cell {}

    /** A count that people read in hexadecimal, as debuggers print it. */
    record HexCount(long value) implements Cell {}

    /** Yes or no. */
    record Flag(boolean value) implements Cell {}

    /** What has a form of its own in JSON. */
    record Shaped(String text, Consumer<Json> json) implements Cell {}

    /** Nobody knows, or it does not apply. */
    Cell UNKNOWN = new Text(null);
  }

  /** The array, as a member of an open object. */
  public void json(Json json) {
    json.array(key);
    rows.accept(row -> object(json, row));
    json.endArray();
  }

  /** A line a row. */
  public void lines(Json json) {
    rows.accept(row -> object(json, row));
  }

  private void object(Json json, List<Cell> row) {
    json.object();
    for (int i = 0; i < columns.size(); i++) {
      String name = columns.get(i).key;
      switch (row.get(i)) {
        case Cell.Text(@Nullable String value) -> json.text(name, value);
        case Cell.Count(long value) -> json.number(name, value);
        case Cell.HexCount(long value) -> json.number(name, value);
        case Cell.Hex(long value) -> json.text(name, Numbers.hex(value));
        case Cell.Flag(boolean value) -> json.bool(name, value);
        case Cell.Shaped(_, Consumer<Json> shape) -> shape.accept(json.key(name));
      }
    }
    json.endObject();
  }

  /** A heading and a line a row. */
  public void csv(PrintStream out) {
    Csv csv = new Csv(out);
    csv.row(columns.stream().map(Column::key).toArray(String[]::new));
    rows.accept(row ->
        csv.row(
            row.stream()
                .map(cell ->
                    switch (cell) {
                      case Cell.Text(@Nullable String value) -> Csv.orEmpty(value);
                      case Cell.Count(long value) -> Long.toString(value);
                      case Cell.HexCount(long value) -> Long.toString(value);
                      case Cell.Hex(long value) -> Numbers.hex(value);
                      case Cell.Flag(boolean value) -> Boolean.toString(value);
                      case Cell.Shaped(String text, _) -> text;
                    })
                .toArray(String[]::new)));
  }

  /**
   * A table.
   *
   * @param limit rows at most; 0 for all
   * @param width columns of the terminal; 0 to cut nothing
   * @return how many rows there are
   */
  public long table(PrintStream out, long limit, int width) {
    Table table = new Table();
    for (Column column : columns) {
      if (column.title != null) {
        if (column.isNumber) {
          table.number(column.title);
        } else {
          table.name(column.title);
        }
      }
    }
    long[] count = {0};
    rows.accept(row -> {
      if (limit == 0 || count[0] < limit) {
        table.row(texts(row));
        if (table.waiting() >= PART) {
          table.print(out, 2, width);
        }
      }
      count[0]++;
    });
    if (table.waiting() > 0) {
      table.print(out, 2, width);
    }
    if (limit != 0 && count[0] > limit) {
      out.println("  ... " + Numbers.counted(count[0] - limit, "more row") + " (-n 0 shows all)");
    }
    return count[0];
  }

  private List<String> texts(List<Cell> row) {
    List<String> texts = new ArrayList<>(row.size());
    for (int i = 0; i < row.size(); i++) {
      if (columns.get(i).title != null) {
        texts.add(text(row.get(i)));
      }
    }
    return texts;
  }

  private static String text(Cell cell) {
    return switch (cell) {
      case Cell.Text(@Nullable String value) -> value == null ? "-" : value;
      case Cell.Count(long value) -> Numbers.count(value);
      case Cell.Hex(long value) -> Numbers.hex(value);
      case Cell.HexCount(long value) -> Numbers.hex(value);
      case Cell.Flag(boolean value) -> value ? "yes" : "no";
      case Cell.Shaped(String text, _) -> text;
    };
  }
}
