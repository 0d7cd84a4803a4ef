package io.ntrail.cli.image;

import static java.util.stream.Collectors.joining;

import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.identity.FileVersion;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.ClrHeader;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.Section;
import io.ntrail.formats.pe.VersionInfo;
import io.ntrail.formats.pe.unwind.FunctionTableSummary;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.ImageMitigations;
import io.ntrail.programs.image.ParsedImage;
import io.ntrail.programs.patchability.Patchability;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code ntrail image} for people: the summary, then the tables that were requested. */
final class ImageScreen {
  private static final int NAMED_SECTIONS = 12;

  private final ParsedImage contents;
  private final PrintStream out;

  ImageScreen(ParsedImage contents, PrintStream out) {
    this.contents = contents;
    this.out = out;
  }

  void print(List<ImagePart> parts, ImageNames names, long limit, int width) {
    out.println(first());
    if (parts.isEmpty()) {
      summary(names);
    }
    for (ImagePart part : parts) {
      out.println();
      part.screen().print(out, limit, width);
    }
  }

  private String first() {
    PeHeaders headers = contents.image().headers();
    return contents.image().name()
        + ": "
        + kind(headers)
        + ", "
        + machine(contents)
        + contents
            .image()
            .file()
            .map(InputFile::size)
            .map(size -> ", " + Numbers.count(size) + " bytes")
            .orElse("")
        + ", "
        + linked(contents);
  }

  /** {@code x64}, or {@code x64 with ARM64 code (ARM64EC)}. */
  private static String machine(ParsedImage contents) {
    int machine = contents.image().headers().machine();
    return MachineType.text(machine)
        + contents
            .arm()
            .hybrid()
            .map(kind ->
                (MachineType.isX86(machine) ? " with ARM64 code (" : " with x64 code (")
                    + kind
                    + ")")
            .orElse("");
  }

  static String kind(PeHeaders headers) {
    return (headers.isWide() ? "PE32+ " : "PE32 ")
        + switch (ImageJson.type(headers)) {
          case "dll" -> "DLL";
          case "driver" -> "driver";
          default -> "program";
        };
  }

  /** {@code linked 2026-02-11 by LINK 14.40}. */
  static String linked(ParsedImage contents) {
    PeHeaders headers = contents.image().headers();
    String by =
        "linker "
            + headers.linkerMajor()
            + (headers.linkerMinor() < 10 ? ".0" : ".")
            + headers.linkerMinor();
    if (contents.debug().has(DebugDirectory.REPRO)) {
      return "reproducible build (time stamp is a hash), " + by;
    }
    return contents
        .linked()
        .map(seconds -> FileTime.text(FileTime.ofUnixSeconds(seconds)).substring(0, 10))
        .map(day -> "linked " + day + " by " + by)
        .orElse("linked by " + by);
  }

  private void summary(ImageNames names) {
    PeHeaders headers = contents.image().headers();
    contents.version().map(ImageScreen::version).ifPresent(text -> line("version", text));
    contents.clr().map(ImageScreen::managed).ifPresent(text -> line("managed", text));
    line("id", identity());
    line(
        "base",
        Numbers.hex(headers.imageBase())
            + ", size "
            + Numbers.hex(headers.sizeOfImage())
            + (headers.entryPoint() == 0
                ? ", no entry point"
                : ", entry " + Numbers.hex(headers.entryPoint())));
    security();
    line("sections", sections());
    line("exports", exports());
    line("imports", imports());
    String functions = functions(names);
    if (!functions.isEmpty()) {
      line("functions", functions);
    }
    if (MachineType.isX86(headers.machine())) {
      line("tracing", tracing());
    }
  }

  private void line(String title, String text) {
    out.println(String.format(Locale.ROOT, "  %-10s %s", title, text));
  }

  /** {@code 10.0.19041.1348, Windows NT BASE API Client DLL (Microsoft Corporation)}. */
  private static String version(VersionInfo version) {
    List<String> parts = new ArrayList<>();
    VersionInfo.Numbers numbers = version.numbers();
    if (numbers != null) {
      parts.add(FileVersion.text(numbers.fileVersion()));
    }
    version.text("FileDescription").map(String::strip).ifPresent(parts::add);
    version.text("CompanyName").map(String::strip).ifPresent(parts::add);
    parts.removeIf(String::isEmpty);
    return parts.isEmpty() ? "no version strings" : String.join(", ", parts);
  }

  private static String managed(ClrHeader clr) {
    return switch (clr.code()) {
          case IL -> ".NET, intermediate language";
          case MIXED -> ".NET mixed mode (C++/CLI)";
          case READY_TO_RUN -> ".NET, ready to run";
          case NGEN -> ".NET, native image (NGEN)";
        }
        + (clr.runtime().isEmpty() ? "" : ", metadata " + clr.runtime());
  }

  private String functions(ImageNames names) {
    String known =
        names.hasPdb()
            ? Numbers.count(names.functions().list().stream().filter(f -> f.is(Source.PDB)).count())
                + " in the PDB"
            : names.gaps().isEmpty() ? "" : "those of the PDB could not be read";
    String others = ImageFunctionRows.ofArm(contents).orElse("");
    return Stream.of(table(), others, known).filter(text -> !text.isEmpty()).collect(joining(", "));
  }

