package io.ntrail.cli.symbols;

import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.pdb.DbiHeader;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.programs.symbols.SymbolManifest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail symbols FILE}: names of functions, and where in their source code lies. */
public final class SymbolsCommand implements Command {
  private static final String EXAMPLE = "ntrail symbols shopcore.pdb --address 0x1070";
  private static final List<String> LISTS = List.of("--list", "--publics", "--lines", "--find");

  /** Options of which each is an answer of its own. */
  private static final List<String> ANSWERS =
      List.of("--address", "--list", "--publics", "--lines");

  public SymbolsCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("symbols", "Functions and source lines of addresses.");
    spec.addOption(CommonOptions.values("RVA", "function and line at an RVA, 0x1070", "--address"));
    spec.addOption(CommonOptions.flag("its functions and public symbols", "--list"));
    spec.addOption(CommonOptions.flag("public symbols only, also decorated names", "--publics"));
    spec.addOption(CommonOptions.flag("source line of each code range", "--lines"));
    spec.addOption(
        CommonOptions.value(
            "PATTERN", "only names that match a pattern; of --lines: the file", "--find"));
    spec.addOption(CommonOptions.flag("parameter types (with --address)", "--parameters"));
    spec.addOption(
        CommonOptions.flag(
            "instead of a file: undecorate names, one line per name", "--undecorate"));
    spec.addOption(CommonOptions.value("name|full|crt", "style of --undecorate", "--style"));
    SymbolSearchPath.options(spec);
    spec.addOption(
        CommonOptions.optional(
            "N", "recordings: only the N images with the most samples", "--hot"));
    spec.addOption(CommonOptions.flag("download missing files from symbol servers", "--fetch"));
    spec.addOption(CommonOptions.flag("recordings: also image files, not only PDBs", "--images"));
    OutputOptions.add(spec, "pack what was found into a zip, for -y elsewhere", "--bundle");
    OutputOptions.add(
        spec, "list what is missing, for ntrail symbols FILE --fetch elsewhere", "--manifest");
    spec.addOption(
        CommonOptions.value("N", "at most N rows of a table; 0 for all", "-n", "--limit"));
    CommonOptions.output(spec, "text, json, jsonl or csv (the last two: rows)");
    spec.addPositional(
        CommonOptions.words(
            "FILE",
            "a PDB, an image whose PDB lies beside it, a recording (.etl), or a list of --manifest",
            List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    Format format =
        CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV);
    List<String> words = CommonOptions.positionals(parsed);
    try (Terminal terminal = CommonOptions.output(parsed, system)) {
      if (CommonOptions.has(parsed, "--undecorate")) {
        return UndecoratedNames.print(
            words, CommonOptions.text(parsed, "--style", "name"), format, System.in, terminal);
      }
      List<String> addresses = CommonOptions.all(parsed, "--address");
      // "--hot shop.etl": no number, so that it is the file.
      String hot = CommonOptions.text(parsed, "--hot", "");
      if (!hot.isEmpty() && !hot.matches("[\\d,]+")) {
        words = new ArrayList<>(words);
        words.add(hot);
      }
      // "--address 0x1070 0x2040": more of them may follow, and the file may be in front.
      List<String> all = List.copyOf(words);
      List<String> files = all.stream().filter(word -> !FunctionArgument.isAddress(word)).toList();
      if (files.size() != 1 || addresses.isEmpty() && all.size() != 1) {
        throw new UsageError("symbols needs one file", EXAMPLE);
      }
      Path file = CommonOptions.path(files.getFirst());
      oneAnswer(parsed, file);
      if (RecordingInput.isEtw(file)) {
        return ofRecording(file, hot, format, parsed, terminal);
      }
      if (SymbolManifest.isManifest(file)) {
        only(parsed, "--manifest");
        try (SymbolSearchPath places = SymbolSearchPath.of(parsed, terminal)) {
          return SymbolManifestFetch.print(
              file, bundle(terminal), format, places, parsed, terminal);
        }
      }
      only(parsed, "--hot", "--images", "--bundle", "--manifest");
      try (SymbolSearchPath places = SymbolSearchPath.of(parsed, terminal);
          SymbolSource source = open(file, places, parsed, terminal)) {
        boolean isWhole = true;
        if (!addresses.isEmpty()) {
          boolean parameters = CommonOptions.has(parsed, "--parameters");
          AddressLookup answer = new AddressLookup(source, addresses(addresses, all), parameters);
          answer.print(format, terminal);
        } else if (LISTS.stream().anyMatch(option -> CommonOptions.has(parsed, option))) {
          isWhole = !list(parsed, source, format, terminal);
        } else {
          summary(source, format, terminal);
        }
        source.remarks().forEach(why -> terminal.err().println("warning: " + why));
        List<Gap> gaps = source.gaps();
        Losses.warn(gaps, terminal);
        return isWhole && gaps.isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
      }
    }
  }

