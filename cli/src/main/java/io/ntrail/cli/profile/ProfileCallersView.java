package io.ntrail.cli.profile;

import io.ntrail.analysis.profile.CallerCalleeProfile;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.util.List;

/** Prints who calls some functions, and what they call. */
final class ProfileCallersView {
  private final ProfilePage page;
  private final CallerCalleeProfile callers;
  private final ProfileShape shape;
  private final Terminal terminal;

  ProfileCallersView(ProfilePage page, CallerCalleeProfile callers, ProfileShape shape) {
    this.page = page;
    this.callers = callers;
    this.shape = shape;
    this.terminal = page.terminal();
  }

  void print() {
    switch (shape.format()) {
      case "json" -> json();
      case "jsonl" -> {
        try (Json json = new Json(terminal.out())) {
          lines(json, "caller", callers.callers());
          lines(json, "callee", callers.callees());
        }
      }
      case "csv" -> {
        Csv csv = new Csv(terminal.out());
        csv.row("side", "function", "weight");
        csv(csv, "caller", callers.callers());
        csv(csv, "callee", callers.callees());
      }
      default -> text();
    }
  }

  /** The neighbours that are asked for: heavy enough, and not too many. */
  private List<CallerCalleeProfile.Neighbour> shown(List<CallerCalleeProfile.Neighbour> all) {
    long least = shape.leastOf(callers.inclusive());
    List<CallerCalleeProfile.Neighbour> heavy =
        all.stream().filter(n -> n.weight() >= least).toList();
    return shape.limit() == 0 || shape.limit() > heavy.size()
        ? heavy
        : heavy.subList(0, (int) shape.limit());
  }

  private void json() {
    try (Json json = new Json(terminal.out())) {
      page.beginJson(json, "ntrail.profile-callers/1").array("functions");
      callers.names().forEach(json::text);
      json.endArray().number("inclusive", callers.inclusive()).number("self", callers.self());
      side(json, "callers", callers.callers());
      side(json, "callees", callers.callees());
      int left = callers.callers().size() - shown(callers.callers()).size();
      left += callers.callees().size() - shown(callers.callees()).size();
      json.number("rowsLeftOut", left).endObject();
    }
  }

  private void side(Json json, String side, List<CallerCalleeProfile.Neighbour> all) {
    json.array(side);
    for (CallerCalleeProfile.Neighbour neighbour : shown(all)) {
      json.object()
          .text("function", neighbour.function())
          .number("weight", neighbour.weight())
          .endObject();
    }
    json.endArray();
  }

  private void lines(Json json, String side, List<CallerCalleeProfile.Neighbour> all) {
    for (CallerCalleeProfile.Neighbour neighbour : shown(all)) {
      json.object()
          .text("side", side)
          .text("function", neighbour.function())
          .number("weight", neighbour.weight())
          .endObject();
    }
  }

  private void csv(Csv csv, String side, List<CallerCalleeProfile.Neighbour> all) {
    for (CallerCalleeProfile.Neighbour neighbour : shown(all)) {
      csv.row(side, Csv.orEmpty(neighbour.function()), Long.toString(neighbour.weight()));
    }
  }

  private void text() {
    page.heading();
    List<String> names = callers.names();
    if (names.isEmpty()) {
      return;
    }
    terminal
        .out()
        .println(
            (names.size() == 1
                    ? names.getFirst()
                    : Numbers.count(names.size()) + " functions that match")
                + ": incl. "
                + share(callers.inclusive())
                + ", self "
                + share(callers.self()));
    table("callers", callers.callers(), 0);
    table("callees", callers.callees(), callers.self());
  }

  private String share(long weight) {
    return page.weight(weight) + " (" + Numbers.percent(weight, page.total()) + " %)";
  }

  private void table(String title, List<CallerCalleeProfile.Neighbour> all, long self) {
    Table table = new Table().number(page.unit()).number("%").name(title);
    long left = callers.inclusive() - self;
    List<CallerCalleeProfile.Neighbour> shown = shown(all);
    for (CallerCalleeProfile.Neighbour neighbour : shown) {
      String name = neighbour.function();
      line(table, neighbour.weight(), name == null ? "(nobody: the stack begins here)" : name);
      left -= neighbour.weight();
    }
    if (shown.size() < all.size()) {
      line(table, left, Numbers.count(all.size() - shown.size()) + " more (-n 0 shows all)");
    }
    if (self > 0) {
      line(table, self, "(self)");
    }
    line(table, callers.inclusive(), "total");
    table.print(terminal.out(), 0, page.width());
  }

  private void line(Table table, long weight, String name) {
    table.row(page.weight(weight), Numbers.percent(weight, callers.inclusive()), name);
  }
}