  private String table() {
    FunctionTableSummary table = contents.functionTable();
    if (table.entries() == 0) {
      return contents.image().headers().machine() == MachineType.AMD64 ? "no .pdata" : "";
    }
    return Numbers.count(table.entries())
        + " in .pdata ("
        + Numbers.count(table.chained())
        + " chained, "
        + Numbers.count(table.handled())
        + " with handlers"
        + (table.damaged() == 0 ? "" : ", " + Numbers.count(table.damaged()) + " damaged")
        + ")";
  }

  private String tracing() {
    Patchability patches =
        Patchability.of(
            contents.image(),
            ImageFunctions.of(contents),
            contents.imports(),
            contents.loadConfig());
    long all = patches.list().size();
    long possible = patches.possible();
    return all == 0
        ? "no functions found"
        : Numbers.count(possible)
            + " of "
            + Numbers.counted(all, "function")
            + " can be patched (--hotpatch lists the reasons for the others)";
  }

  private String identity() {
    String code = "code id " + contents.id().key();
    @Nullable CodeView view = contents.debug().codeView().orElse(null);
    // No switch: the one over types that the library makes at the first call is in no start cache.
    if (view instanceof CodeView.Pdb70(Guid guid, long age, String path)) {
      String id = guid.toString().toUpperCase(Locale.ROOT);
      return "PDB " + path + " " + id + " age " + age + "; " + code;
    }
    if (view instanceof CodeView.Pdb20(long signature, long age, String path)) {
      return "PDB 2 " + path + " " + Numbers.hex(signature) + " age " + age + "; " + code;
    }
    return (contents.debug().isCodeViewKnown() ? "no PDB; " : "PDB unknown; ") + code;
  }

  private void security() {
    ImageMitigations s = contents.security();
    line(
        "mitigations",
        "ASLR "
            + aslr(s)
            + ", DEP "
            + yes(s.nx())
            + ", /GS "
            + yes(s.gs())
            + (s.safeSeh() == null ? "" : ", SafeSEH " + yes(s.safeSeh())));
    line(
        "",
        "CFG "
            + yes(s.cfg())
            + (s.cfg() ? ", XFG " + yes(s.xfg()) : "")
            + ", CET "
            + (s.cet() == null ? "unknown" : yes(s.cet()))
            + ", force integrity "
            + yes(s.forceIntegrity())
            + (s.signed() == null
                ? contents.image().file().isEmpty() ? "" : ", signature unknown"
                : s.signed() ? ", signed (certificate not checked)" : ", not signed"));
  }

  /** Returns whether ASLR applies, and if not, why. */
  static String aslr(ImageMitigations s) {
    if (s.aslrEffective()) {
      return s.highEntropyVa() ? "yes, high entropy" : "yes";
    }
    return s.dynamicBase()
        ? "no: /DYNAMICBASE, but no base relocations"
        : s.relocations() ? "no: base relocations, but no /DYNAMICBASE" : "no";
  }

  static String yes(boolean value) {
    return value ? "yes" : "no";
  }

  private String sections() {
    List<Section> all = contents.image().sections();
    if (all.isEmpty()) {
      return "none";
    }
    List<String> texts = new ArrayList<>();
    for (Section section : all.subList(0, Math.min(NAMED_SECTIONS, all.size()))) {
      texts.add(
          (section.name().isEmpty() ? "(no name)" : contents.image().sectionName(section))
              + " "
              + Numbers.bytes(section.size()));
    }
    return String.join("  ", texts)
        + (all.size() > NAMED_SECTIONS ? "  and " + (all.size() - NAMED_SECTIONS) + " more" : "");
  }

  private String exports() {
    long named = contents.exports().list().stream().filter(e -> e.name() != null).count();
    long bare = contents.exports().list().size() - named;
    long forwarded = contents.exports().list().stream().filter(e -> e.forward() != null).count();
    if (named + bare == 0) {
      return none(DataDirectory.EXPORT);
    }
    return Numbers.count(named)
        + " by name"
        + (bare > 0 ? ", " + Numbers.count(bare) + " by ordinal only" : "")
        + (forwarded > 0 ? ", " + Numbers.count(forwarded) + " forwarded" : "");
  }

  private boolean isMissing(DataDirectory directory) {
    return contents.image().isMissing(directory);
  }

  private String none(DataDirectory directory) {
    return isMissing(directory) ? "unknown: not stored in the file" : "none";
  }

  private String imports() {
    List<Imports.Module> modules = contents.imports().modules();
    if (modules.isEmpty()) {
      return none(DataDirectory.IMPORT);
    }
    long delayed = modules.stream().filter(Imports.Module::delay).count();
    return Numbers.counted(modules.size(), "module")
        + (delayed > 0 ? " (" + Numbers.count(delayed) + " delayed)" : "")
        + ", "
        + Numbers.counted(contents.imports().count(), "function");
  }
}
