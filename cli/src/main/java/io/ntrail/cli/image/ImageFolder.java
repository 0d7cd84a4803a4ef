package io.ntrail.cli.image;

import io.ntrail.cli.common.CellWriter;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFileNames;
import io.ntrail.programs.image.ImageMitigations;
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
  /**
   * An image of the folder.
   *
   * @param gaps how many parts of it could not be read
   */
  private record Row(ParsedImage contents, long gaps) {
    PeHeaders headers() {
      return contents.image().headers();
    }

    ImageMitigations security() {
      return contents.security();
    }
  }

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
          "a folder is listed with one row per image; tables need a single image",
          "ntrail image " + ShellWords.file(folder) + " --format csv");
    }
    List<Path> files = files(folder);
    Listing<Row> listing = new Listing<>("images", columns(), sink -> rows(files, sink));
    listing.print(
        format,
        terminal.out(),
        () -> text(folder, files.size(), listing),
        json -> {
          json.text("schema", "ntrail.images/1").text("folder", folder.toString());
          listing.json(json);
          json.array("notImages");
          refused.forEach(json::text);
          json.endArray().gaps(gaps);
        });
    Losses.warn(gaps, terminal);
    return gaps.isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }

  private void text(Path folder, int files, Listing<Row> listing) {
    int width =
        CommonOptions.has(parsed, "--wide") || !terminal.outIsTerminal() ? 0 : terminal.width();
    terminal
        .out()
        .println(folder + ": " + Numbers.counted(files, "file") + " with an image file extension");
    long rows = listing.table(terminal.out(), limit, width);
    terminal
        .out()
        .println(
            Numbers.counted(rows, "image")
                + (refused.isEmpty()
                    ? ""
                    : ", "
                        + Numbers.counted(refused.size(), "file")
                        + " of another kind (--format json lists them)"));
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

  private void rows(List<Path> files, Consumer<Row> sink) {
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

  private void row(Path path, Consumer<Row> sink) {
    Gaps packed = new Gaps();
    List<InputFile> inputs = List.of();
    try {
      inputs =
          Archives.open(
              path, MemberChoice.of(ImageFileNames::isImageName, PeImage::refuseOthers), packed);
      for (InputFile input : inputs) {
        PeImage image = PeImage.ofFile(input);
        ParsedImage contents = ParsedImage.of(image);
        List<Gap> own = ImageCommand.gaps(packed.list(), image.gaps());
        gaps.addAll(own);
        sink.accept(new Row(contents, own.size()));
      }
    } catch (CannotGoOn | DamagedInput e) {
      refused.add(path + ": " + e.getMessage());
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  private static ListingColumns<Row> columns() {
    return new ListingColumns<Row>()
        .text("machine", row -> MachineType.text(row.headers().machine()))
        .titled()
        .text("type", row -> ImageJson.type(row.headers()))
        .titled()
        .count("sizeOfImage", row -> row.headers().sizeOfImage())
        .titled("size")
        .count("timestamp", row -> row.headers().timestamp())
        .text("codeId", row -> row.contents.id().key())
        .text("pdbGuid", row -> row.contents.pdb().map(id -> id.guid().toString()).orElse(null))
        .knownCount("pdbAge", row -> row.contents.pdb().map(PdbId::age).orElse(-1L))
        .text("pdb", ImageFolder::pdbPath)
        .flag("aslrEffective", row -> row.security().aslrEffective())
        .titled("ASLR")
        .flag("nx", row -> row.security().nx())
        .titled("DEP")
        .flag("cfg", row -> row.security().cfg())
        .titled("CFG")
        .flag("cet", row -> row.security().cet())
        .titled("CET")
        .flag("gs", row -> row.security().gs())
        .titled("/GS")
        .value("safeSeh", (row, cell) -> flag(cell, row.security().safeSeh()))
        .titled("SafeSEH")
        .value("signed", (row, cell) -> flag(cell, row.security().signed()))
        .titled()
        .count("exports", row -> row.contents.exports().list().size())
        .titled()
        .count("imports", row -> row.contents.imports().count())
        .titled()
        .count("gaps", Row::gaps)
        .titled()
        .text("file", row -> row.contents.image().name())
        .titled();
  }

  private static @Nullable String pdbPath(Row row) {
    return row.contents
        .debug()
        .codeView()
        .map(CodeView::path)
        .filter(path -> !path.isEmpty())
        .orElse(null);
  }

  private static void flag(CellWriter cell, @Nullable Boolean value) {
    if (value == null) {
      cell.unknown();
    } else {
      cell.flag(value);
    }
  }
}
