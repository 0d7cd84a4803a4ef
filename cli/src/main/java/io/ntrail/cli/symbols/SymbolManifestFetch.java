package io.ntrail.cli.symbols;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.programs.symbols.OpenImage;
import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.programs.symbols.StoreKey;
import io.ntrail.programs.symbols.SymbolBundle;
import io.ntrail.programs.symbols.SymbolManifest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * {@code symbols MANIFEST}: finds the files that another machine lacks, fetches them if asked, and
 * packs them for the way back.
 */
final class SymbolManifestFetch {
  /** A file of the manifest: where it is, or why it is nowhere. */
  private record Row(StoreKey key, @Nullable String place, List<Tried> tried) {
    String state() {
      return place != null
          ? "in " + place
          : "missing: "
              + tried.stream().map(Tried::why).distinct().collect(Collectors.joining("; "));
    }
  }

  /** Gets the bytes of what was found, while it is open. */
  private interface Taker {
    void take(StoreKey key, InputFile input);
  }

  private SymbolManifestFetch() {}

  static int print(
      Path file,
      @Nullable OutputFile bundle,
      Format format,
      SymbolSearchPath places,
      ParseResult parsed,
      Terminal terminal) {
    List<StoreKey> keys = SymbolManifest.read(file).keys();
    StoppableWork<WorkPhase> work =
        new StoppableWork<>(new WorkPhase("looking for the files of " + file, "file"));
    WorkProgress<WorkPhase> progress = WorkProgress.of(work, parsed, terminal);
    List<Row> rows;
    String written = "";
    try (Progress _ = progress.start(places)) {
      if (bundle == null) {
        rows = rows(keys, key -> find(key, places, (_, _) -> {}), work);
      } else {
        try (SymbolBundle packed = new SymbolBundle(bundle)) {
          rows = rows(keys, key -> find(key, places, packed::add), work);
          written = RecordedImagesReport.written(bundle.place(), packed);
        }
      }
    }
    if (format == Format.JSON) {
      json(file, rows, progress, terminal);
    } else {
      text(file, rows, progress, parsed, terminal);
    }
    if (!written.isEmpty()) {
      terminal.out().flush();
      terminal.err().println(written);
    }
    boolean lacks = rows.stream().anyMatch(row -> row.place == null);
    return progress.exitCode(
        lacks && CommonOptions.has(parsed, "--strict") ? ExitCode.INCOMPLETE : ExitCode.DONE);
  }

  /** Looks for files until it is stopped. */
  private static List<Row> rows(
      List<StoreKey> keys, Function<StoreKey, Row> find, StoppableWork<WorkPhase> work) {
    List<Row> rows = new ArrayList<>();
    work.begin(keys.size());
    for (StoreKey key : keys) {
      Row row = work.isStopping() ? null : find.apply(key);
      // What was not there when the download was stopped may be there all the same.
      if (row == null || row.place == null && work.isStopping()) {
        work.stopped();
        break;
      }
      rows.add(row);
      work.done(1);
    }
    return rows;
  }

  private static Row find(StoreKey key, SymbolSearchPath places, Taker taker) {
    return SymbolManifest.pdb(key)
        .map(sought -> {
          var found = places.search().find(sought.id(), key.name());
          try (OpenPdb pdb = found.pdb().orElse(null)) {
            if (pdb != null) {
              taker.take(key, pdb.input());
            }
            return new Row(key, pdb == null ? null : pdb.place(), found.tried());
          }
        })
        .or(() ->
            SymbolManifest.image(key)
                .map(sought -> {
                  var found = places.images().find(sought);
                  try (OpenImage image = found.found().orElse(null)) {
                    if (image != null) {
                      taker.take(key, image.input());
                    }
                    return new Row(
                        key, image == null ? null : image.path().toString(), found.tried());
                  }
                }))
        .orElseGet(() ->
            new Row(
                key, null, List.of(new Tried("", false, "neither a PDB key nor an image key"))));
  }

  private static void json(
      Path file, List<Row> rows, WorkProgress<WorkPhase> progress, Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.symbol-files/1").text("file", file.toString());
      new Listing<>("files", columns(), rows::forEach).json(json);
      json.gaps(progress.gaps(List.of(), file.toString(), 0, -1)).endObject();
    }
  }

  private static ListingColumns<Row> columns() {
    return new ListingColumns<Row>()
        .text("name", row -> row.key.name())
        .titled("file")
        .text("key", row -> row.key.key())
        .titled()
        .text("path", Row::place)
        .titled("state")
        .shown(Row::state)
        .remarks()
        .value(
            "tried",
            (row, cell) ->
                cell.shaped(row::state, json -> RecordedImagesView.tried(row.tried, json)));
  }

  private static void text(
      Path file,
      List<Row> rows,
      WorkProgress<WorkPhase> progress,
      ParseResult parsed,
      Terminal terminal) {
    boolean cut = !CommonOptions.has(parsed, "--wide") && terminal.outIsTerminal();
    terminal.out().println(file + ": symbol files of a recording");
    ListingColumns<Row> columns = columns();
    Table table = columns.table();
    rows.forEach(row -> columns.row(table, row));
    table.print(terminal.out(), 2, cut ? terminal.width() : 0);
    long found = rows.stream().filter(row -> row.place != null).count();
    terminal
        .out()
        .println(
            Numbers.counted(rows.size(), "file")
                + ": "
                + Numbers.count(found)
                + " found, "
                + Numbers.count(rows.size() - found)
                + " missing"
                + progress.state());
    if (found < rows.size()
        && !CommonOptions.has(parsed, "-q")
        && !CommonOptions.has(parsed, "--fetch")) {
      terminal.out().flush();
      terminal
          .err()
          .println(
              "try: ntrail symbols %s --fetch --server URL --bundle symbols.zip"
                  .formatted(ShellWords.file(file)));
    }
  }
}
