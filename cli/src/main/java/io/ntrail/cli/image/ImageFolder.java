package io.ntrail.cli.image;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFileNames;
import io.ntrail.programs.image.ParsedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** {@code ntrail image FOLDER}: a row an image of a whole tree. */
final class ImageFolder {
  private static final List<Column> COLUMNS =
      List.of(
          Column.name("machine", "machine"),
          Column.name("type", "type"),
          Column.number("sizeOfImage", "size"),
          Column.hidden("timestamp"),
          Column.hidden("codeId"),
          Column.hidden("pdbGuid"),
          Column.hidden("pdbAge"),
          Column.hidden("pdb"),
          Column.name("aslrEffective", "ASLR"),
          Column.name("nx", "DEP"),
          Column.name("cfg", "CFG"),
          Column.name("cet", "CET"),
          Column.name("gs", "/GS"),
          Column.name("safeSeh", "SafeSEH"),
          Column.name("signed", "signed"),
          Column.number("exports", "exports"),
          Column.number("imports", "imports"),
          Column.number("gaps", "gaps"),
          Column.name("file", "file"));

  private final Terminal terminal;
  private final ParseResult parsed;
  private final long limit;
  private final List<Gap> gaps = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private final AtomicLong seen = new AtomicLong();

  ImageFolder(Terminal terminal, ParseResult parsed, long limit) {
    this.terminal = terminal;
    this.parsed = parsed;
    this.limit = limit;
  }

  int print(Path folder, Format format, ImageRequest request) {
    if (!request.isSummary()) {
      throw new UsageError(
          "a folder has a row an image, and no tables of one",
          "ntrail image " + folder + " --format csv");
    }
    List<Path> files = files(folder);
    Listing listing = new Listing("images", COLUMNS, sink -> rows(files, sink));
    switch (format) {
      case JSON -> {
        try (Json json = new Json(terminal.out())) {
          json.object().text("schema", "ntrail.images/1").text("folder", folder.toString());
          listing.json(json);
          json.array("notImages");
          refused.forEach(json::text);
          json.endArray().gaps(gaps).endObject();
        }
      }
      case JSONL -> {
        try (Json json = new Json(terminal.out())) {
          listing.lines(json);
        }
      }
      case CSV -> listing.csv(terminal.out());
      case TEXT -> text(folder, files.size(), listing);
    }
    Losses.warn(gaps, terminal);
    return gaps.isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }

  private void text(Path folder, int files, Listing listing) {
    int width =
        CommonOptions.has(parsed, "--wide") || !terminal.outIsTerminal() ? 0 : terminal.width();
    terminal
        .out()
        .println(folder + ": " + Numbers.counted(files, "file") + " with the name of an image");
    long rows = listing.table(terminal.out(), limit, width);
    terminal
        .out()
        .println(
            Numbers.counted(rows, "image")
                + (refused.isEmpty()
                    ? ""
                    : ", "
                        + Numbers.counted(refused.size(), "file")
                        + " of another kind (--format json names them)"));
  }

  private static List<Path> files(Path folder) {
    try (Stream<Path> tree = Files.walk(folder)) {
      return tree.filter(Files::isRegularFile)
          .filter(path -> isCandidate(path.getFileName().toString()))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new CannotGoOn(folder + " cannot be read: " + e.getMessage(), "");
    }
  }

  private static boolean isCandidate(String name) {
    // Packed into a cabinet: the last letter makes room for the mark.
    if (name.toLowerCase(Locale.ROOT).matches(".*\\.(ex|dl|sy|oc)_")) {
      return true;
    }
    String inner = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
    return ImageFileNames.isImageName(inner);
  }

  private void rows(List<Path> files, Consumer<List<Cell>> sink) {
    refused.clear();
    gaps.clear();
    seen.set(0);
    try (Progress _ =
        Progress.start(
            terminal,
            CommonOptions.has(parsed, "-q"),
            "images",
            seen::get,
            Math.max(1, files.size()))) {
      for (Path file : files) {
        seen.incrementAndGet();
        row(file, sink);
      }
    }
  }

  private void row(Path path, Consumer<List<Cell>> sink) {
    Gaps packed = new Gaps();
    List<InputFile> inputs = List.of();
    try {
      inputs = Archives.open(path, ImageFileNames::isImageName, packed);
      for (InputFile input : inputs) {
        PeImage image = PeImage.ofFile(input);
        ParsedImage contents = ParsedImage.of(image);
        List<Gap> own = ImageCommand.gaps(packed, image);
        gaps.addAll(own);
        sink.accept(cells(contents, own.size()));
      }
    } catch (CannotGoOn | DamagedInput e) {
      refused.add(path + ": " + e.getMessage());
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  private static List<Cell> cells(ParsedImage contents, long gaps) {
    PeHeaders headers = contents.image().headers();
    @Nullable CodeView view = contents.debug().codeView().orElse(null);
    var security = contents.security();
    return List.of(
        new Cell.Text(MachineType.text(headers.machine())),
        new Cell.Text(ImageJson.type(headers)),
        new Cell.Count(headers.sizeOfImage()),
        new Cell.Count(headers.timestamp()),
        new Cell.Text(contents.id().key()),
        contents.pdb().map(id -> (Cell) new Cell.Text(id.guid().toString())).orElse(Cell.UNKNOWN),
        contents.pdb().map(id -> (Cell) new Cell.Count(id.age())).orElse(Cell.UNKNOWN),
        new Cell.Text(view == null || view.path().isEmpty() ? null : view.path()),
        new Cell.Flag(security.aslrEffective()),
        new Cell.Flag(security.nx()),
        new Cell.Flag(security.cfg()),
        new Cell.Flag(security.cet()),
        new Cell.Flag(security.gs()),
        flag(security.safeSeh()),
        flag(security.signed()),
        new Cell.Count(contents.exports().list().size()),
        new Cell.Count(contents.imports().count()),
        new Cell.Count(gaps),
        new Cell.Text(contents.image().name()));
  }

  private static Cell flag(@Nullable Boolean value) {
    return value == null ? Cell.UNKNOWN : new Cell.Flag(value);
  }
}
