package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.pt.driver.DriverMachine;
import io.ntrail.cli.pt.driver.DriverRequest;
import io.ntrail.cli.pt.driver.DriverTrace;
import io.ntrail.cli.pt.recipe.Recipe;
import io.ntrail.cli.pt.recipe.RecipeAnswer;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.live.ipt.AddressRange;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code ntrail pt packets FILE}: what a stream of Intel Processor Trace consists of; {@code ntrail
 * pt flow FILE}: what it says that was executed; {@code ntrail pt recipe}: how Windows records one;
 * {@code ntrail pt record}: one of a running program; {@code ntrail pt before FILE.etl}: what ran
 * before an event.
 */
public final class PtCommand implements Command {
  private static final String EXAMPLE = "ntrail pt packets trace.pt";

  /** Questions, named by the first word. */
  private enum Question {
    PACKETS,
    FLOW,
    BEFORE,
    RECIPE,
    RECORD
  }

  /** Decoders whose answers can be had. */
  enum Compatibility {
    LIBIPT
  }

  /** Options that choose a form of a flow's answer. */
  private static final List<String> FORMS =
      List.of("--instructions", "--blocks", "--calls", "--profile", "--addresses");

  private static final String THREAD = "-t";

  private static final List<String> OF_PACKETS = List.of("--count");

  private static final List<String> OF_FLOW =
      Stream.concat(
              FORMS.stream(),
              Stream.concat(
                  Stream.of(
                      "--events", "--code", "--pages", "--bits", "--resync", "--filter", "-y"),
                  RecordedFlowCommand.OPTIONS.stream()))
          .toList();

  /** Options of all questions that read a stream. */
  private static final List<String> OF_STREAMS =
      List.of("--time", "-n", THREAD, "--clock", "--model", "--compat");

  /** Of these, those that a record has, too. */
  private static final List<String> OF_RECORD = List.of("-p", THREAD, FlowRequest.FILTER);

  private static final OptionValues<Question> QUESTIONS =
      OptionValues.of("pt", List.of(Question.values()));

  static final OptionValues<Compatibility> COMPATIBILITIES =
      OptionValues.of("--compat", List.of(Compatibility.values()));

  private final DriverMachine machine;

  public PtCommand() {
    this(DriverMachine.here());
  }