  /** Refuses options of which one would have no effect beside the other. */
  private static void oneAnswer(ParseResult parsed, Path file) {
    List<String> answers =
        ANSWERS.stream().filter(option -> CommonOptions.has(parsed, option)).toList();
    String example = "ntrail symbols " + ShellWords.file(file) + " ";
    if (answers.size() > 1) {
      throw new UsageError(
          "symbols gives one answer at a time, not " + String.join(" and ", answers),
          example + answers.getLast());
    }
    if (answers.contains("--address") && CommonOptions.has(parsed, "--find")) {
      throw new UsageError(
          "--find looks for names, and --address names addresses: one at a time",
          example + "--find " + ShellWords.of(CommonOptions.text(parsed, "--find", "*")));
    }
  }

  private static SymbolSource open(
      Path file, SymbolSearchPath places, ParseResult parsed, Terminal terminal) {
    if (!places.asksServers()) {
      return SymbolSource.open(file, places.search());
    }
    try (Progress _ =
        Progress.start(
            terminal,
            CommonOptions.has(parsed, "-q"),
            () -> places.progress().line().orElse("looking for the PDB of " + file))) {
      return SymbolSource.open(file, places.search());
    }
  }

  private static int ofRecording(
      Path file, String hot, Format format, ParseResult parsed, Terminal terminal) {
    if (format != Format.TEXT && format != Format.JSON) {
      throw new UsageError("images of a recording are listed as text or json", "--format json");
    }
    long most =
        !CommonOptions.has(parsed, "--hot")
            ? -1
            : hot.matches("[\\d,]+") ? CommonOptions.number(parsed, "--hot", 0) : 0;
    RecordedImagesReport.Request request =
        new RecordedImagesReport.Request(
            file,
            most,
            CommonOptions.has(parsed, "--images"),
            bundle(terminal),
            terminal.outputs().of("--manifest").orElse(null),
            format,
            parsed);
    try (SymbolSearchPath places = SymbolSearchPath.of(List.of(file), parsed, terminal)) {
      return RecordedImagesReport.print(request, places, terminal);
    }
  }

  /** The file of {@code --bundle}; a zip needs one that is no device. */
  private static @Nullable OutputFile bundle(Terminal terminal) {
    OutputFile file = terminal.outputs().of("--bundle").orElse(null);
    if (file != null && file.isDirect()) {
      throw new UsageError("--bundle " + file.place() + " is not a file", "--bundle another.file");
    }
    return file;
  }

