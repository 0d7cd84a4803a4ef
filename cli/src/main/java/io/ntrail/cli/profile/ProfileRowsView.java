package io.ntrail.cli.profile;

import io.ntrail.analysis.naming.FunctionIndex.SourceLine;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.profile.ProfileShape.By;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Prints a flat profile. */
final class ProfileRowsView {
  private static final List<String> CSV =
      List.of(
          "process",
          "pid",
          "thread",
          "tid",
          "cpu",
          "module",
          "function",
          "rva",
          "self",
          "inclusive");

  private final ProfilePage page;
  private final ProfileShape shape;

  ProfileRowsView(ProfilePage page, ProfileShape shape) {
    this.page = page;
    this.shape = shape;
  }

  /** Prints those of all rows that are requested. */
  void print(List<ProfileRow> all) {
    long least = shape.leastOf(page.total());
    List<ProfileRow> heavy =
        all.stream()
            .filter(row -> (shape.bySelf() ? row.self() : row.inclusive()) >= least)
            .toList();
    int shown = shape.limit() == 0 ? heavy.size() : (int) Math.min(shape.limit(), heavy.size());
    List<ProfileRow> rows = heavy.subList(0, shown);
    Listing<ProfileRow> listing = new Listing<>("rows", columns(), rows::forEach);
    listing.print(
        shape.format(),
        page.terminal().out(),
        () -> text(rows, all),
        json -> {
          page.members(json.text("schema", "ntrail.profile/1"));
          listing.json(json);
          json.number("rowsLeftOut", all.size() - rows.size());
        });
  }

  private ListingColumns<ProfileRow> columns() {
    boolean byThread = shape.by() == By.THREAD;
    ListingColumns<ProfileRow> columns = new ListingColumns<>();
    // The columns of processes belong to --by process alone.
    columns.text("process", row -> byThread ? null : row.process());
    columns.value("pid", (row, cell) -> number(cell, byThread ? null : row.pid()));
    inJson(byThread, columns.text("thread", row -> byThread ? row.text() : null));
    inJson(byThread, columns.value("tid", (row, cell) -> number(cell, row.tid())));
    inJson(shape.by() == By.CPU, columns.value("cpu", (row, cell) -> number(cell, row.cpu())));
    if (isAbout()) {
      columns.text(shape.by() == By.FILE ? "path" : "type", ProfileRow::subject);
    }
    columns.text("module", ProfileRow::module).text("function", ProfileRow::function);
    if (shape.by() == By.LINE) {
      columns.text("file", row -> line(row, SourceLine::file));
      columns.value("line", (row, cell) -> number(cell, line(row, SourceLine::line)));
    }
    columns
        .knownHex("rva", ProfileRow::rva)
        .count("self", ProfileRow::self)
        .count("inclusive", ProfileRow::inclusive);
    List<String> csv = new ArrayList<>(CSV);
    if (shape.by() == By.LINE) {
      csv.addAll(List.of("file", "line"));
    }
    if (isAbout()) {
      csv.add(shape.by() == By.FILE ? "path" : "type");
    }
    columns.csv(csv.toArray(String[]::new));
    return onScreen(columns);
  }

  /** Adds the columns of the screen; a negative inclusive weight is not shown. */
  private ListingColumns<ProfileRow> onScreen(ListingColumns<ProfileRow> columns) {
    long total = page.total();
    columns
        .figure(shape.byOwner() ? page.unit() : title("self"), row -> page.weight(row.self()))
        .figure("%", row -> Numbers.percent(row.self(), total));
    if (!shape.byOwner()) {
      columns
          .figure(title("incl."), row -> row.inclusive() < 0 ? "" : page.weight(row.inclusive()))
          .figure("%", row -> row.inclusive() < 0 ? "" : Numbers.percent(row.inclusive(), total));
    }
    return columns.label(
        shape.by().text(), row -> isAbout() && row.subject() == null ? "(none)" : row.text());
  }

  /** Returns whether rows are of what events are about. */
  private boolean isAbout() {
    return shape.by() == By.FILE || shape.by() == By.TYPE;
  }

  private String title(String title) {
    boolean isCount = page.unit().equals("samples") || page.unit().equals("count");
    return isCount ? title : title + " " + page.unit();
  }

  /** CSV has all columns, whatever rows are of. */
  private static void inJson(boolean wanted, ListingColumns<ProfileRow> columns) {
    if (!wanted) {
      columns.onlyCsv();
    }
  }

  private static <T> @Nullable T line(ProfileRow row, Function<SourceLine, T> part) {
    SourceLine line = row.line();
    return line == null ? null : part.apply(line);
  }

  private static void number(CellWriter cell, @Nullable Integer value) {
    if (value == null) {
      cell.unknown();
    } else {
      cell.count(Integer.toUnsignedLong(value));
    }
  }

  private void text(List<ProfileRow> rows, List<ProfileRow> all) {
    page.heading();
    if (all.isEmpty()) {
      return;
    }
    ListingColumns<ProfileRow> columns = columns();
    Table table = columns.table();
    long total = page.total();
    long shown = 0;
    for (ProfileRow row : rows) {
      shown += row.self();
      columns.row(table, row);
    }
    int left = all.size() - rows.size();
    if (left > 0) {
      columns.closing(table, sum(total - shown), Numbers.count(left) + " more (-n 0 shows all)");
    }
    columns.closing(table, sum(total), "total");
    table.print(page.terminal().out(), 0, page.width());
  }

  /** Returns a sum of own weights as a row. */
  private static ProfileRow sum(long self) {
    return new ProfileRow(null, null, null, null, null, null, null, -1, self, -1);
  }
}
