package io.ntrail.cli.image;

import io.ntrail.analysis.input.FileKind;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFileNames;
import io.ntrail.programs.image.ParsedImage;
import io.ntrail.programs.symbols.PdbSearch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
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
    Path path = CommonOptions.path(request.file());
    try (Terminal terminal = CommonOptions.output(parsed, system)) {
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
    MemberChoice images =
        MemberChoice.of(ImageFileNames::isImageName, head -> refuseOthers(path, head));
    List<InputFile> inputs = Archives.open(path, images, packed);
    try {
      InputFile input = only(path, inputs);
      PeImage image = image(path, input);
      ParsedImage contents = ParsedImage.of(image);
      PdbSearch search = SymbolSearchPath.offline(parsed, terminal);
      try (ImageNames names = ImageNames.of(path, contents, search)) {
        if (CommonOptions.has(parsed, "-y") && !names.hasPdb()) {
          terminal.err().println("ntrail: names from the image only: " + names.missing());
        }
        names.remarks().forEach(why -> terminal.err().println("warning: " + why));
        List<ImagePart> parts = request.parts(contents, names);
        int width =
            CommonOptions.has(parsed, "--wide") || !terminal.outIsTerminal() ? 0 : terminal.width();
        Supplier<List<Gap>> gaps = () -> gaps(packed, image, names);
        switch (format) {
          case JSON -> ImageJson.print(contents, parts, gaps, terminal);
          case JSONL -> {
            try (Json json = new Json(terminal.out())) {
              request.only(parts, "jsonl").lines(json);
            }
          }
          case CSV -> request.only(parts, "csv").csv(terminal.out());
          default -> new ImageScreen(contents, terminal.out()).print(parts, names, limit, width);
        }
        return finish(gaps.get(), terminal);
      }
    } finally {
      inputs.forEach(InputFile::close);
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

  static List<Gap> gaps(Gaps packed, PeImage image) {
    List<Gap> gaps = new ArrayList<>(packed.list());
    gaps.addAll(image.gaps());
    return gaps;
  }

  private static List<Gap> gaps(Gaps packed, PeImage image, ImageNames names) {
    List<Gap> gaps = gaps(packed, image);
    gaps.addAll(names.gaps());
    return gaps;
  }

  private static int finish(List<Gap> gaps, Terminal terminal) {
    Losses.warn(gaps, terminal);
    return gaps.isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }
}
