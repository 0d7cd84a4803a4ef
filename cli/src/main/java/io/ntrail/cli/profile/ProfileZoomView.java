package io.ntrail.cli.profile;

import io.ntrail.analysis.profile.ZoomProfile;
import io.ntrail.analysis.profile.ZoomProfile.Row;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
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
   * @param eventsPerHit what one hit stands for; -1 if that changed, or nobody tells
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

  void print() {
    switch (shape.format()) {
      case "json" -> json();
      case "jsonl" -> {
        try (Json json = new Json(out)) {
          rows((module, row, of) -> row(json.object().text("zoom", module), row, of));
        }
      }
      case "csv" -> {
        Csv csv = new Csv(out);
        csv.row("zoom", "module", "function", "rva", "hits", "msec", "percent", "eventsPerSecond");
        rows((module, row, of) ->
            csv.row(
                Csv.orEmpty(module),
                module == null ? row.text() : module,
                Csv.orEmpty(row.function()),
                row.rva() < 0 ? "" : Numbers.hex(row.rva()),
                Long.toString(row.hits()),
                Long.toString(milliseconds()),
                percent(row.hits(), of),
                perSecond(row.hits()) < 0 ? "" : Long.toString(perSecond(row.hits()))));
      }
      default -> text();
    }
  }

  private long milliseconds() {
    return covered / NANOS_PER_MILLI;
  }

  /** Events in a second of the recording; -1 if that cannot be told. */
  private long perSecond(long hits) {
    return eventsPerHit < 0 || covered <= 0
        ? -1
        : Math.round((double) hits * eventsPerHit * 1e9 / covered);
  }

  private static String percent(long part, long of) {
    return of == 0 ? "0" : String.format(Locale.ROOT, "%.0f", 100.0 * part / of);
  }

  /** Those of a table that are asked for. */
  private List<Row> shown(List<Row> all, long of) {
    long least = shape.leastOf(of);
    List<Row> heavy = all.stream().filter(row -> row.hits() >= least).toList();
    return shape.limit() == 0 || shape.limit() > heavy.size()
        ? heavy
        : heavy.subList(0, (int) shape.limit());
  }

  private interface Rows {
    void row(@Nullable String module, Row row, long of);
  }

  private void rows(Rows rows) {
    shown(zoom.modules(), page.total()).forEach(row -> rows.row(null, row, page.total()));
    for (ZoomProfile.Module module : zoom.zoomed()) {
      shown(module.rows(), module.hits())
          .forEach(row -> rows.row(module.name(), row, module.hits()));
    }
  }

  private void text() {
    page.heading();
    if (page.total() == 0) {
      return;
    }
    out.println(
        eventsPerHit < 0
            ? "events per hit are not told, or changed"
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
                + " behind the begin of another function in "
                + (isOne ? "its" : "their")
                + " bucket (--buckets 1 tells them apart)");
      }
    }
  }

  private void table(String what, List<Row> all, long of) {
    Table table =
        new Table().number("hits").number("msec").number("%total").number("events/s").name(what);
    long left = of;
    List<Row> shown = shown(all, of);
    for (Row row : shown) {
      line(table, row.hits(), of, row.text());
      left -= row.hits();
    }
    if (shown.size() < all.size()) {
      line(table, left, of, Numbers.counted(all.size() - shown.size(), "more " + what));
    }
    line(table, of, of, "total");
    table.print(out, 0, page.width());
  }

  private void line(Table table, long hits, long of, String name) {
    long perSecond = perSecond(hits);
    table.row(
        Numbers.count(hits),
        Long.toString(milliseconds()),
        percent(hits, of),
        perSecond < 0 ? "-" : Numbers.count(perSecond),
        name);
  }

  private void json() {
    try (Json json = new Json(out)) {
      page.beginJson(json, "ntrail.profile-zoom/1")
          .number("bucket", bucket)
          .number("milliseconds", milliseconds());
      if (eventsPerHit < 0) {
        json.unknown("eventsPerHit");
      } else {
        json.number("eventsPerHit", eventsPerHit);
      }
      List<Row> modules = shown(zoom.modules(), page.total());
      json.array("modules");
      modules.forEach(row -> row(json.object(), row, page.total()));
      json.endArray().number("modulesLeftOut", zoom.modules().size() - modules.size());
      json.array("zooms");
      for (ZoomProfile.Module module : zoom.zoomed()) {
        List<Row> rows = shown(module.rows(), module.hits());
        json.object()
            .text("module", module.name())
            .number("hits", module.hits())
            .number("inAnotherFunctionThanTheirBucket", module.elsewhere())
            .array("rows");
        rows.forEach(row -> row(json.object(), row, module.hits()));
        json.endArray().number("rowsLeftOut", module.rows().size() - rows.size()).endObject();
      }
      json.endArray().endObject();
    }
  }

  private void row(Json json, Row row, long of) {
    json.text("name", row.text()).text("function", row.function());
    if (row.rva() < 0) {
      json.unknown("rva");
    } else {
      json.text("rva", Numbers.hex(row.rva()));
    }
    json.number("hits", row.hits())
        .number("percent", Math.round(of == 0 ? 0 : 100.0 * row.hits() / of));
    long perSecond = perSecond(row.hits());
    if (perSecond < 0) {
      json.unknown("eventsPerSecond");
    } else {
      json.number("eventsPerSecond", perSecond);
    }
    json.endObject();
  }
}
