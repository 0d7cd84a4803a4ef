package io.ntrail.cli.profile;

import io.ntrail.analysis.profile.ZoomProfile;
import io.ntrail.analysis.profile.ZoomProfile.Row;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Prints where hits were: the modules, then each module that was looked into. */
final class ProfileZoomView {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ProfilePage page;
  private final ZoomProfile zoom;
  private final ProfileShape shape;
  private final int bucket;
  private final long eventsPerHit;
  private final long covered;
  private final PrintStream out;

  /**
   * @param bucket bytes of a bucket
   * @param eventsPerHit what one hit stands for; -1 if that changed or is unknown
   * @param covered nanoseconds of the recording
   */
  ProfileZoomView(
      ProfilePage page,
      ZoomProfile zoom,
      ProfileShape shape,
      int bucket,
      long eventsPerHit,
      long covered) {
    this.page = page;
    this.zoom = zoom;
    this.shape = shape;
    this.bucket = bucket;
    this.eventsPerHit = eventsPerHit;
    this.covered = covered;
    this.out = page.terminal().out();
  }

  /**
   * A row of a table.
   *
   * @param zoom the module that was looked into; null for the modules themselves
   * @param of hits of the table
   */
  private record Hits(@Nullable String zoom, Row row, long of) {}

  void print() {
    ListingColumns<Hits> columns =
        columns(new ListingColumns<Hits>().text("zoom", Hits::zoom), "name");
    new Listing<>("rows", columns, this::rows)
        .print(shape.format(), out, this::text, this::members);
  }

  private ListingColumns<Hits> columns(ListingColumns<Hits> columns, String title) {
    return columns
        .text("module", hits -> hits.zoom == null ? hits.row.text() : hits.zoom)
        .onlyCsv()
        .text("name", hits -> hits.row.text())
        .onlyJson()
        .text("function", hits -> hits.row.function())
        .knownHex("rva", hits -> hits.row.rva())
        .count("hits", hits -> hits.row.hits())
        .titled()
        .count("msec", _ -> milliseconds())
        .onlyCsv()
        .titled()
        .shown(_ -> Long.toString(milliseconds()))
        .value("percent", ProfileZoomView::percent)
        .right()
        .titled("%total")
        .knownCount("eventsPerSecond", hits -> perSecond(hits.row.hits()))
        .titled("events/s")
        .label(title, hits -> hits.row.text());
  }

  private long milliseconds() {
    return covered / NANOS_PER_MILLI;
  }

  /** Events in a second of the recording; -1 if unknown. */
  private long perSecond(long hits) {
    return eventsPerHit < 0 || covered <= 0
        ? -1
        : Math.round((double) hits * eventsPerHit * 1e9 / covered);
  }

  private static void percent(Hits hits, CellWriter cell) {
    double percent = hits.of == 0 ? 0 : 100.0 * hits.row.hits() / hits.of;
    cell.shaped(
        () -> String.format(Locale.ROOT, "%.0f", percent),
        json -> json.number(Math.round(percent)));
  }

  /** Returns the rows of a table that are requested. */
  private List<Row> shown(List<Row> all, long of) {
    long least = shape.leastOf(of);
    List<Row> heavy = all.stream().filter(row -> row.hits() >= least).toList();
    return shape.limit() == 0 || shape.limit() > heavy.size()
        ? heavy
        : heavy.subList(0, (int) shape.limit());
  }

  private void rows(Consumer<Hits> sink) {
    hits(null, zoom.modules(), page.total()).forEach(sink);
    for (ZoomProfile.Module module : zoom.zoomed()) {
      hits(module.name(), module.rows(), module.hits()).forEach(sink);
    }
  }

  private List<Hits> hits(@Nullable String module, List<Row> all, long of) {
    return shown(all, of).stream().map(row -> new Hits(module, row, of)).toList();
  }

  private void text() {
    page.heading();
    if (page.total() == 0) {
      return;
    }
    out.println(
        eventsPerHit < 0
            ? "events per hit unknown or not constant"
            : Numbers.count(eventsPerHit) + " events per hit");
    table("module", zoom.modules(), page.total());
    for (ZoomProfile.Module module : zoom.zoomed()) {
      out.println();
      out.println(
          "zoom %s (%s; %s%% of this module)"
              .formatted(
                  module.name(),
                  Numbers.counted(module.hits(), "hit"),
                  bucket > 1
                      ? "bucket " + Numbers.counted(bucket, "byte") + ", rounding down; "
                      : ""));
      table("function", module.rows(), module.hits());
      if (module.elsewhere() > 0) {
        boolean isOne = module.elsewhere() == 1;
        out.println(
            Numbers.counted(module.elsewhere(), "hit")
                + (isOne ? " lies" : " lie")
                + " after the start of another function in "
                + (isOne ? "its" : "their")
                + " bucket (--buckets 1 separates them)");
      }
    }
  }

  private void table(String what, List<Row> all, long of) {
    ListingColumns<Hits> columns = columns(new ListingColumns<>(), what);
    Table table = columns.table();
    long left = of;
    List<Hits> shown = hits(null, all, of);
    for (Hits hits : shown) {
      columns.row(table, hits);
      left -= hits.row.hits();
    }
    if (shown.size() < all.size()) {
      columns.closing(
          table, sum(left, of), Numbers.counted(all.size() - shown.size(), "more " + what));
    }
    columns.closing(table, sum(of, of), "total");
    table.print(out, 0, page.width());
  }

  /** Returns a sum of hits as a row. */
  private static Hits sum(long hits, long of) {
    return new Hits(null, new Row("", null, -1, hits), of);
  }

  private void members(Json json) {
    page.members(json.text("schema", "ntrail.profile-zoom/1"))
        .number("bucket", bucket)
        .number("milliseconds", milliseconds());
    if (eventsPerHit < 0) {
      json.unknown("eventsPerHit");
    } else {
      json.number("eventsPerHit", eventsPerHit);
    }
    List<Hits> modules = hits(null, zoom.modules(), page.total());
    ListingColumns<Hits> columns = columns(new ListingColumns<>(), "name");
    new Listing<>("modules", columns, modules::forEach).json(json);
    json.number("modulesLeftOut", zoom.modules().size() - modules.size()).array("zooms");
    for (ZoomProfile.Module module : zoom.zoomed()) {
      List<Hits> rows = hits(null, module.rows(), module.hits());
      json.object()
          .text("module", module.name())
          .number("hits", module.hits())
          .number("inAnotherFunctionThanTheirBucket", module.elsewhere());
      new Listing<>("rows", columns, rows::forEach).json(json);
      json.number("rowsLeftOut", module.rows().size() - rows.size()).endObject();
    }
    json.endArray();
  }
}
