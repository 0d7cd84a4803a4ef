package io.ntrail.cli.command;

import io.ntrail.analysis.events.SchemaSources;
import io.ntrail.analysis.events.UserSchemas;
import io.ntrail.analysis.machine.ImageFile;
import io.ntrail.analysis.machine.Images;
import io.ntrail.analysis.machine.PdbReference;
import io.ntrail.analysis.profile.FlatProfile;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileInput;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.Profiler;
import io.ntrail.analysis.profile.Unit;
import io.ntrail.analysis.recording.Recording;
import io.ntrail.analysis.symbols.OpenPdb;
import io.ntrail.analysis.symbols.PdbSearch;
import io.ntrail.analysis.symbols.RecordingSymbols;
import io.ntrail.analysis.symbols.RecordingSymbols.Source;
import io.ntrail.cli.command.Options.Format;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * {@code symbols RECORDING}: where the names of each image come from, or why they come from
 * nowhere, the images with the most samples first.
 */
final class RecordedImages {
  private static final long DEFAULT_LIMIT = 20;

  /** What was found for an image. */
  private enum State {
    FOUND("found"),
    WRONG("wrong"),
    MISSING("missing"),
    NO_ID("noPdbId");

    private final String text;

    State(String text) {
      this.text = text;
    }
  }

  /**
   * One image, however often it was loaded.
   *
   * @param samples of CPUs that were busy in it; those of images of one name are not told apart
   */
  private record Row(ImageFile image, long samples, State state, Source source) {
    @Nullable String path() {
      return source.pdb().map(pdb -> pdb.path().toString()).orElse(null);
    }
  }

  private final List<Row> rows;
  private final long busy;
  private final Recording recording;
  private final List<Gap> damaged;
  private final List<String> remarks;

  private RecordedImages(
      List<Row> rows, long busy, Recording recording, List<Gap> damaged, List<String> remarks) {
    this.damaged = damaged;
    this.remarks = remarks;
    this.rows = rows;
    this.busy = busy;
    this.recording = recording;
  }

  /** Whether a file is a recording by its name. */
  static boolean isName(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return name.matches(".*\\.etl(\\.gz|\\.zip)?") || name.endsWith(".diagsession");
  }

  static int print(
      Path file, PdbSearch search, Format format, ParseResult parsed, Terminal terminal) {
    try (Recording recording = Recording.open(List.of(file))) {
      RecordedImages images;
      try (Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
        images = of(recording, search, Options.cores(parsed));
      }
      switch (format) {
        case JSON -> images.json(terminal);
        case TEXT ->
            images.text(
                file,
                Options.number(parsed, "-n", DEFAULT_LIMIT),
                Options.has(parsed, "--wide") || !terminal.outIsTerminal() ? 0 : terminal.width(),
                terminal);
        default ->
            throw new UsageError("the images of a recording are text or json", "--format json");
      }
      images.remarks.forEach(why -> terminal.err().println("warning: " + why));
      return Losses.finish(recording, images.damaged, parsed, terminal);
    }
  }

  private static RecordedImages of(Recording recording, PdbSearch search, int cores) {
    ProfileInput input =
        ProfileInput.of(recording, new SchemaSources(UserSchemas.NONE), cores, false);
    Map<String, Long> samples = new HashMap<>();
    long busy = 0;
    if (input.inventory().events(Metric.CPU) > 0) {
      Profiler profiler =
          new Profiler(
              input,
              new Profiler.Request(Metric.CPU, Unit.SAMPLES, -1, "", ProfileScope.ALL),
              null);
      FlatProfile flat = new FlatProfile(profiler.functions(), true);
      profiler.run(flat);
      for (ProfileRow row : flat.rows(true)) {
        samples.put(String.valueOf(row.module()).toLowerCase(Locale.ROOT), row.self());
      }
      busy = profiler.total();
    }
    Images images = input.machine().images();
    Map<String, Row> rows = new LinkedHashMap<>();
    Set<String> identified = new HashSet<>();
    List<Gap> damaged;
    List<String> warnings;
    try (RecordingSymbols symbols = new RecordingSymbols(images, search)) {
      for (int i = 0; i < images.files().size(); i++) {
        ImageFile image = images.files().get(i);
        Source source = symbols.source(i);
        String name = image.name().toLowerCase(Locale.ROOT);
        Row row = new Row(image, samples.getOrDefault(name, 0L), state(source), source);
        String build = name + "*" + image.size();
        source.reference().ifPresent(_ -> identified.add(build));
        rows.putIfAbsent(build + source.reference(), row);
      }
      damaged = symbols.gaps();
      warnings = symbols.remarks();
    }
    // Lists of what is loaded say less of an image than its load does.
    identified.forEach(build -> rows.remove(build + Optional.empty()));
    List<Row> sorted = new ArrayList<>(rows.values());
    sorted.sort(
        Comparator.comparingLong((Row row) -> -row.samples)
            .thenComparing(RecordedImages::name)
            .thenComparingLong(row -> row.image.size()));
    return new RecordedImages(sorted, busy, recording, damaged, warnings);
  }

