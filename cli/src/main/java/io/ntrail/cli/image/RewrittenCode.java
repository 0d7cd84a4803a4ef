package io.ntrail.cli.image;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.kernelcode.CodeSite;
import io.ntrail.programs.kernelcode.CodeVariant;
import io.ntrail.programs.kernelcode.ImportAddresses;
import io.ntrail.programs.kernelcode.KernelCode;
import io.ntrail.programs.kernelcode.RewriteReport;
import io.ntrail.programs.kernelcode.SiteForm;
import io.ntrail.programs.kernelcode.SiteOutcome;
import io.ntrail.programs.memory.ImageSpace;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code image --disasm ... --retpoline on|import-only}: code of a driver as the kernel writes it.
 */
final class RewrittenCode implements AutoCloseable {
  private static final String RETPOLINE = "--retpoline";
  private static final String CODE = "--code";
  private static final String EXAMPLE =
      "ntrail image driver.sys --disasm all --retpoline import-only --code ntoskrnl.exe";

  private static final List<String> WORDS = List.of("off", "import-only", "import-r10", "on");

  private final long base;
  private final KernelCode code;
  private final List<InputFile> files;
  private final List<PeImage> modules;

  /** Gaps of the archives that modules are in. */
  private final Gaps archives;

  private RewrittenCode(
      long base, KernelCode code, List<InputFile> files, List<PeImage> modules, Gaps archives) {
    this.base = base;
    this.code = code;
    this.files = files;
    this.modules = modules;
    this.archives = archives;
  }

  static void options(CommandSpec spec) {
    spec.addOption(
        CommonOptions.oneOf(
            WORDS,
            "STATE",
            "with --disasm: code of a driver as the kernel rewrites it when it loads the driver: "
                + "off (default, as in the file), import-only, import-r10 (newer kernels), on",
            RETPOLINE));
    spec.addOption(
        CommonOptions.values(
            "FILE[@ADDRESS]",
            "with --retpoline: a module that is imported from, at its load address",
            CODE));
  }

  /** Refuses options that have no effect. */
  static void check(ParseResult parsed) {
    if (CommonOptions.has(parsed, RETPOLINE) && !CommonOptions.has(parsed, "--disasm")) {
      throw new UsageError(RETPOLINE + " is about the code that --disasm shows", EXAMPLE);
    }
    if (CommonOptions.has(parsed, RETPOLINE) && CommonOptions.has(parsed, "--from")) {
      throw new UsageError(
          "the memory of a dump has the code as it was: " + RETPOLINE + " is for files",
          "ntrail image --from memory.dmp driver.sys --disasm all");
    }
    if (CommonOptions.has(parsed, CODE) && !CommonOptions.has(parsed, RETPOLINE)) {
      throw new UsageError(CODE + " gives targets to " + RETPOLINE, EXAMPLE);
    }
  }

  /** Rewrites the code of an image as it was asked for; null for the code of the file. */
  static @Nullable RewrittenCode of(ParseResult parsed, PeImage image) {
    CodeVariant variant = variant(CommonOptions.text(parsed, RETPOLINE, "off"));
    if (variant == CodeVariant.FILE) {
      return null;
    }
    long base =
        CommonOptions.has(parsed, "--at")
            ? address("--at", CommonOptions.text(parsed, "--at", ""))
            : image.headers().imageBase();
    List<InputFile> files = new ArrayList<>();
    Gaps archives = new Gaps();
    try {
      List<ImageSpace> modules = new ArrayList<>();
      for (String word : CommonOptions.all(parsed, CODE)) {
        modules.add(module(word, files, archives));
      }
      KernelCode code =
          KernelCode.of(new ImageSpace(image, base), new ImportAddresses(modules), variant);
      reportDamage(image, code);
      List<PeImage> images = modules.stream().map(ImageSpace::image).toList();
      return new RewrittenCode(base, code, files, images, archives);
    } catch (CannotGoOn | UsageError e) {
      files.forEach(InputFile::close);
      throw e;
    }
  }

  private static CodeVariant variant(String word) {
    return switch (word) {
      case "off" -> CodeVariant.FILE;
      case "import-only" -> CodeVariant.IMPORT_OPTIMIZATION;
      case "import-r10" -> CodeVariant.IMPORT_REGISTER;
      case "on" -> CodeVariant.RETPOLINE;
      default ->
          throw new UsageError(
              RETPOLINE + " takes off, import-only, import-r10 or on, not " + word,
              RETPOLINE + " on");
    };
  }

  private static ImageSpace module(String word, List<InputFile> files, Gaps gaps) {
    int mark = word.lastIndexOf('@');
    Path path = CommonOptions.path(mark < 0 ? word : word.substring(0, mark));
    List<InputFile> opened = Archives.open(path, _ -> true, gaps);
    files.addAll(opened);
    if (opened.size() != 1) {
      throw new CannotGoOn(path + " holds " + opened.size() + " files", "unpack it");
    }
    PeImage image = PeImage.ofFile(opened.getFirst());
    return new ImageSpace(
        image, mark < 0 ? image.headers().imageBase() : address(CODE, word.substring(mark + 1)));
  }