  /** Records on a machine. */
  public PtCommand(DriverMachine machine) {
    this.machine = machine;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("pt", "Streams of Intel Processor Trace.");
    spec.addPositional(
        CommonOptions.files(
            "packets, flow or before, then a stream (.pt, .bin, .dmp, also inside .gz or .zip) or a"
                + " recording (.etl); or recipe, or record"));
    spec.addOption(CommonOptions.flag("packets: how many of each type", "--count"));
    spec.addOption(
        CommonOptions.value("FROM..TO", "only what is of these times: 0..10us", "--time"));
    spec.addOption(
        CommonOptions.value(
            "N", "at most N rows, 0: all; before: instructions (default 200)", "-n", "--limit"));
    spec.addOption(
        CommonOptions.values(
            "TID", "the thread, of a file of ipt.sys, a dump or a recording", THREAD, "--thread"));
    spec.addOption(
        CommonOptions.value(
            "MTCFREQ,EAX,EBX,NOMINAL",
            "RTIT_CTL[17:14], CPUID 15H, maximum non-turbo ratio; 0: unknown",
            "--clock"));
    spec.addOption(
        CommonOptions.value(
            "FAMILY/MODEL/STEPPING", "the processor, for its errata: 6/94/3", "--model"));
    spec.addOption(
        CommonOptions.oneOf(
            COMPATIBILITIES.words(),
            "DECODER",
            "round times, and err, as libipt does it",
            "--compat"));
    spec.addOption(
        CommonOptions.flag("flow: the address of each instruction, 16 digits", "--addresses"));
    spec.addOption(CommonOptions.flag("flow: a row for each instruction", "--instructions"));
    spec.addOption(CommonOptions.flag("flow: a row for each block", "--blocks"));
    spec.addOption(
        CommonOptions.flag(
            "flow: rows for interrupts, CR3, power states and so on, too", "--events"));
    spec.addOption(
        CommonOptions.flag(
            "flow: calls, as a tree with their own instructions; -o FILE.ntr: a recording of them",
            "--calls"));
    spec.addOption(
        CommonOptions.flag("flow: instructions and calls of each function", "--profile"));
    spec.addOption(SymbolSearchPath.option());
    PtCode.options(spec);
    RecordedFlowCommand.options(spec);
    spec.addOption(
        CommonOptions.oneOf(
            List.of("16", "32", "64"),
            "N",
            "flow: size of the code until a packet tells it (default 64)",
            "--bits"));
    spec.addOption(
        CommonOptions.oneOf(
            FlowRequest.RESYNC.words(),
            "WHERE",
            "flow: where it goes on after an error (default event: at the next address)",
            "--resync"));
    spec.addOption(
        CommonOptions.values(
            "FROM-TO",
            "flow: a range that was traced, where the processor tells no end (SKL014); record: only"
                + " this is traced",
            FlowRequest.FILTER));
    Recipe.options(spec);
    DriverRequest.options(spec);
    CommonOptions.output(spec, "text, json, jsonl or csv");
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    List<String> words = CommonOptions.positionals(parsed);
    if (words.isEmpty()) {
      throw new UsageError("pt needs a question and a stream", EXAMPLE);
    }
    Question question = QUESTIONS.value(words.getFirst());
    if (question == Question.RECIPE) {
      return recipe(words.subList(1, words.size()), parsed, system);
    }
    refuse(Recipe.OPTIONS, "recipe", parsed);
    if (question == Question.RECORD) {
      return record(words.subList(1, words.size()), parsed, system);
    }
    refuse(DriverRequest.OPTIONS, "record", parsed);
    if (words.size() != 2) {
      throw new UsageError(
          "pt " + OptionValues.word(question) + " takes one stream, not " + (words.size() - 1),
          EXAMPLE);
    }
    Format format =
        CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV);
    Path path = CommonOptions.path(words.getLast());
    if (question == Question.BEFORE) {
      return BeforeCommand.run(path, parsed, system);
    }
    check(question, path, format, parsed);
    return question == Question.PACKETS
        ? packets(path, format, parsed, system)
        : flow(path, format, parsed, system);
  }

  private static void refuse(List<String> options, String question, ParseResult parsed) {
    for (String option : options) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option + " is of pt " + question, "ntrail pt " + question + " " + option + " ...");
      }
    }
  }

  private int record(List<String> words, ParseResult parsed, Terminal system) {
    if (!words.isEmpty()) {
      throw new UsageError(
          "pt record reads no file, but " + words.getFirst() + " was named", DriverRequest.EXAMPLE);
    }
    for (String option :
        Stream.of(OF_PACKETS, OF_FLOW, OF_STREAMS).flatMap(List::stream).toList()) {
      if (!OF_RECORD.contains(option) && CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option + " is of questions about a stream",
            "ntrail pt flow trace.pt " + option + " ...");
      }
    }
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON);
    DriverRequest request =
        DriverRequest.of(
            parsed,
            ranges(CommonOptions.all(parsed, FlowRequest.FILTER), AddressRange.ONLY),
            ranges(DriverRequest.stops(parsed), AddressRange.STOP),
            thread(parsed).stream().boxed().toList());
    OutputFile file =
        system
            .outputs()
            .of("-o")
            .orElseThrow(
                () -> new UsageError("pt record needs a file: -o FILE.bin", DriverRequest.EXAMPLE));
    return new DriverTrace(machine, format, system).run(request, file);
  }

  private static List<AddressRange> ranges(List<String> words, int use) {
    return words.stream()
        .map(FlowRequest::filter)
        .map(filter -> new AddressRange(use, filter.from(), filter.to()))
        .toList();
  }

  /** Refuses options that would change nothing. */
  private static void check(Question question, Path path, Format format, ParseResult parsed) {
    String start = "ntrail pt " + OptionValues.word(question) + " " + ShellWords.file(path) + " ";
    List<String> others = question == Question.PACKETS ? OF_FLOW : OF_PACKETS;
    for (String option : others) {
      if (CommonOptions.has(parsed, option)) {
        boolean isFlow = question == Question.PACKETS;
        throw new UsageError(
            option + " is of pt " + (isFlow ? "flow" : "packets"),
            "ntrail pt %s %s %s ..."
                .formatted(isFlow ? "flow" : "packets", ShellWords.file(path), option));
      }
    }
    List<String> forms = FORMS.stream().filter(form -> CommonOptions.has(parsed, form)).toList();
    if (forms.size() > 1) {
      throw new UsageError(
          forms.get(0) + " and " + forms.get(1) + " exclude each other",
          start + forms.get(0) + " ...");
    }
    if (forms.contains("--addresses") && format != Format.TEXT) {
      throw new UsageError(
          "--addresses is a list of numbers: it has no other format",
          start + "--instructions --format " + OptionValues.word(format) + " ...");
    }
    boolean hasRows = forms.contains("--instructions") || forms.contains("--blocks");
    if (CommonOptions.has(parsed, "--events") && !hasRows) {
      throw new UsageError(
          "--events needs --instructions or --blocks", start + "--instructions --events ...");
    }
  }

  private static int recipe(List<String> words, ParseResult parsed, Terminal system) {
    if (!words.isEmpty()) {
      throw new UsageError(
          "pt recipe reads no file, but " + words.getFirst() + " was named",
          "ntrail pt recipe -o " + RecipeAnswer.DEFAULT_NAME);
    }
    refuse(DriverRequest.OPTIONS, "record", parsed);
    for (String option :
        Stream.of(OF_PACKETS, OF_FLOW, OF_STREAMS).flatMap(List::stream).toList()) {
      if (!option.equals(Recipe.EVENT) && CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option + " is of questions about a stream",
            "ntrail pt flow trace.pt " + option + " ...");
      }
    }
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON);
    Recipe recipe = Recipe.of(parsed);
    OutputFile file = system.outputs().of("-o").orElse(null);
    if (format == Format.TEXT && file != null) {
      RecipeAnswer.write(recipe, file, system);
      return new RecipeAnswer(recipe, String.valueOf(file.place().getFileName()))
          .text(true, system);
    }
    try (Terminal terminal = CommonOptions.output(parsed, system)) {
      RecipeAnswer answer = new RecipeAnswer(recipe, RecipeAnswer.DEFAULT_NAME);
      return format == Format.JSON ? answer.json(terminal) : answer.text(false, terminal);
    }
  }

  private static int packets(Path path, Format format, ParseResult parsed, Terminal system) {
    PacketListing.Request request =
        new PacketListing.Request(
            path,
            ProcessorOptions.of(parsed),
            TimeRange.parse(CommonOptions.text(parsed, "--time", "..")),
            CommonOptions.number(parsed, "-n", 0));
    try (Terminal terminal = CommonOptions.output(parsed, system);
        PtInput input = PtInput.open(path, thread(parsed))) {
      return CommonOptions.has(parsed, "--count")
          ? new PacketCounts(input, request, WorkProgress.of(input.work(), parsed, terminal))
              .print(format, terminal)
          : new PacketListing(input, request).print(format, parsed, terminal);
    }
  }

  private static int flow(Path path, Format format, ParseResult parsed, Terminal system) {
    if (RecordingInput.isEtw(path)) {
      return RecordedFlowCommand.run(path, format, parsed, system);
    }
    for (String option : RecordedFlowCommand.OPTIONS) {
      // Dumps have images, too.
      boolean isOfDumps = option.equals(RecordedFlowCommand.IMAGE_PATH);
      if (CommonOptions.has(parsed, option) && !(isOfDumps && isDump(path))) {
        throw new UsageError(
            option + " is of recordings (.etl)", "ntrail pt flow trace.etl " + option + " ...");
      }
    }
    FlowRequest request = FlowRequest.of(path, parsed);
    boolean isCalls = CommonOptions.has(parsed, "--calls");
    OutputFile recording =
        system.outputs().of("-o").filter(file -> isCalls && isRecording(file)).orElse(null);
    if (recording != null) {
      return record(recording, request, parsed, system);
    }
    try (Terminal terminal = CommonOptions.output(parsed, system);
        PtInput input = PtInput.open(path, thread(parsed));
        PtCode code = PtCode.open(parsed, input.dump(), system)) {
      FlowFunctions functions = code.functions();
      FlowAnswer answer = newAnswer(input, request, code, functions, parsed, terminal);
      FlowCallsAnswer calls = new FlowCallsAnswer(answer, functions, request);
      if (isCalls) {
        return calls.calls(format, parsed, terminal);
      }
      if (CommonOptions.has(parsed, "--profile")) {
        return calls.profile(format, parsed, terminal);
      }
      if (CommonOptions.has(parsed, "--addresses")) {
        return answer.addresses(terminal);
      }
      boolean byBlock = CommonOptions.has(parsed, "--blocks");
      return byBlock || CommonOptions.has(parsed, "--instructions")
          ? answer.rows(byBlock, format, parsed, terminal)
          : answer.summary(format, terminal);
    }
  }

  private static FlowAnswer newAnswer(
      PtInput input,
      FlowRequest request,
      PtCode code,
      FlowFunctions functions,
      ParseResult parsed,
      Terminal terminal) {
    return new FlowAnswer(
        input,
        request,
        code.space(),
        functions,
        WorkProgress.of(input.work(), parsed, terminal),
        CommonOptions.has(parsed, "--strict"));
  }

  private static OptionalLong thread(ParseResult parsed) {
    List<String> threads = CommonOptions.all(parsed, THREAD);
    if (threads.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      if (threads.size() == 1 && Long.parseLong(threads.getFirst()) >= 0) {
        return OptionalLong.of(Long.parseLong(threads.getFirst()));
      }
    } catch (NumberFormatException _) {
      // Said below.
    }
    throw new UsageError(
        THREAD + " takes the number of one thread, not " + String.join(" and ", threads),
        "ntrail pt packets trace.bin " + THREAD + " 4316");
  }

  private static boolean isDump(Path path) {
    return path.toString().toLowerCase(Locale.ROOT).endsWith(".dmp");
  }

  static boolean isRecording(OutputFile file) {
    return file.place().toString().toLowerCase(Locale.ROOT).endsWith(".ntr");
  }

  private static int record(
      OutputFile file, FlowRequest request, ParseResult parsed, Terminal terminal) {
    try (PtInput input = PtInput.open(request.path(), thread(parsed));
        PtCode code = PtCode.open(parsed, input.dump(), terminal)) {
      FlowFunctions functions = code.functions();
      FlowAnswer answer = newAnswer(input, request, code, functions, parsed, terminal);
      return new FlowCallsAnswer(answer, functions, request).record(file, terminal);
    }
  }
}
