package io.ntrail.cli.info;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.pdb.DbiHeader;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFileNames;
import io.ntrail.programs.image.ParsedImage;
import io.ntrail.programs.symbols.OpenPdb;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** {@code ntrail info} of an image or a PDB: the kind of file, its identity, the command for it. */
final class ProgramInfo {
  /**
   * Facts about a file.
   *
   * @param kind {@code image} or {@code pdb}
   * @param machine null if it does not say
   * @param pdb identity of the PDB that it has or is; null if it has none
   * @param codeId what symbol stores keep the image under; null of a PDB
   */
  private record Facts(
      String file,
      String kind,
      long bytes,
      @Nullable String machine,
      @Nullable Pdb pdb,
      @Nullable String codeId,
      String what,
      String command,
      List<Gap> gaps) {}

  private record Pdb(@Nullable String guid, long age, String name) {}

  private ProgramInfo() {}

  /**
   * Prints what is in a file that is no recording.
   *
   * @param refusal why it is none, thrown if it is neither an image nor a PDB
   */
  static int print(
      Path path, CannotGoOn refusal, Format format, ParseResult parsed, Terminal system) {
    Facts facts = image(path).or(() -> pdb(path)).orElseThrow(() -> refusal);
    try (Terminal terminal = CommonOptions.output(parsed, system)) {
      new Listing<>("files", columns(), sink -> sink.accept(facts))
          .print(
              format,
              terminal.out(),
              () -> text(facts, terminal),
              json -> {
                json.text("schema", "ntrail.info/1").array("files");
                columns().object(json, facts);
                json.endArray().gaps(facts.gaps);
              });
      Losses.warn(facts.gaps, terminal);
      return facts.gaps.isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
    }
  }

  private static ListingColumns<Facts> columns() {
    return new ListingColumns<Facts>()
        .text("file", Facts::file)
        .text("kind", Facts::kind)
        .count("bytes", Facts::bytes)
        .text("machine", Facts::machine)
        .value(
            "pdb",
            (facts, cell) ->
                cell.shaped(
                    () -> facts.pdb == null ? "" : text(facts.pdb),
                    json -> {
                      Pdb pdb = facts.pdb;
                      if (pdb == null) {
                        json.text(null);
                      } else {
                        json.object()
                            .text("guid", pdb.guid)
                            .number("age", pdb.age)
                            .text("name", pdb.name)
                            .endObject();
                      }
                    }))
        .text("codeId", Facts::codeId)
        .text("command", Facts::command);
  }

  private static Optional<Facts> image(Path path) {
    Gaps packed = new Gaps();
    List<InputFile> inputs = List.of();
    try {
      inputs =
          Archives.open(
              path, MemberChoice.of(ImageFileNames::isImageName, PeImage::refuseOthers), packed);
      if (inputs.size() != 1) {
        return Optional.empty();
      }
      InputFile input = inputs.getFirst();
      PeImage image = PeImage.ofFile(input);
      ParsedImage contents = ParsedImage.of(image);
      PeHeaders headers = image.headers();
      List<Gap> gaps = new ArrayList<>(packed.list());
      gaps.addAll(image.gaps());
      return Optional.of(
          new Facts(
              image.name(),
              "image",
              input.size(),
              MachineType.text(headers.machine()),
              pdb(contents.debug().codeView().orElse(null)),
              contents.id().key(),
              headers.isWide()
                  ? "Windows program or library (PE32+)"
                  : "Windows program or library (PE32)",
              "ntrail image " + ShellWords.file(path),
              gaps));
    } catch (CannotGoOn e) {
      return noneIfOther(e);
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  private static @Nullable Pdb pdb(@Nullable CodeView view) {
    return switch (view) {
      case CodeView.Pdb70(var guid, long age, String name) -> new Pdb(guid.toString(), age, name);
      case CodeView.Pdb20(long _, long age, String name) -> new Pdb(null, age, name);
      case null, default -> null;
    };
  }

  /** Returns nothing if a file, or every member of an archive, is of another kind. */
  private static Optional<Facts> noneIfOther(CannotGoOn refusal) {
    return switch (refusal.reason()) {
      case OTHER_KIND, ARCHIVE_MEMBERS -> Optional.empty();
      default -> throw refusal;
    };
  }

  private static Optional<Facts> pdb(Path path) {
    try (OpenPdb open = OpenPdb.open(path)) {
      Pdb identity = new Pdb(open.pdb().guid().toString(), open.pdb().age(), open.pdb().name());
      return Optional.of(
          new Facts(
              open.pdb().name(),
              "pdb",
              open.input().size(),
              open.pdb().header().map(DbiHeader::machine).map(MachineType::text).orElse(null),
              identity,
              null,
              "program database (PDB)",
              "ntrail symbols " + ShellWords.file(path),
              open.gaps()));
    } catch (CannotGoOn e) {
      return noneIfOther(e);
    }
  }

  private static void text(Facts facts, Terminal terminal) {
    terminal
        .out()
        .println(
            "%s: %s%s, %s"
                .formatted(
                    facts.file,
                    facts.what,
                    facts.machine == null ? "" : ", " + facts.machine,
                    Numbers.counted(facts.bytes, "byte")));
    Pdb pdb = facts.pdb;
    terminal.out().println("  id       " + (pdb == null ? "no PDB named" : text(pdb)));
    terminal.out().println("  command  " + facts.command);
  }

  private static String text(Pdb pdb) {
    return "PDB %s %sage %d"
        .formatted(
            pdb.name, pdb.guid == null ? "" : pdb.guid.toUpperCase(Locale.ROOT) + " ", pdb.age);
  }
}
