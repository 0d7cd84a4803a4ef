package io.ntrail.cli.common;

import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.io.PrintStream;
import java.util.function.Consumer;

/**
 * Rows of one kind in every form: for people (a table), for programs (objects of JSON), and for
 * spreadsheets (CSV).
 *
 * @param key the name of the array in JSON
 * @param columns what each row consists of
 * @param rows gives the rows, one after the other, each time it is asked
 */
public record Listing<R>(String key, ListingColumns<R> columns, Consumer<Consumer<R>> rows) {
  /** Rows of a table that are measured together. */
  private static final int PART = 2_000;

  /** Writes the array, as a member of an open object. */
  public void json(Json json) {
    json.array(key);
    lines(json);
    json.endArray();
  }

  /** Writes an object per row. */
  public void lines(Json json) {
    rows.accept(row -> columns.object(json, row));
  }

  /** Writes a heading and one line per row. */
  public void csv(PrintStream out) {
    Csv csv = new Csv(out);
    columns.head(csv);
    rows.accept(row -> columns.row(csv, row));
  }

  /**
   * Writes an answer that consists of these rows and some members around them.
   *
   * @param text prints it for people
   * @param members writes the members of the one object of JSON, the rows among them
   */
  public void print(Format format, PrintStream out, Runnable text, Consumer<Json> members) {
    switch (format) {
      case TEXT -> text.run();
      case JSON -> {
        try (Json json = new Json(out)) {
          json.object();
          members.accept(json);
          json.endObject();
        }
      }
      case JSONL -> {
        try (Json json = new Json(out)) {
          lines(json);
        }
      }
      case CSV -> csv(out);
      case COLLAPSED -> throw new IllegalArgumentException("rows are not stacks");
    }
  }

  /**
   * Prints a table.
   *
   * @param limit rows at most; 0 for all
   * @param width columns of the terminal; 0 to cut nothing
   * @return how many rows there are
   */
  public long table(PrintStream out, long limit, int width) {
    Table table = columns.table();
    long[] count = {0};
    rows.accept(row -> {
      if (limit == 0 || count[0] < limit) {
        columns.row(table, row);
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
}
