package io.ntrail.cli.symbols;

import io.ntrail.analysis.etw.RecordedImages;
import io.ntrail.analysis.etw.RecordedImages.Candidate;
import io.ntrail.analysis.etw.RecordedImages.Row;
import io.ntrail.analysis.etw.RecordedImages.State;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.programs.symbols.ImageFileRequest;
import io.ntrail.programs.symbols.OpenImage;
import io.ntrail.programs.symbols.StoreKey;
import io.ntrail.programs.symbols.SymbolBundle;
import io.ntrail.programs.symbols.SymbolManifest;
import io.ntrail.programs.symbols.SymbolStores;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * {@code symbols RECORDING}: where the names of each image come from, or why they come from
 * nowhere, the images with the most samples first. Fetches what is missing, packs what is there,
 * and lists what is to be downloaded elsewhere, if requested.
 */
final class RecordedImagesReport {
  /**
   * Request of {@code ntrail symbols} for a recording.
   *
   * @param hot how many images with samples; 0 for all of those, -1 for all images
   */
  record Request(
      Path file,
      long hot,
      boolean images,
      @Nullable OutputFile bundle,
      @Nullable OutputFile manifest,
      Format format,
      ParseResult parsed) {}

  private final Request request;
  private final SymbolSearchPath places;
  private final Terminal terminal;

  private RecordedImagesReport(Request request, SymbolSearchPath places, Terminal terminal) {
    this.request = request;
    this.places = places;
    this.terminal = terminal;
  }

  static int print(Request request, SymbolSearchPath places, Terminal terminal) {
    return new RecordedImagesReport(request, places, terminal).run();
  }

  private int run() {
    ParseResult parsed = request.parsed;
    try (EtwRecording recording = RecordingInput.openEtw(List.of(request.file))) {
      RecordedImages images;
      List<Row> rows;
      Map<Candidate, SymbolStores.Result<OpenImage>> files = new LinkedHashMap<>();
      try (Progress _ = ReadingProgress.start(recording, places, parsed, terminal)) {
        images = RecordedImages.of(recording, places.search(), CommonOptions.cores(parsed));
      }
      try (images) {
        StoppableWork<WorkPhase> work =
            new StoppableWork<>(new WorkPhase("looking for the PDBs of " + request.file, "PDB"));
        WorkProgress<WorkPhase> progress = WorkProgress.of(work, parsed, terminal);
        try (Progress _ = progress.start(places)) {
          rows = images.find(request.hot < 0 ? images.all() : images.hottest(request.hot), work);
          if (request.images && work.stoppedAt().isEmpty()) {
            files(rows, files, work);
          }
        }
        RecordedImagesView view =
            new RecordedImagesView(recording, images, rows, files, places, terminal);
        if (request.format == Format.JSON) {
          view.json(progress);
        } else {
          boolean cut = !CommonOptions.has(parsed, "--wide") && terminal.outIsTerminal();
          view.text(
              request.file,
              request.hot > 0
                  ? CommonOptions.number(parsed, "-n", request.hot)
                  : CommonOptions.limit(parsed, request.format, terminal),
              cut ? terminal.width() : 0);
        }
        manifest(rows, files);
        bundle(rows, files);
        images.remarks().forEach(why -> terminal.err().println("warning: " + why));
        hint(rows);
        boolean lacks = rows.stream().anyMatch(RecordedImagesReport::isLacking);
        return progress.exitCode(
            Losses.finish(recording, new Losses.Symbols(images.gaps(), lacks), parsed, terminal));
      } finally {
        files.values().forEach(result -> result.found().ifPresent(OpenImage::close));
      }
    }
  }

  private void files(
      List<Row> rows,
      Map<Candidate, SymbolStores.Result<OpenImage>> files,
      StoppableWork<WorkPhase> work) {
    work.begin(new WorkPhase("looking for the images of " + request.file, "image"), rows.size());
    for (Row row : rows) {
      if (work.isStopping()) {
        work.stopped();
        return;
      }
      find(row.candidate(), files);
      work.done(1);
    }
  }

  private void find(Candidate candidate, Map<Candidate, SymbolStores.Result<OpenImage>> files) {
    ImageFileRequest.of(candidate.image().name(), candidate.image().id())
        .ifPresent(sought -> files.put(candidate, places.images().find(sought)));
  }

  private static boolean isLacking(Row row) {
    return row.state() == State.MISSING || row.state() == State.WRONG;
  }

  private void manifest(List<Row> rows, Map<Candidate, SymbolStores.Result<OpenImage>> files) {
    if (request.manifest == null) {
      return;
    }
    List<StoreKey> keys = new ArrayList<>();
    for (Row row : rows) {
      if (isLacking(row)) {
        row.pdbKey().ifPresent(keys::add);
      }
      Optional.ofNullable(files.get(row.candidate()))
          .filter(found -> found.found().isEmpty())
          .flatMap(_ -> row.candidate().imageKey())
          .ifPresent(keys::add);
    }
    SymbolManifest manifest = new SymbolManifest(keys.stream().distinct().toList());
    try {
      request.manifest.open().write(manifest.text().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw request.manifest.failed(e);
    }
    request.manifest.complete();
    said(
        "%s: %s to download"
            .formatted(request.manifest.place(), Numbers.counted(manifest.keys().size(), "file")));
  }

  private void bundle(List<Row> rows, Map<Candidate, SymbolStores.Result<OpenImage>> files) {
    if (request.bundle == null) {
      return;
    }
    try (SymbolBundle bundle = new SymbolBundle(request.bundle)) {
      for (Row row : rows) {
        row.source()
            .pdb()
            .ifPresent(pdb -> row.pdbKey().ifPresent(key -> bundle.add(key, pdb.input())));
        Optional.ofNullable(files.get(row.candidate()))
            .flatMap(SymbolStores.Result::found)
            .ifPresent(image ->
                row.candidate().imageKey().ifPresent(key -> bundle.add(key, image.input())));
      }
      said(written(request.bundle.place(), bundle));
    }
  }

  /** Finishes a bundle and reports its content. */
  static String written(Path file, SymbolBundle bundle) {
    int count = bundle.count();
    if (count == 0) {
      throw new CannotGoOn(
          "no files found to pack into %s".formatted(file),
          "--fetch --server URL, or -y PATH, where PDBs are");
    }
    return "%s: %s, %s (use it with -y %s)"
        .formatted(
            file,
            Numbers.counted(count, "file"),
            Numbers.bytes(bundle.finish()),
            ShellWords.file(file));
  }

  private void said(String what) {
    terminal.out().flush();
    terminal.err().println(what);
  }

  /** The line to copy, where nothing was asked of the network. */
  private void hint(List<Row> rows) {
    long missing = rows.stream().filter(row -> row.state() == State.MISSING).count();
    if (missing == 0 || places.asksServers() || CommonOptions.has(request.parsed, "-q")) {
      return;
    }
    String server = places.servers().isEmpty() ? " --server " + SymbolDownloads.PUBLIC_SERVER : "";
    terminal.out().flush();
    terminal
        .err()
        .println(
            "try: ntrail symbols " + ShellWords.file(request.file) + " --hot 20 --fetch" + server);
  }
}
