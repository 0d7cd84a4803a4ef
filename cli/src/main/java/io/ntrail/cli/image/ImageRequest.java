package io.ntrail.cli.image;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.PatternSet;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.ParsedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Request of {@code ntrail image}: parts of an image.
 *
 * @param file as typed
 * @param functions the pattern that functions have to fit, empty for all; null: not requested
 * @param unwind the function whose unwind data are spelled out, empty for a column of them; null:
 *     not requested
 * @param disasm the function whose code is shown, {@code all} for every one; null: not requested
 */
record ImageRequest(
    String file,
    @Nullable NamePattern functions,
    @Nullable String unwind,
    @Nullable String disasm,
    boolean headers,
    boolean sections,
    boolean imports,
    boolean exports,
    boolean relocations,
    boolean resources,
    boolean hotpatch,
    boolean services) {
  static void options(CommandSpec spec) {
    spec.addOption(
        CommonOptions.optional("PATTERN", "functions, or those matching a pattern", "--functions"));
    spec.addOption(
        CommonOptions.optional("ADDRESS|NAME", "unwind information of a function", "--unwind"));
    spec.addOption(
        CommonOptions.value(
            "ADDRESS|NAME|all", "disassembly of a function, or of all", "--disasm"));
    spec.addOption(
        CommonOptions.value("HEX", "decode instruction bytes instead of a file", "--decode"));
    spec.addOption(CommonOptions.value("N", "mode of --decode: 16, 32 or 64 (default)", "--bits"));
    spec.addOption(
        CommonOptions.value(
            "ADDRESS", "address of the bytes of --decode; load address for --retpoline", "--at"));
    RewrittenCode.options(spec);
    spec.addOption(
        CommonOptions.value(
            "DUMP", "take the image of a module out of a dump: --from crash.dmp MODULE", "--from"));
    spec.addOption(
        CommonOptions.value(
            "FILE", "with --from: bytes in memory that differ from this file", "--compare"));
    spec.addOption(SymbolSearchPath.option());
    spec.addOption(
        CommonOptions.flag(
            "all headers, directories, Rich header, load configuration, TLS", "--headers"));
    spec.addOption(CommonOptions.flag("section table", "--sections"));
    spec.addOption(CommonOptions.flag("imported functions", "--imports"));
    spec.addOption(CommonOptions.flag("exported functions", "--exports"));
    spec.addOption(CommonOptions.flag("base relocations and dynamic ones", "--relocations"));
    spec.addOption(CommonOptions.flag("resource tree", "--resources"));
    spec.addOption(CommonOptions.flag("functions that can be hot-patched", "--hotpatch"));
    spec.addOption(
        CommonOptions.flag("system services of ntdll, win32u or a kernel", "--services"));
  }

  static ImageRequest of(ParseResult parsed) {
    @Nullable String functions = value(parsed, "--functions");
    @Nullable String unwind = value(parsed, "--unwind");
    List<String> words = new ArrayList<>(CommonOptions.positionals(parsed));
    if (words.isEmpty()) {
      // "image --functions FILE": the word after an option without a value was meant for us.
      if (unwind != null && isFile(unwind)) {
        words.add(unwind);
        unwind = "";
      } else if (functions != null && isFile(functions)) {
        words.add(functions);
        functions = "";
      }
    }
    RewrittenCode.check(parsed);
    boolean isFromDump = CommonOptions.has(parsed, "--from");
    if (words.isEmpty()) {
      throw isFromDump
          ? new UsageError(
              "--from needs the name or address of a module",
              "ntrail image --from crash.dmp ntdll.dll")
          : new UsageError("image needs a file", "ntrail image program.exe");
    }
    if (!isFromDump && CommonOptions.has(parsed, "--compare")) {
      throw new UsageError(
          "--compare compares the memory of a dump with a file",
          "ntrail image --from crash.dmp ntdll.dll --compare ntdll.dll");
    }
    if (words.size() > 1) {
      throw new UsageError(
          "image takes one file or folder, not " + words.size(),
          "ntrail image " + ShellWords.file(words.getFirst()));
    }
    return new ImageRequest(
        words.getFirst(),
        functions == null ? null : CommonOptions.pattern(functions, "--functions", "'Stock*'"),
        unwind,
        value(parsed, "--disasm"),
        CommonOptions.has(parsed, "--headers"),
        CommonOptions.has(parsed, "--sections"),
        CommonOptions.has(parsed, "--imports"),
        CommonOptions.has(parsed, "--exports"),
        CommonOptions.has(parsed, "--relocations"),
        CommonOptions.has(parsed, "--resources"),
        CommonOptions.has(parsed, "--hotpatch"),
        CommonOptions.has(parsed, "--services"));
  }

  private static @Nullable String value(ParseResult parsed, String option) {
    return CommonOptions.has(parsed, option) ? CommonOptions.text(parsed, option, "") : null;
  }

  private static boolean isFile(String word) {
    return !word.isEmpty() && Files.exists(Path.of(word));
  }

  /** Returns whether nothing was requested that needs a single image. */
  boolean isOfFolder() {
    return unwind == null
        && disasm == null
        && !(headers || sections || imports || exports || relocations || resources || services);
  }

  /**
   * The parts that were requested, in the order in which they are printed.
   *
   * @param code that is disassembled in place of that of the file; null: there is none
   */
  List<ImagePart> parts(ParsedImage contents, ImageNames names, @Nullable RewrittenCode code) {
    List<ImagePart> parts = new ArrayList<>();
    if (headers) {
      parts.add(ImageHeaderRows.of(contents));
    }
    if (sections) {
      parts.add(ImagePart.of(ImageListings.sections(contents), "section"));
    }
    if (exports) {
      parts.add(ImagePart.of(ImageListings.exports(contents), "export"));
    }
    if (imports) {
      parts.add(ImageListings.importsPart(contents));
    }
    if (relocations) {
      parts.add(ImageRelocations.of(contents.image()));
    }
    if (resources) {
      parts.add(ImageResources.of(contents.resources()));
    }
    if (unwind != null && !unwind.isEmpty()) {
      parts.add(ImageUnwindPart.of(contents, names, unwind));
    } else if (functions != null || unwind != null || hotpatch) {
      NamePattern pattern = functions == null && unwind != null ? NamePattern.of("") : functions;
      // The share of only patchability comes from the image itself.
      ImageFunctions all = pattern == null ? ImageFunctions.of(contents) : names.functions();
      parts.add(ImageFunctionRows.of(contents, all, pattern, unwind != null, hotpatch));
    }
    if (disasm != null) {
      parts.add(ImageDisassembly.of(contents, names, code, disasm));
    }
    if (services) {
      parts.add(ImageServices.of(contents.image()));
    }
    return parts;
  }

  /** Returns the pattern of functions if it fits none of an image; else nothing. */
  List<UnmatchedTerm> unmatched(ImageNames names) {
    NamePattern pattern = functions;
    if (pattern == null || pattern.toString().isEmpty()) {
      return List.of();
    }
    PatternSet patterns = new PatternSet(List.of(pattern));
    List<String> all = new ArrayList<>();
    names.functions().list().forEach(function -> all.addAll(function.names()));
    boolean isFound = all.stream().anyMatch(name -> patterns.fit(its -> its.matches(name)));
    return isFound ? List.of() : patterns.unmatched(UnmatchedTerm.What.FUNCTION, all);
  }

  /** The one part of a format that has no place for two. */
  ImagePart only(List<ImagePart> parts, String format) {
    if (parts.size() != 1) {
      throw new UsageError(
          "--format " + format + " prints one table at a time, not " + parts.size(),
          "ntrail image " + ShellWords.file(file) + " --exports --format " + format);
    }
    return parts.getFirst();
  }
}
