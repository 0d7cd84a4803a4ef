package io.ntrail.cli.profile;

import io.ntrail.analysis.naming.FunctionIndex.SourceLine;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints a flat profile. */
final class ProfileRowsView {
  private final ProfilePage page;
  private final ProfileShape shape;

  ProfileRowsView(ProfilePage page, ProfileShape shape) {
    this.page = page;
    this.shape = shape;
  }

  /** Prints those of all rows that are asked for. */
  void print(List<ProfileRow> all) {
    long least = shape.leastOf(page.total());
    List<ProfileRow> heavy =
        all.stream()
            .filter(row -> (shape.bySelf() ? row.self() : row.inclusive()) >= least)
            .toList();
    int shown = shape.limit() == 0 ? heavy.size() : (int) Math.min(shape.limit(), heavy.size());
    List<ProfileRow> rows = heavy.subList(0, shown);
    switch (shape.format()) {
      case "json" -> json(rows, all);
      case "jsonl" -> {
        try (Json json = new Json(page.terminal().out())) {
          rows.forEach(row -> row(json, row));
        }
      }
      case "csv" -> csv(rows);
      default -> text(rows, all);
    }
  }

  private void text(List<ProfileRow> rows, List<ProfileRow> all) {
    page.heading();
    if (all.isEmpty()) {
      return;
    }
    Table table = new Table().number(shape.byOwner() ? page.unit() : title("self")).number("%");
    if (!shape.byOwner()) {
      table.number(title("incl.")).number("%");
    }
    table.name(shape.by());
    long total = page.total();
    long shown = 0;
    for (ProfileRow row : rows) {
      shown += row.self();
      line(table, row.self(), row.inclusive(), row.text());
    }
    int left = all.size() - rows.size();
    if (left > 0) {
      line(table, total - shown, -1, Numbers.count(left) + " more (-n 0 shows all)");
    }
    line(table, total, -1, "total");
    table.print(page.terminal().out(), 0, page.width());
  }

  /** A line of a flat table; nothing is said about a negative inclusive weight. */
  private void line(Table table, long self, long inclusive, String name) {
    long total = page.total();
    List<String> cells = new ArrayList<>(List.of(page.weight(self), Numbers.percent(self, total)));
    if (!shape.byOwner()) {
      cells.add(inclusive < 0 ? "" : page.weight(inclusive));
      cells.add(inclusive < 0 ? "" : Numbers.percent(inclusive, total));
    }
    cells.add(name);
    table.row(cells);
  }

  private String title(String title) {
    boolean isCount = page.unit().equals("samples") || page.unit().equals("count");
    return isCount ? title : title + " " + page.unit();
  }

  private void csv(List<ProfileRow> rows) {
    Csv csv = new Csv(page.terminal().out());
    List<String> names =
        new ArrayList<>(
            List.of("process", "pid", "thread", "tid", "cpu", "module", "function", "rva"));
    names.addAll(List.of("self", "inclusive"));
    if (shape.byLine()) {
      names.addAll(List.of("file", "line"));
    }
    csv.row(names.toArray(String[]::new));
    for (ProfileRow row : rows) {
      List<String> cells = new ArrayList<>();
      cells.add(Csv.orEmpty(process(row)));
      cells.add(text(pid(row)));
      cells.add(shape.byThread() ? row.text() : "");
      cells.add(text(row.tid()));
      cells.add(text(row.cpu()));
      cells.add(Csv.orEmpty(row.module()));
      cells.add(Csv.orEmpty(row.function()));
      cells.add(row.rva() < 0 ? "" : Numbers.hex(row.rva()));
      cells.add(Long.toString(row.self()));
      cells.add(Long.toString(row.inclusive()));
      if (shape.byLine()) {
        SourceLine line = row.line();
        cells.add(line == null ? "" : line.file());
        cells.add(line == null ? "" : Integer.toString(line.line()));
      }
      csv.row(cells.toArray(String[]::new));
    }
  }

  /** The columns of processes belong to {@code --by process} alone. */
  private @Nullable String process(ProfileRow row) {
    return shape.byThread() ? null : row.process();
  }

  private @Nullable Integer pid(ProfileRow row) {
    return shape.byThread() ? null : row.pid();
  }

  private static String text(@Nullable Integer id) {
    return id == null ? "" : Integer.toUnsignedString(id);
  }

  private void json(List<ProfileRow> rows, List<ProfileRow> all) {
    try (Json json = new Json(page.terminal().out())) {
      page.beginJson(json, "ntrail.profile/1").array("rows");
      rows.forEach(row -> row(json, row));
      json.endArray().number("rowsLeftOut", all.size() - rows.size()).endObject();
    }
  }

  private void row(Json json, ProfileRow row) {
    json.object().text("process", process(row));
    number(json, "pid", pid(row));
    if (shape.byThread()) {
      json.text("thread", row.text());
      number(json, "tid", row.tid());
    } else if (shape.by().equals("cpu")) {
      number(json, "cpu", row.cpu());
    }
    json.text("module", row.module()).text("function", row.function());
    if (shape.byLine()) {
      SourceLine line = row.line();
      json.text("file", line == null ? null : line.file());
      number(json, "line", line == null ? null : line.line());
    }
    if (row.rva() < 0) {
      json.unknown("rva");
    } else {
      json.text("rva", Numbers.hex(row.rva()));
    }
    json.number("self", row.self()).number("inclusive", row.inclusive()).endObject();
  }

  private static void number(Json json, String key, @Nullable Integer value) {
    if (value == null) {
      json.unknown(key);
    } else {
      json.number(key, Integer.toUnsignedLong(value));
    }
  }
}
