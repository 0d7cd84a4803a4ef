package io.ntrail.cli.export;

import io.ntrail.analysis.naming.FunctionIndex.SourceLine;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.profile.ProfilePage;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints what changed from one profile to another. */
final class DiffView {
  private final ProfilePage before;
  private final ProfilePage after;
  private final DiffRequest request;
  private final DifferentBuilds builds;
  private final Terminal terminal;

  DiffView(
      ProfilePage before,
      ProfilePage after,
      DiffRequest request,
      DifferentBuilds builds,
      Terminal terminal) {
    this.builds = builds;
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
    Listing<DiffRow> listing = new Listing<>("rows", columns(), rows::forEach);
    listing.print(
        request.format(),
        terminal.out(),
        () -> text(listing, rows, all),
        json -> {
          json.text("schema", "ntrail.diff/1")
              .text("by", request.by().text())
              .text("changeOf", request.bySelf() ? "self" : "inclusive");
          before.members(json.object("before")).endObject();
          after.members(json.object("after")).endObject();
          builds.json(json);
          listing.json(json);
          json.number("rowsLeftOut", all.size() - rows.size());
        });
  }

  private ListingColumns<DiffRow> columns() {
    return new ListingColumns<DiffRow>()
        .text("module", row -> row.subject().module())
        .text("function", row -> row.subject().function())
        .text("file", row -> file(row.subject().line()))
        .knownCount("line", row -> line(row.subject().line()))
        .knownHex("rva", row -> row.subject().rva())
        .value("beforeSelf", (row, cell) -> weight(cell, row.before().self(), before))
        .value("beforeInclusive", (row, cell) -> weight(cell, row.before().inclusive(), before))
        .value("afterSelf", (row, cell) -> weight(cell, row.after().self(), after))
        .value("afterInclusive", (row, cell) -> weight(cell, row.after().inclusive(), after))
        .value("change", (row, cell) -> cell.real(row.change()))
        .text("state", DiffRow::state)
        .figure("before", row -> before.weight(first(row)))
        .figure("%", row -> Numbers.percent(first(row), before.total()))
        .figure("after", row -> after.weight(second(row)))
        .figure("%", row -> Numbers.percent(second(row), after.total()))
        .figure("change", row -> change(row.change()))
        .label(request.by().text(), row -> row.subject().text());
  }

  private static void weight(CellWriter cell, long weight, ProfilePage page) {
    int decimals = page.decimals();
    if (decimals == 0) {
      cell.count(weight);
    } else {
      cell.shaped(
          () -> Numbers.plainDecimal(weight, decimals), json -> json.decimal(weight, decimals));
    }
  }

  private long first(DiffRow row) {
    return row.before().weight(request.bySelf());
  }

  private long second(DiffRow row) {
    return row.after().weight(request.bySelf());
  }

  private static @Nullable String file(@Nullable SourceLine line) {
    return line == null ? null : line.file();
  }

  private static long line(@Nullable SourceLine line) {
    return line == null ? -1 : line.line();
  }

  private void text(Listing<DiffRow> listing, List<DiffRow> rows, List<DiffRow> all) {
    heading(before.lines(), after.lines()).forEach(terminal.out()::println);
    builds.lines().forEach(terminal.out()::println);
    String weight = request.bySelf() ? "self" : "inclusive";
    terminal.out().println("change in share of total, " + weight + " " + after.unit());
    Table table = listing.columns().table();
    long leftBefore = before.total();
    long leftAfter = after.total();
    for (DiffRow row : rows) {
      leftBefore -= first(row);
      leftAfter -= second(row);
      String state = row.state();
      table.row(listing.columns().texts(row), "", state == null ? "" : "   " + state);
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
}
