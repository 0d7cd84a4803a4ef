package io.ntrail.cli.image;

import io.ntrail.analysis.dumps.ImageComparison;
import io.ntrail.analysis.input.FileKind;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.identity.FileSignature;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFileNames;
import io.ntrail.programs.image.ParsedImage;
import io.ntrail.programs.symbols.PdbSearch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail image FILE}: the parts of a PE image. */
public final class ImageCommand implements Command {
  private static final int DEFAULT_LIMIT = 0;

  public ImageCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command(
            "image", "Headers and metadata of an image: identity, mitigations, functions, tables.");
    ImageRequest.options(spec);
    spec.addOption(
        CommonOptions.value("N", "at most N rows of a table; 0 for all", "-n", "--limit"));
    CommonOptions.output(spec, "text, json, jsonl or csv (the last two: the rows of one table)");
    spec.addPositional(
        CommonOptions.words(
            "FILE|FOLDER", "an image: .exe, .dll, .sys, also inside .zip, .gz or .cab", List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    Format format =
        CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV);
    if (CommonOptions.has(parsed, "--decode")) {
      try (Terminal terminal = CommonOptions.output(parsed, system)) {
        return HexDisassembly.print(parsed, format, terminal);
      }
    }
    ImageRequest request = ImageRequest.of(parsed);
    long limit = CommonOptions.number(parsed, "-n", DEFAULT_LIMIT);
    Path path = CommonOptions.path(CommonOptions.text(parsed, "--from", request.file()));
    try (Terminal terminal = CommonOptions.output(parsed, system)) {
      if (CommonOptions.has(parsed, "--from")) {
        return inDump(path, format, request, limit, parsed, terminal);
      }
      if (Files.isDirectory(path)) {
        return new ImageFolder(terminal, parsed, limit).print(path, format, request);
      }
      return one(path, format, request, limit, parsed, terminal);
    }
  }

  private static int one(
      Path path,
      Format format,
      ImageRequest request,
      long limit,
      ParseResult parsed,
      Terminal terminal) {
    Gaps packed = new Gaps();
    List<InputFile> inputs = open(path, packed);
    try {
      PeImage image = image(path, only(path, inputs));
      return print(path, image, null, packed::list, format, request, limit, parsed, terminal);
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  private static List<InputFile> open(Path path, Gaps gaps) {
    MemberChoice images =
        MemberChoice.of(ImageFileNames::isImageName, head -> refuseOthers(path, head));
    return Archives.open(path, images, gaps);
  }

  /** Prints the image of a module in a dump, and what differs from a file. */
  private static int inDump(
      Path path,
      Format format,
      ImageRequest request,
      long limit,
      ParseResult parsed,
      Terminal terminal) {
    Gaps packed = new Gaps();
    List<InputFile> inputs = List.of();
    try (ImageInDump dump = ImageInDump.open(path, request.file(), parsed, terminal)) {
      ImageComparison comparison = null;
      String other = CommonOptions.text(parsed, "--compare", "");
      if (!other.isEmpty()) {
        Path file = CommonOptions.path(other);
        inputs = open(file, packed);
        comparison = dump.compare(image(file, only(file, inputs)));
      }
      if (format == Format.TEXT) {
        terminal.out().println(TextSanitizer.one(dump.origin()));
      }
      Supplier<List<Gap>> gaps = () -> gaps(packed.list(), dump.gaps());
      return print(
          dump.place(), dump.image(), comparison, gaps, format, request, limit, parsed, terminal);
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  private static int print(
      Path path,
      PeImage image,
      @Nullable ImageComparison comparison,
      Supplier<List<Gap>> others,
      Format format,
      ImageRequest request,
      long limit,
      ParseResult parsed,
      Terminal terminal) {
    ParsedImage contents = ParsedImage.of(image);
    PdbSearch search = SymbolSearchPath.offline(parsed, terminal);
    try (ImageNames names = ImageNames.of(path, contents, search);
        RewrittenCode code = RewrittenCode.of(parsed, image)) {
      if (CommonOptions.has(parsed, "-y") && !names.hasPdb()) {
        terminal.err().println("ntrail: names from the image only: " + names.missing());
      }
      names.remarks().forEach(why -> terminal.err().println("warning: " + why));
      if (code != null) {
        code.remarks().forEach(why -> terminal.err().println("note: " + why));
      }
      List<ImagePart> parts = new ArrayList<>(request.parts(contents, names, code));
      if (comparison != null) {
        parts.add(ImageDifferences.of(comparison, names));
      }
      for (ImagePart part : parts) {
        part.remarks().stream()
            .filter(remark -> format != Format.TEXT || !remark.isOnScreen())
            .forEach(remark -> terminal.err().println("note: " + remark.text()));
      }
      int width = CommonOptions.width(parsed, terminal);
      List<Gap> ofTargets = code == null ? List.of() : code.gaps();
      Supplier<List<Gap>> gaps =
          () -> gaps(gaps(others.get(), ofTargets), gaps(image.gaps(), names.gaps()));
      switch (format) {
        case JSON -> ImageJson.print(contents, parts, gaps, terminal);
        case JSONL -> request.only(parts, "jsonl").lines().accept(terminal.out());
        case CSV -> request.only(parts, "csv").rows().csv(terminal.out());
        default -> new ImageScreen(contents, terminal.out()).print(parts, names, limit, width);
      }
      EventRemarks.unmatched(request.unmatched(names), false, false, terminal);
      return finish(gaps.get(), terminal);
    }
  }

  private static void refuseOthers(Path path, InputFile head) {
    try {
      PeImage.refuseOthers(head);
    } catch (CannotGoOn e) {
      throw withCommand(path, head, e);
    }
  }

  private static PeImage image(Path path, InputFile input) {
    try {
      return PeImage.ofFile(input);
    } catch (CannotGoOn e) {
      throw withCommand(path, input, e);
    }
  }

  /** Returns the refusal of a file with the command for it, if there is one. */
  private static CannotGoOn withCommand(Path path, InputFile input, CannotGoOn e) {
    FileSignature signature = FileSignature.of(input);
    if (signature == FileSignature.EMPTY_ZIP) {
      return CannotGoOn.of(Reason.EMPTY, input.name(), path + " is " + signature.noun(), "");
    }
    FileKind kind = e.reason() == Reason.OTHER_KIND ? FileKind.of(input) : FileKind.OTHER;
    if (kind == FileKind.IMAGE || kind.command().isEmpty()) {
      return e;
    }
    String nextStep = "ntrail " + kind.command() + " " + ShellWords.file(path);
    return CannotGoOn.of(Reason.OTHER_KIND, input.name(), e.message(), nextStep);
  }

  private static InputFile only(Path path, List<InputFile> inputs) {
    if (inputs.isEmpty()) {
      throw CannotGoOn.of(
          Reason.ARCHIVE_MEMBERS,
          path.toString(),
          path + " contains no image",
          "unpack it and name the file");
    }
    if (inputs.size() > 1) {
      throw CannotGoOn.of(
          Reason.ARCHIVE_MEMBERS,
          path.toString(),
          path + " contains " + inputs.size() + " images",
          "unpack it and name one, or the folder");
    }
    return inputs.getFirst();
  }

  static List<Gap> gaps(List<Gap> first, List<Gap> second) {
    List<Gap> gaps = new ArrayList<>(first);
    gaps.addAll(second);
    return gaps;
  }

  private static int finish(List<Gap> gaps, Terminal terminal) {
    Losses.warn(gaps, terminal);
    return gaps.isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }
}
