package io.ntrail.cli.profile;

import io.ntrail.analysis.profile.CallerCalleeProfile;
import io.ntrail.analysis.profile.CallerCalleeProfile.Neighbour;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

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

  /** A caller or a callee. */
  private record Row(String side, Neighbour neighbour) {
    @Nullable String function() {
      return neighbour.function();
    }

    long weight() {
      return neighbour.weight();
    }
  }

  void print() {
    ListingColumns<Row> columns =
        columns(new ListingColumns<Row>().text("side", Row::side), Row::function, Row::weight);
    new Listing<>("neighbours", columns, this::rows)
        .print(shape.format(), terminal.out(), this::text, this::members);
  }

  private void rows(Consumer<Row> sink) {
    shown(callers.callers()).forEach(neighbour -> sink.accept(new Row("caller", neighbour)));
    shown(callers.callees()).forEach(neighbour -> sink.accept(new Row("callee", neighbour)));
  }

  private static <R> ListingColumns<R> columns(
      ListingColumns<R> columns, Function<R, @Nullable String> function, ToLongFunction<R> weight) {
    return columns.text("function", function).count("weight", weight);
  }

  private ListingColumns<Neighbour> columns(String title) {
    return columns(new ListingColumns<>(), Neighbour::function, Neighbour::weight)
        .figure(page.unit(), neighbour -> page.weight(neighbour.weight()))
        .figure("%", neighbour -> Numbers.percent(neighbour.weight(), callers.inclusive()))
        .label(
            title,
            neighbour ->
                Objects.requireNonNullElse(neighbour.function(), "(root: the stack begins here)"));
  }

  /** The neighbours that are requested: heavy enough, and not too many. */
  private List<Neighbour> shown(List<Neighbour> all) {
    long least = shape.leastOf(callers.inclusive());
    List<Neighbour> heavy = all.stream().filter(n -> n.weight() >= least).toList();
    return shape.limit() == 0 || shape.limit() > heavy.size()
        ? heavy
        : heavy.subList(0, (int) shape.limit());
  }

  private void members(Json json) {
    page.members(json.text("schema", "ntrail.profile-callers/1")).array("functions");
    callers.names().forEach(json::text);
    json.endArray().number("inclusive", callers.inclusive()).number("self", callers.self());
    side(json, "callers", callers.callers());
    side(json, "callees", callers.callees());
    int left = callers.callers().size() - shown(callers.callers()).size();
    left += callers.callees().size() - shown(callers.callees()).size();
    json.number("rowsLeftOut", left);
  }

  private void side(Json json, String side, List<Neighbour> all) {
    new Listing<>(side, columns(side), shown(all)::forEach).json(json);
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

  private void table(String title, List<Neighbour> all, long self) {
    ListingColumns<Neighbour> columns = columns(title);
    Table table = columns.table();
    long left = callers.inclusive() - self;
    List<Neighbour> shown = shown(all);
    for (Neighbour neighbour : shown) {
      columns.row(table, neighbour);
      left -= neighbour.weight();
    }
    if (shown.size() < all.size()) {
      columns.closing(
          table,
          new Neighbour(null, left),
          Numbers.count(all.size() - shown.size()) + " more (-n 0 shows all)");
    }
    if (self > 0) {
      columns.closing(table, new Neighbour(null, self), "(self)");
    }
    columns.closing(table, new Neighbour(null, callers.inclusive()), "total");
    table.print(terminal.out(), 0, page.width());
  }
}