  private static State state(Source source) {
    return source.reference().isEmpty()
        ? State.NO_ID
        : source.pdb().isPresent()
            ? State.FOUND
            : source.tried().stream().anyMatch(PdbSearch.Tried::isThere)
                ? State.WRONG
                : State.MISSING;
  }

  private void json(Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.symbols/1");
      json.text("file", recording.files().getFirst().name()).number("samples", busy);
      json.array("modules");
      for (Row row : rows) {
        json.object().text("module", row.image.name());
        Optional<PdbReference> reference = row.source.reference();
        if (reference.isPresent()) {
          PdbReference pdb = reference.get();
          json.object("pdb").text("guid", pdb.id().guid().toString());
          json.number("age", pdb.id().age()).text("name", pdb.fileName()).endObject();
        } else {
          json.unknown("pdb");
        }
        json.number("samples", row.samples).text("state", row.state.text).text("path", row.path());
        json.array("tried");
        for (PdbSearch.Tried tried : row.source.tried()) {
          json.object().text("place", tried.place().toString()).text("why", tried.why());
          json.endObject();
        }
        json.endArray().endObject();
      }
      List<Gap> gaps = new ArrayList<>(recording.gaps());
      gaps.addAll(damaged);
      json.endArray().gaps(gaps).endObject();
    }
  }

  private void text(Path file, long limit, int width, Terminal terminal) {
    terminal.out().println(file + ": images by samples");
    Table table = new Table().number("samples").name("image").name("PDB id").name("state");
    rows.stream()
        .limit(limit == 0 ? Long.MAX_VALUE : limit)
        .forEach(row ->
            table.row(
                Numbers.count(row.samples),
                row.image.name(),
                row.source.reference().map(pdb -> pdb.id().key()).orElse("-"),
                state(row)));
    table.print(terminal.out(), 2, width);
    if (limit != 0 && rows.size() > limit) {
      terminal
          .out()
          .println("  ... " + Numbers.count(rows.size() - limit) + " more (-n 0 shows all)");
    }
    // Samples are told by name: of several images with one name all must be found.
    Map<String, Long> found = new HashMap<>();
    rows.forEach(row -> found.put(name(row), row.samples));
    rows.stream().filter(row -> row.state != State.FOUND).forEach(row -> found.remove(name(row)));
    long held = found.values().stream().mapToLong(Long::longValue).sum();
    terminal
        .out()
        .println(
            "%s: %s found, %s wrong, %s missing, %s without PDB id; found ones hold %s %% of busy samples"
                .formatted(
                    Numbers.counted(rows.size(), "image"),
                    count(State.FOUND),
                    count(State.WRONG),
                    count(State.MISSING),
                    count(State.NO_ID),
                    Numbers.percent(held, busy)));
    long shared = rows.size() - rows.stream().map(RecordedImages::name).distinct().count();
    if (shared > 0) {
      terminal
          .out()
          .println(
              "samples are those of all images of one name: "
                  + Numbers.counted(shared, "image")
                  + " more than there are names");
    }
  }

  private static String name(Row row) {
    return row.image.name().toLowerCase(Locale.ROOT);
  }

  private String count(State state) {
    return Numbers.count(rows.stream().filter(row -> row.state == state).count());
  }

  private static String state(Row row) {
    return switch (row.state) {
      case FOUND -> "in " + row.source.pdb().map(OpenPdb::path).orElseThrow();
      case WRONG ->
          "WRONG: "
              + row.source.tried().stream()
                  .filter(PdbSearch.Tried::isThere)
                  .map(PdbSearch.Tried::why)
                  .findFirst()
                  .orElseThrow();
      case MISSING ->
          "missing: "
              + row.source.reference().map(PdbReference::fileName).orElse("")
              + (row.source.tried().isEmpty() ? ", nowhere to look (-y)" : " is not there");
      case NO_ID -> "the recording does not tell its PDB";
    };
  }
}
