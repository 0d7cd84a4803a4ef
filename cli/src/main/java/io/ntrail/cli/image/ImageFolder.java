package io.ntrail.cli.image;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.CellWriter;
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
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.ImageMitigations;
import io.ntrail.programs.image.ParsedImage;
import io.ntrail.programs.patchability.Patchability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** {@code ntrail image FOLDER}: a row an image of a whole tree. */
final class ImageFolder {
  /**
   * An image of the folder.
   *
   * @param gaps how many parts of it could not be read
   * @param functions those that were asked for; -1: none were
   * @param patches how functions can be patched; null: not requested
   */
  private record Row(
      ParsedImage contents, long gaps, long functions, @Nullable Patchability patches) {
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
  private final StoppableWork<WorkPhase> work;
  private final WorkProgress<WorkPhase> progress;

  /** Functions of all images that fit the pattern. */
  private long matching;

  private FolderTotals totals = new FolderTotals();

  ImageFolder(Terminal terminal, ParseResult parsed, long limit) {
    this.terminal = terminal;
    this.parsed = parsed;
    this.limit = limit;
    this.work = new StoppableWork<>(new WorkPhase("looking for images", "file"));
    this.progress = WorkProgress.of(work, parsed, terminal);
  }

  int print(Path folder, Format format, ImageRequest request) {
    if (!request.isOfFolder()) {
      throw new UsageError(
          "a folder is listed with one row per image; its options are --hotpatch and --functions",
          "ntrail image " + ShellWords.file(folder) + " --format csv");
    }
    List<Path> files = files(folder);
    Listing<Row> listing =
        new Listing<>(
            "images",
            columns(request),
            sink -> {
              // A table is printed when its rows are known; other forms have them meanwhile.
              try (Progress _ = format == Format.TEXT ? progress.start() : progress.listing()) {
                rows(folder, files, request, sink);
              }
            });
    listing.print(
        format,
        terminal.out(),
        () -> text(folder, files.size(), listing),
        json -> {
          json.text("schema", "ntrail.images/1").text("folder", folder.toString());
          listing.json(json);
          json.array("notImages");
          refused.forEach(json::text);
          json.endArray();
          totals.json(json);
          json.gaps(progress.gaps(gaps, folder.toString(), 0, -1));
        });
    warn(format, request);
    Losses.warn(gaps, terminal);
    return progress.exitCode(gaps.isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE);
  }

  /**
   * Warns of files that have no row, for forms without a place for them, and of a wrong pattern.
   */
  private void warn(Format format, ImageRequest request) {
    terminal.out().flush();
    if (!refused.isEmpty() && (format == Format.CSV || format == Format.JSONL)) {
      terminal.err().println("warning: " + ofAnotherKind());
    }
    NamePattern pattern = request.functions();
    boolean isNone = matching == 0 && !work.isStopping();
    if (isNone && pattern != null && !pattern.toString().isEmpty()) {
      UnmatchedTerm word = new UnmatchedTerm(UnmatchedTerm.What.FUNCTION, pattern.toString(), "");
      EventRemarks.unmatched(List.of(word), false, false, terminal);
    }
  }

  private String ofAnotherKind() {
    return Numbers.counted(refused.size(), "file") + " of another kind (--format json lists them)";
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
                + (refused.isEmpty() ? "" : ", " + ofAnotherKind())
                + progress.state());
    totals.print(terminal.out());
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

  private void rows(Path folder, List<Path> files, ImageRequest request, Consumer<Row> sink) {
    totals = new FolderTotals();
    refused.clear();
    gaps.clear();
    matching = 0;
    work.begin(new WorkPhase("reading the images of " + folder, "file"), files.size());
    for (Path file : files) {
      if (work.isStopping()) {
        work.stopped();
        return;
      }
      row(folder, file, request, sink);
      work.done(1);
    }
  }

  private void row(Path folder, Path path, ImageRequest request, Consumer<Row> sink) {
    Gaps packed = new Gaps();
    List<InputFile> inputs = List.of();
    try {
      inputs =
          Archives.open(
              path, MemberChoice.of(ImageFileNames::isImageName, PeImage::refuseOthers), packed);
      for (InputFile input : inputs) {
        PeImage image = PeImage.ofFile(input);
        ParsedImage contents = ParsedImage.of(image);
        Patchability patches = request.hotpatch() ? Patchability.of(image) : null;
        long functions = request.functions() == null ? -1 : functions(image, request.functions());
        matching += Math.max(0, functions);
        totals.add(folder.relativize(path).toString(), contents.security(), patches);
        List<Gap> own = ImageCommand.gaps(packed.list(), image.gaps());
        gaps.addAll(own);
        sink.accept(new Row(contents, own.size(), functions, patches));
      }
    } catch (CannotGoOn | DamagedInput e) {
      refused.add(path + ": " + e.getMessage());
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  /** Returns the number of functions whose names fit a pattern; with an empty one of all. */
  private static long functions(PeImage image, NamePattern pattern) {
    boolean isAll = pattern.toString().isEmpty();
    return ImageFunctions.withSymbolTable(image).list().stream()
        .filter(f -> isAll || f.names().stream().anyMatch(pattern::matches))
        .count();
  }

  private static ListingColumns<Row> columns(ImageRequest request) {
    ListingColumns<Row> columns = columns();
    if (request.functions() != null) {
      columns
          .count("functions", Row::functions)
          .titled(functionsTitle(request.functions().toString()));
    }
    if (request.hotpatch()) {
      hotpatch(columns);
    }
    return columns
        .text("file", row -> row.contents.image().name())
        .titled()
        .optional(
            "imports",
            "exports",
            "safeSeh",
            "gs",
            "nx",
            "signed",
            "sizeOfImage",
            "type",
            "machine");
  }

  private static String functionsTitle(String pattern) {
    return pattern.isEmpty() ? "functions" : "functions " + pattern;
  }

  private static void hotpatch(ListingColumns<Row> columns) {
    columns
        .knownCount("hotpatchFunctions", row -> of(row, patches -> patches.share().functions()))
        .titled("all functions")
        .knownCount("hotpatchMade", row -> of(row, patches -> patches.share().both()))
        .knownCount("hotpatchPossible", row -> of(row, Patchability::possible))
        .figure("made for hot-patching", row -> share(row, patches -> patches.share().both()))
        .figure("can be patched", row -> share(row, Patchability::possible));
  }

  private static long of(Row row, ToLongFunction<Patchability> figure) {
    Patchability patches = row.patches;
    return patches == null ? -1 : figure.applyAsLong(patches);
  }

  private static String share(Row row, ToLongFunction<Patchability> figure) {
    long all = of(row, patches -> patches.share().functions());
    return all == 0 ? "-" : Numbers.percent(of(row, figure), all) + " %";
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
        .value("cet", (row, cell) -> flag(cell, row.security().cet()))
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
