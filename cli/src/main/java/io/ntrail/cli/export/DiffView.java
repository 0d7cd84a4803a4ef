package io.ntrail.cli.export;

import io.ntrail.analysis.naming.FunctionIndex.SourceLine;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
import io.ntrail.cli.profile.ProfilePage;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Prints what changed from one profile to another. */
final class DiffView {
  private static final List<Column> COLUMNS =
      List.of(
          Column.hidden("module"),
          Column.hidden("function"),
          Column.hidden("file"),
          Column.hidden("line"),
          Column.hidden("rva"),
          Column.hidden("beforeSelf"),
          Column.hidden("beforeInclusive"),
          Column.hidden("afterSelf"),
          Column.hidden("afterInclusive"),
          Column.hidden("change"),
          Column.hidden("state"));

  private final ProfilePage before;
  private final ProfilePage after;
  private final DiffRequest request;
  private final Terminal terminal;

  DiffView(ProfilePage before, ProfilePage after, DiffRequest request, Terminal terminal) {
    this.before = before;
    this.after = after;
    this.request = request;
    this.terminal = terminal;
  }

  /** The first lines of both. */
  static List<String> heading(List<String> before, List<String> after) {
    List<String> lines = new ArrayList<>();
    String start = "before: ";
    for (String line : before) {
      lines.add(start + line);
      start = "        ";
    }
    start = "after:  ";
    for (String line : after) {
      lines.add(start + line);
      start = "        ";
    }
    return lines;
  }

  void print(List<DiffRow> all) {
    long limit = request.limit();
    List<DiffRow> rows = limit == 0 || limit > all.size() ? all : all.subList(0, (int) limit);
    switch (request.format()) {
      case JSON -> json(rows, all);
      case JSONL -> {
        try (Json json = new Json(terminal.out())) {
          listing(rows).lines(json);
        }
      }
      case CSV -> listing(rows).csv(terminal.out());
      case TEXT -> text(rows, all);
    }
  }

  private void text(List<DiffRow> rows, List<DiffRow> all) {
    heading(before.lines(), after.lines()).forEach(terminal.out()::println);
    String weight = request.bySelf() ? "self" : "inclusive";
    terminal.out().println("change = share of all, " + weight + " " + after.unit());
    Table table = new Table();
    table.number("before").number("%").number("after").number("%").number("change");
    table.name(request.by());
    long leftBefore = before.total();
    long leftAfter = after.total();
    for (DiffRow row : rows) {
      long first = row.before().weight(request.bySelf());
      long second = row.after().weight(request.bySelf());
      leftBefore -= first;
      leftAfter -= second;
      String state = state(row);
      table.row(
          cells(first, second, change(row.change()), row.subject().text()),
          "",
          state.isEmpty() ? "" : "   " + state);
    }
    int left = all.size() - rows.size();
    if (left > 0 && request.bySelf()) {
      double change = share(leftAfter, after.total()) - share(leftBefore, before.total());
      table.row(cells(leftBefore, leftAfter, change(change), more(left)));
    } else if (left > 0) {
      table.row("", "", "", "", "", more(left));
    }
    table.row(cells(before.total(), after.total(), "", "total"));
    table.print(terminal.out(), 0, after.width());
  }

  private static double share(long part, long whole) {
    return whole == 0 ? 0 : 100.0 * part / whole;
  }

  private static String more(int left) {
    return Numbers.count(left) + " more (-n 0 shows all)";
  }

  private List<String> cells(long first, long second, String change, String text) {
    return List.of(
        before.weight(first),
        Numbers.percent(first, before.total()),
        after.weight(second),
        Numbers.percent(second, after.total()),
        change,
        text);
  }

  private static String change(double points) {
    String text = Numbers.oneDecimal(points);
    return points > 0 && !text.equals("0.0") ? "+" + text : text.equals("-0.0") ? "0.0" : text;
  }

  private static String state(DiffRow row) {
    return row.isNew() ? "new" : row.isGone() ? "gone" : "";
  }

  private void json(List<DiffRow> rows, List<DiffRow> all) {
    try (Json json = new Json(terminal.out())) {
      json.object()
          .text("schema", "ntrail.diff/1")
          .text("by", request.by())
          .text("changeOf", request.bySelf() ? "self" : "inclusive");
      before.members(json.object("before")).endObject();
      after.members(json.object("after")).endObject();
      listing(rows).json(json);
      json.number("rowsLeftOut", all.size() - rows.size()).endObject();
    }
  }

  private static Listing listing(List<DiffRow> rows) {
    return new Listing("rows", COLUMNS, sink -> rows.forEach(row -> sink.accept(cells(row))));
  }

  private static List<Cell> cells(DiffRow row) {
    String state = state(row);
    SourceLine line = row.subject().line();
    Consumer<Json> change = json -> json.real(row.change());
    return List.of(
        new Cell.Text(row.subject().module()),
        new Cell.Text(row.subject().function()),
        line == null ? Cell.UNKNOWN : new Cell.Text(line.file()),
        line == null ? Cell.UNKNOWN : new Cell.Count(line.line()),
        row.subject().rva() < 0 ? Cell.UNKNOWN : new Cell.Hex(row.subject().rva()),
        new Cell.Count(row.before().self()),
        new Cell.Count(row.before().inclusive()),
        new Cell.Count(row.after().self()),
        new Cell.Count(row.after().inclusive()),
        new Cell.Shaped(Double.toString(row.change()), change),
        state.isEmpty() ? Cell.UNKNOWN : new Cell.Text(state));
  }
}
