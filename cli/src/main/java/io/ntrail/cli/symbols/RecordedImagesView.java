package io.ntrail.cli.symbols;

import io.ntrail.analysis.etw.RecordedImages;
import io.ntrail.analysis.etw.RecordedImages.Candidate;
import io.ntrail.analysis.etw.RecordedImages.Row;
import io.ntrail.analysis.etw.RecordedImages.State;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.PdbReference;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.programs.symbols.OpenImage;
import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.programs.symbols.StoreKey;
import io.ntrail.programs.symbols.SymbolStores;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Prints where the names of the images of a recording come from. */
final class RecordedImagesView {
  private final EtwRecording recording;
  private final RecordedImages images;
  private final List<Row> rows;
  private final Map<Candidate, SymbolStores.Result<OpenImage>> files;
  private final SymbolSearchPath places;
  private final Terminal terminal;

  RecordedImagesView(
      EtwRecording recording,
      RecordedImages images,
      List<Row> rows,
      Map<Candidate, SymbolStores.Result<OpenImage>> files,
      SymbolSearchPath places,
      Terminal terminal) {
    this.recording = recording;
    this.images = images;
    this.rows = rows;
    this.files = files;
    this.places = places;
    this.terminal = terminal;
  }

  void json(WorkProgress<WorkPhase> progress) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.symbols/1");
      json.text("file", recording.files().getFirst().name()).number("samples", images.busy());
      json.array("servers");
      places.servers().forEach(json::text);
      json.endArray().bool("asked", places.asksServers());
      new Listing<>("modules", columns(), rows::forEach).json(json);
      List<Gap> gaps = new ArrayList<>(recording.gaps());
      gaps.addAll(images.gaps());
      String file = recording.files().getFirst().name();
      json.gaps(progress.gaps(gaps, file, 0, -1)).endObject();
    }
  }

  private ListingColumns<Row> columns() {
    return new ListingColumns<Row>()
        .text("module", row -> row.image().name())
        .titled("image")
        .value("pdb", RecordedImagesView::pdb)
        .titled("PDB id")
        .count("samples", Row::samples)
        .titled()
        .text("state", row -> row.state().text())
        .titled()
        .shown(RecordedImagesView::state)
        .text("path", row -> row.source().pdb().map(OpenPdb::place).orElse(null))
        .value("tried", (row, cell) -> tried(row.source().tried(), cell))
        .value("image", this::image)
        .screen("samples", "module", "pdb", "state")
        .optional("pdb")
        .remarks();
  }

  private static void pdb(Row row, CellWriter cell) {
    Optional<PdbReference> reference = row.source().reference();
    if (reference.isEmpty()) {
      cell.unknown();
      return;
    }
    PdbReference pdb = reference.get();
    cell.shaped(
        () -> pdb.id().key(),
        json ->
            json.object()
                .text("guid", pdb.id().guid().toString())
                .number("age", pdb.id().age())
                .text("name", pdb.fileName())
                .endObject());
  }

  /** Writes where the file of the image is, if requested. */
  private void image(Row row, CellWriter cell) {
    SymbolStores.Result<OpenImage> file = files.get(row.candidate());
    if (file == null) {
      cell.absent();
      return;
    }
    cell.shaped(
        () -> image(row, file),
        json -> {
          json.object().text("key", row.candidate().imageId().key());
          json.text("path", file.found().map(image -> image.path().toString()).orElse(null));
          tried(file.tried(), json.key("tried"));
          json.endObject();
        });
  }

  private static void tried(List<Tried> tried, CellWriter cell) {
    cell.shaped(
        () -> tried.stream().map(Tried::why).collect(Collectors.joining("; ")),
        json -> tried(tried, json));
  }

  /** Writes the places that were looked at, as a value. */
  static void tried(List<Tried> tried, Json json) {
    json.array();
    for (Tried place : tried) {
      json.object().text("place", place.place()).text("why", place.why()).endObject();
    }
    json.endArray();
  }

  void text(Path file, long limit, int width) {
    terminal.out().println(file + ": images by samples" + where());
    ListingColumns<Row> columns = columns();
    Table table = columns.table();
    rows.stream()
        .limit(limit == 0 ? Long.MAX_VALUE : limit)
        .forEach(row -> {
          columns.row(table, row);
          SymbolStores.Result<OpenImage> image = files.get(row.candidate());
          if (image != null) {
            table.below(List.of("the image: " + image(row, image)));
          }
        });
    table.print(terminal.out(), 2, width);
    if (limit != 0 && rows.size() > limit) {
      terminal
          .out()
          .println("  ... " + Numbers.count(rows.size() - limit) + " more (-n 0 shows all)");
    }
    summary();
  }

  /** Returns the servers of the search path, for the first line. */
  private String where() {
    List<String> servers = places.servers();
    if (servers.isEmpty()) {
      return "; no symbol server given";
    }
    return "; "
        + (servers.size() == 1 ? "server " : "servers ")
        + String.join(", ", servers)
        + (places.asksServers() ? "" : " (not queried without --fetch)");
  }

  private void summary() {
    long held =
        rows.stream().filter(row -> row.state() == State.FOUND).mapToLong(Row::samples).sum();
    int more = images.all().size() - rows.size();
    terminal
        .out()
        .println(
            "%s: %s found, %s wrong, %s missing, %s without PDB id; images with symbols have %s %% of busy samples"
                .formatted(
                    Numbers.counted(rows.size(), "image")
                        + (more == 0 ? "" : " of " + Numbers.count(images.all().size())),
                    count(State.FOUND),
                    count(State.WRONG),
                    count(State.MISSING),
                    count(State.NO_ID),
                    Numbers.percent(held, images.busy())));
  }

  private String count(State state) {
    return Numbers.count(rows.stream().filter(row -> row.state() == state).count());
  }

  private static String state(Row row) {
    return switch (row.state()) {
      case FOUND -> "in " + row.source().pdb().map(OpenPdb::place).orElseThrow();
      case WRONG ->
          "WRONG: "
              + row.source().tried().stream()
                  .filter(Tried::isThere)
                  .map(Tried::why)
                  .findFirst()
                  .orElseThrow();
      case MISSING -> "missing: " + missing(row);
      case NO_ID -> "no PDB id in the recording";
    };
  }

  private static String missing(Row row) {
    String name = row.source().reference().map(PdbReference::fileName).orElse("");
    List<Tried> tried = row.source().tried();
    return tried.isEmpty()
        ? name + ", no symbol path given (-y)"
        : tried.getLast().place().startsWith("http") ? tried.getLast().why() : name + " not found";
  }

  private static String image(Row row, SymbolStores.Result<OpenImage> image) {
    return image
        .found()
        .map(found -> "in " + found.path())
        .orElseGet(() ->
            image.tried().isEmpty()
                ? row.candidate().imageKey().map(StoreKey::toString).orElse("")
                    + ", no symbol path given"
                : image.tried().getLast().why());
  }
}