  /** Refuses options that would have no effect. */
  private static void only(ParseResult parsed, String... options) {
    for (String option : options) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option + " applies to recordings", "ntrail symbols shop.etl " + option);
      }
    }
  }

  private static List<Long> addresses(List<String> options, List<String> words) {
    List<String> all = new ArrayList<>(options);
    words.stream().filter(FunctionArgument::isAddress).forEach(all::add);
    return all.stream().map(SymbolsCommand::address).toList();
  }

  private static long address(String text) {
    try {
      return FunctionArgument.address(text);
    } catch (NumberFormatException _) {
      throw new UsageError("an address looks like 0x1070, not " + text, EXAMPLE);
    }
  }

  /** Lists symbols or lines. Returns whether some were left out as it was stopped. */
  private static boolean list(
      ParseResult parsed, SymbolSource source, Format format, Terminal terminal) {
    NamePattern pattern =
        CommonOptions.pattern(CommonOptions.text(parsed, "--find", "*"), "--find", "'Stock*'");
    boolean lines = CommonOptions.has(parsed, "--lines");
    AtomicBoolean any = new AtomicBoolean();
    StoppableWork<WorkPhase> work =
        new StoppableWork<>(new WorkPhase("reading " + source.file(), "symbol"));
    WorkProgress<WorkPhase> progress = WorkProgress.of(work, parsed, terminal);
    boolean isTable = format == Format.TEXT;
    Listing<?> listing =
        noting(
            any,
            rows(parsed, source, pattern, work),
            // A table is printed when its rows are known; other forms have them meanwhile.
            () -> isTable ? progress.start() : progress.listing());
    listing.print(
        format,
        terminal.out(),
        () -> {
          int width = CommonOptions.width(parsed, terminal);
          long rows = listing.table(terminal.out(), CommonOptions.number(parsed, "-n", 0), width);
          terminal
              .out()
              .println(Numbers.counted(rows, lines ? "row" : "symbol") + progress.state());
        },
        json -> {
          json.text("schema", "ntrail.symbol-list/1");
          listing.json(json);
          json.gaps(progress.gaps(source.gaps(), source.file().toString(), 0, -1));
        });
    if (!source.missing().isEmpty() && !CommonOptions.has(parsed, "-q")) {
      terminal.out().flush();
      terminal.err().println("ntrail: names from the image only: " + source.missing());
    }
    if (CommonOptions.has(parsed, "--find") && !any.get() && !progress.isStopped()) {
      notFound(parsed, source, pattern, terminal);
    }
    return progress.isStopped();
  }

  private static Listing<?> rows(
      ParseResult parsed, SymbolSource source, NamePattern pattern, StoppableWork<WorkPhase> work) {
    if (CommonOptions.has(parsed, "--lines")) {
      return new LineRows(source.pdb(), pattern, work).listing();
    }
    boolean publics = CommonOptions.has(parsed, "--publics");
    return source
        .imageAlone()
        .map(image -> new ImageNameRows(image, pattern).listing())
        .orElseGet(() ->
            new SymbolRows(source.pdb(), pattern, publics, CommonOptions.cores(parsed), work)
                .listing());
  }

  /** Returns the same listing; it shows progress, and notes when there is a row. */
  private static <R> Listing<R> noting(
      AtomicBoolean any, Listing<R> listing, Supplier<Progress> progress) {
    return new Listing<>(
        listing.key(),
        listing.columns(),
        sink -> {
          try (Progress _ = progress.get()) {
            listing
                .rows()
                .accept(row -> {
                  any.set(true);
                  sink.accept(row);
                });
          }
        });
  }

  /** Warns of a pattern that fits nothing; a part of a name is proposed as one that does. */
  private static void notFound(
      ParseResult parsed, SymbolSource source, NamePattern pattern, Terminal terminal) {
    terminal.out().flush();
    boolean lines = CommonOptions.has(parsed, "--lines");
    terminal
        .err()
        .println("warning: no " + (lines ? "source file" : "symbol") + " matches " + pattern);
    if (!pattern.isPlain()) {
      return;
    }
    String wider = "*" + pattern + "*";
    AtomicBoolean found = new AtomicBoolean();
    rows(parsed, source, NamePattern.of(wider), new StoppableWork<>(new WorkPhase("", "")))
        .rows()
        .accept(_ -> found.set(true));
    if (found.get()) {
      terminal.err().println("try: --find " + ShellWords.of(wider));
    }
  }

  private static void summary(SymbolSource source, Format format, Terminal terminal) {
    PdbFile pdb = source.pdb();
    long publics = pdb.publics().map(symbols -> (long) symbols.count()).orElse(0L);
    long globals = pdb.globals().map(symbols -> (long) symbols.count()).orElse(0L);
    int modules = pdb.modules().size();
    String machine =
        pdb.header().map(DbiHeader::machine).map(MachineType::text).orElse("no machine");
    switch (format) {
      case JSON, JSONL -> {
        try (Json json = new Json(terminal.out())) {
          json.object().text("schema", "ntrail.pdb/1").text("file", source.file().toString());
          json.object("pdb").text("guid", pdb.guid().toString()).number("age", pdb.age());
          json.text("name", source.file().getFileName().toString()).endObject();
          json.text("machine", pdb.header().isPresent() ? machine : null);
          json.number("modules", modules).number("publics", publics).number("globals", globals);
          json.bool("fastLink", pdb.isMinimal());
          json.gaps(pdb.gaps()).endObject();
        }
      }
      default -> {
        terminal
            .out()
            .println(
                "%s: PDB of %s, id %s age %s"
                    .formatted(
                        pdb.name(), machine, pdb.guid().toString(), Long.toString(pdb.age())));
        terminal
            .out()
            .println(
                "  %s, %s, %s%s"
                    .formatted(
                        Numbers.counted(modules, "module"),
                        Numbers.counted(publics, "public symbol"),
                        Numbers.counted(globals, "global symbol"),
                        pdb.omapToImage().isPresent() ? ", addresses remapped (OMAP)" : ""));
        if (pdb.isMinimal()) {
          terminal
              .out()
              .println(
                  "  of /DEBUG:FASTLINK: private symbols stayed in the object files, and are not here");
        }
      }
    }
  }
}
