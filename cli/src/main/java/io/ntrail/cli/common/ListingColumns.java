package io.ntrail.cli.common;

import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.CsvCells;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.JsonCells;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Columns of rows of one kind, declared once: their names in JSON, in CSV and on the screen, their
 * alignment, and the value of each in a row. Columns come in the order in which they are declared,
 * unless {@link #screen} or {@link #csv} says otherwise.
 *
 * @param <R> a row
 */
public final class ListingColumns<R> {
  /** Value of a row in a column. */
  @FunctionalInterface
  public interface Value<R> {
    /** Gives the value, once, to the writer of a form. */
    void write(R row, CellWriter cell);
  }

  /**
   * A column.
   *
   * @param key its name in JSON and CSV
   * @param title its heading on the screen; null: not there
   * @param isNumber whether it is aligned right
   * @param shown its text on the screen; null: as the value is written there
   */
  private record Column<R>(
      String key,
      @Nullable String title,
      boolean isNumber,
      boolean inJson,
      boolean inCsv,
      Value<R> value,
      @Nullable Function<R, String> shown) {
    Column<R> titled(String text) {
      return new Column<>(key, text, isNumber, inJson, inCsv, value, shown);
    }

    Column<R> aligned(boolean right) {
      return new Column<>(key, title, right, inJson, inCsv, value, shown);
    }

    Column<R> in(boolean json, boolean csv) {
      return new Column<>(key, title, isNumber, json, csv, value, shown);
    }

    Column<R> shown(Function<R, String> text) {
      return new Column<>(key, title, isNumber, inJson, inCsv, value, text);
    }
  }

  /** A column in JSON. */
  private record Member<R>(Json.Key key, Value<R> value) {
    static <R> Member<R> of(Column<R> column) {
      return new Member<>(new Json.Key(column.key), column.value);
    }
  }

  private final List<Column<R>> columns = new ArrayList<>();
  private final TextCells textCells = new TextCells();
  private @Nullable JsonCells jsonCells;
  private @Nullable CsvCells csvCells;
  private @Nullable Function<R, List<String>> below;
  private List<String> optional = List.of();
  private boolean hasRemarks;
  private @Nullable List<Column<R>> onScreen;
  private @Nullable List<Column<R>> inCsv;
  private @Nullable List<Member<R>> inJson;

  /** No columns. */
  public ListingColumns() {}

  /** Adds a column of any value, aligned left. */
  public ListingColumns<R> value(String key, Value<R> value) {
    columns.add(new Column<>(key, null, false, true, true, value, null));
    return this;
  }

  /** Adds a column of values that have a form of their own in JSON, and are texts elsewhere. */
  public ListingColumns<R> shaped(String key, Function<R, String> text, BiConsumer<R, Json> shape) {
    return value(key, (row, cell) -> cell.shaped(row, text, shape));
  }

  /** Adds a column of texts; null is unknown. */
  public ListingColumns<R> text(String key, Function<R, @Nullable String> value) {
    return value(key, (row, cell) -> cell.text(value.apply(row)));
  }

  /** Adds a column of texts that many rows share, such as names; null is unknown. */
  public ListingColumns<R> name(String key, Function<R, @Nullable String> value) {
    return value(key, (row, cell) -> cell.name(value.apply(row)));
  }

  /** Adds a column of counts. */
  public ListingColumns<R> count(String key, ToLongFunction<R> value) {
    return value(key, (row, cell) -> cell.count(value.applyAsLong(row))).right();
  }

  /** Adds a column of counts of which negative ones are unknown. */
  public ListingColumns<R> knownCount(String key, ToLongFunction<R> value) {
    return value(key, (row, cell) -> count(cell, value.applyAsLong(row))).right();
  }

  private static void count(CellWriter cell, long value) {
    if (value < 0) {
      cell.unknown();
    } else {
      cell.count(value);
    }
  }

  /** Adds a column of addresses or flags. */
  public ListingColumns<R> hex(String key, ToLongFunction<R> value) {
    return value(key, (row, cell) -> cell.hex(value.applyAsLong(row))).right();
  }

  /** Adds a column of addresses of which negative ones are unknown. */
  public ListingColumns<R> knownHex(String key, ToLongFunction<R> value) {
    return value(key, (row, cell) -> hex(cell, value.applyAsLong(row))).right();
  }

  private static void hex(CellWriter cell, long value) {
    if (value < 0) {
      cell.unknown();
    } else {
      cell.hex(value);
    }
  }

  /** Adds a column of yes or no. */
  public ListingColumns<R> flag(String key, Predicate<R> value) {
    return value(key, (row, cell) -> cell.flag(value.test(row)));
  }

  /** Adds a column that only the screen has: numbers. */
  public ListingColumns<R> figure(String title, Function<R, String> text) {
    return label(title, text).right();
  }

  /** Adds a column that only the screen has: names. */
  public ListingColumns<R> label(String title, Function<R, String> text) {
    columns.add(new Column<>(title, title, false, false, false, (_, cell) -> cell.absent(), text));
    return this;
  }

  /** Puts the column that was added last on the screen, with this heading. */
  public ListingColumns<R> titled(String title) {
    return last(columns.getLast().titled(title));
  }

  /** Puts the column that was added last on the screen, under its key. */
  public ListingColumns<R> titled() {
    return titled(columns.getLast().key);
  }

  /** Sets the screen text of the last column. */
  public ListingColumns<R> shown(Function<R, String> text) {
    return last(columns.getLast().shown(text));
  }

  /** Aligns the column that was added last right. */
  public ListingColumns<R> right() {
    return last(columns.getLast().aligned(true));
  }

  /** Leaves the column that was added last out of CSV. */
  public ListingColumns<R> onlyJson() {
    return last(columns.getLast().in(true, false));
  }

  /** Leaves the column that was added last out of JSON. */
  public ListingColumns<R> onlyCsv() {
    return last(columns.getLast().in(false, true));
  }

  private ListingColumns<R> last(Column<R> column) {
    columns.set(columns.size() - 1, column);
    return this;
  }

  /** Puts lines below each row on the screen. */
  public ListingColumns<R> below(Function<R, List<String>> lines) {
    below = lines;
    return this;
  }

  /** Selects the columns on the screen and their order, by their keys (or titles). */
  public ListingColumns<R> screen(String... keys) {
    onScreen = inOrder(keys);
    return this;
  }

  /** Lets words of the last column go on below where there is no room. */
  public ListingColumns<R> remarks() {
    hasRemarks = true;
    return this;
  }

  /** Lets columns be left out on narrow screens, by their keys; the first goes first. */
  public ListingColumns<R> optional(String... keys) {
    optional = List.of(keys);
    return this;
  }

  /** Selects the columns of CSV and their order, by their keys. */
  public ListingColumns<R> csv(String... keys) {
    inCsv = inOrder(keys);
    return this;
  }

  private List<Column<R>> inOrder(String... keys) {
    return Arrays.stream(keys)
        .map(key ->
            columns.stream().filter(column -> column.key.equals(key)).findFirst().orElseThrow())
        .toList();
  }

  private List<Column<R>> onScreen() {
    if (onScreen == null) {
      onScreen = columns.stream().filter(column -> column.title != null).toList();
    }
    return onScreen;
  }

  private List<Column<R>> inCsv() {
    if (inCsv == null) {
      inCsv = columns.stream().filter(Column::inCsv).toList();
    }
    return inCsv;
  }

  private List<Member<R>> inJson() {
    if (inJson == null) {
      inJson = columns.stream().filter(Column::inJson).map(Member::of).toList();
    }
    return inJson;
  }

  /** Writes a row as an object. */
  public void object(Json json, R row) {
    json.object();
    members(json, row);
    json.endObject();
  }

  /** Writes a row as members of an open object. */
  public void members(Json json, R row) {
    JsonCells cells = jsonCells;
    if (cells == null || !cells.isOf(json)) {
      cells = new JsonCells(json);
      jsonCells = cells;
    }
    List<Member<R>> members = inJson();
    for (int i = 0; i < members.size(); i++) {
      Member<R> member = members.get(i);
      cells.begin(member.key);
      member.value.write(row, cells);
    }
  }

  /** Writes the names of the columns. */
  public void head(Csv csv) {
    inCsv().forEach(column -> csv.cell(column.key));
    csv.end();
  }

  /** Writes a row. */
  public void row(Csv csv, R row) {
    CsvCells cells = csvCells;
    if (cells == null || !cells.isOf(csv)) {
      cells = new CsvCells(csv);
      csvCells = cells;
    }
    List<Column<R>> shown = inCsv();
    for (int i = 0; i < shown.size(); i++) {
      shown.get(i).value.write(row, cells);
    }
    csv.end();
  }

  /** Returns an empty table with the columns of the screen. */
  public Table table() {
    Table table = new Table();
    for (Column<R> column : onScreen()) {
      String title = column.title == null ? column.key : column.title;
      Table _ = column.isNumber ? table.number(title) : table.name(title);
    }
    List<String> keys = onScreen().stream().map(Column::key).toList();
    optional.stream().mapToInt(keys::indexOf).filter(c -> c >= 0).forEach(table::optional);
    if (hasRemarks) {
      table.breakLast();
    }
    return table;
  }

  /** Adds a row to a table. */
  public void row(Table table, R row) {
    table.row(texts(row));
    if (below != null) {
      table.below(below.apply(row));
    }
  }

  /** Adds a closing row to a table: a row's figures, and in the last column a text of its own. */
  public void closing(Table table, R row, String name) {
    List<String> texts = new ArrayList<>(texts(row));
    texts.set(texts.size() - 1, name);
    table.row(texts);
  }

  /** Returns the texts of a row on the screen. */
  public List<String> texts(R row) {
    List<Column<R>> shown = onScreen();
    List<String> texts = new ArrayList<>(shown.size());
    for (Column<R> column : shown) {
      if (column.shown == null) {
        column.value.write(row, textCells);
        texts.add(textCells.text);
      } else {
        texts.add(column.shown.apply(row));
      }
    }
    return texts;
  }

  /** Keeps the text of a value for people. */
  private static final class TextCells implements CellWriter {
    private String text = "";

    @Override
    public void text(@Nullable String value) {
      text = value == null ? "-" : value;
    }

    @Override
    public void count(long value) {
      text = Numbers.count(value);
    }

    @Override
    public void unsigned(long value) {
      text = Numbers.unsigned(value);
    }

    @Override
    public void hex(long value) {
      text = Numbers.hex(value);
    }

    @Override
    public void hexCount(long value) {
      text = Numbers.hex(value);
    }

    @Override
    public void real(double value) {
      text = Numbers.oneDecimal(value);
    }

    @Override
    public void flag(boolean value) {
      text = value ? "yes" : "no";
    }

    @Override
    public <T> void shaped(T of, Function<T, String> words, BiConsumer<T, Json> shape) {
      text = words.apply(of);
    }

    @Override
    public void absent() {
      text = "";
    }
  }
}