  private static long address(String option, String text) {
    return FunctionArgument.address(option, text, "0xfffff80012340000 (hexadecimal)");
  }

  private static void reportDamage(PeImage image, KernelCode code) {
    for (CodeSite site : code.sites()) {
      if (site.outcome().isDamage()) {
        image.gap(
            site.rva(),
            site.form().length(),
            "dynamic relocations",
            "the site at "
                + Numbers.hex(site.rva())
                + " is not rewritten: "
                + site.outcome().text());
      }
    }
    if (code.report().unread() > 0) {
      image.gap(
          0,
          -1,
          "dynamic relocations",
          Numbers.counted(code.report().unread(), "record") + " too many: not rewritten");
    }
  }

  /** Sentences on what may not be as in the memory of the machine, which rows do not show. */
  List<String> remarks() {
    RewriteReport report = code.report();
    long left = report.count(SiteOutcome.UNKNOWN_TARGET);
    long guessed =
        report.count(SiteOutcome.THUNK_UNKNOWN_TARGET)
            + report.count(SiteOutcome.REGISTER_UNKNOWN_TARGET);
    if (left + guessed == 0) {
      return List.of();
    }
    return List.of(
        "unknown targets at "
            + Numbers.counted(left + guessed, "import site")
            + ", shown "
            + (left > 0 ? "as in the file" : "as if out of reach")
            + " ("
            + CODE
            + " FILE@ADDRESS names a module that is imported from)");
  }

  /** Gaps of the modules that are imported from, and of the archives that they are in. */
  List<Gap> gaps() {
    List<Gap> all = new ArrayList<>(archives.list());
    modules.forEach(module -> all.addAll(module.gaps()));
    return all;
  }

  /** Returns stored code at an RVA, at most so many bytes; addresses in it are those in memory. */
  Bytes window(long rva, long most) {
    return code.space().readUpTo(base + rva, (int) Math.min(Integer.MAX_VALUE, most));
  }

  /** Adds names of what sites go to, by their distance from the base. */
  void name(Map<Long, String> places) {
    for (CodeSite site : code.sites()) {
      if (site.target() != 0) {
        String name =
            site.outcome() == SiteOutcome.DIRECT
                ? places.get(site.slot())
                : "retpoline thunk for " + subject(site.form());
        if (name != null) {
          places.putIfAbsent(site.target() - base, name);
        }
      }
    }
  }

  private static String subject(SiteForm form) {
    return switch (form) {
      case IMPORT_CALL, IMPORT_JUMP -> "imports";
      case CHECKED_CALL, CHECKED_CALL_REX_W, CHECKED_JUMP, CHECKED_JUMP_REX_W -> "checked pointers";
      case POINTER_CALL, POINTER_JUMP -> "pointers";
      case SWITCH_JUMP -> "switches";
    };
  }

  private String state() {
    return switch (code.variant()) {
      case FILE -> "off";
      case IMPORT_OPTIMIZATION -> "import-only";
      case IMPORT_REGISTER -> "import-r10";
      case RETPOLINE -> "on";
    };
  }

  void print(PrintStream out, int width) {
    out.println();
    out.println(
        "code as the kernel rewrites it at "
            + Numbers.hex(base)
            + " ("
            + RETPOLINE
            + " "
            + state()
            + ")");
    if (code.report().groups().isEmpty()) {
      out.println("  no site: the image has no dynamic relocations of imports, pointers, switches");
      return;
    }
    Table table = new Table().number("sites").name("instruction").remark("in memory");
    for (RewriteReport.Group group : code.report().groups()) {
      table.row(Numbers.count(group.count()), group.form().text(), group.outcome().text());
    }
    table.print(out, 2, width);
    if (code.variant() == CodeVariant.RETPOLINE) {
      out.println(
          "  thunks at "
              + Numbers.hex(code.retpolinePage())
              + ": synthetic, as the page comes from the kernel that runs");
    }
  }

  void json(Json json) {
    json.object("rewriting")
        .text("retpoline", state())
        .text("loadAddress", Numbers.hex(base))
        .text(
            "thunksRva",
            code.variant() == CodeVariant.RETPOLINE ? Numbers.hex(code.retpolinePage()) : null)
        .array("sites");
    for (RewriteReport.Group group : code.report().groups()) {
      json.object()
          .text("symbol", group.form().symbol().name())
          .text("instruction", group.form().text())
          .bool("rewritten", group.outcome().isRewritten())
          .text("outcome", group.outcome().name().toLowerCase(Locale.ROOT).replace('_', '-'))
          .text("outcomeText", group.outcome().text())
          .number("count", group.count())
          .endObject();
    }
    json.endArray().number("unread", code.report().unread()).endObject();
  }

  @Override
  public void close() {
    files.forEach(InputFile::close);
  }
}
