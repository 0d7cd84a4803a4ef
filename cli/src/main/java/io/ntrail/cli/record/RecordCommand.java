package io.ntrail.cli.record;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code ntrail record}: sessions of the kernel on Windows ({@code start}, {@code status}, {@code
 * stop}, {@code list}), and files for the registry that have a boot recorded ({@code boot}).
 */
public final class RecordCommand implements Command {
  /** A command line that works. */
  static final String EXAMPLE =
      "ntrail record boot --kernel cpu+disk --stacks Profile --reg boot.reg";

  private static final String REG = "--reg";
  private static final String OUTPUT = "-o";
  private static final String UNDO = ".undo.reg";
  private static final String BOOT = "boot";

  /** Words that there will be; nothing of them is done yet. */
  private static final List<String> NOT_BUILT = List.of("mark", "watch");

  private static final String STATUS = "status";
  private static final String STOP = "stop";
  private static final String LIST = "list";
  private static final String START = "start";
  private static final String TAKE_OVER = "--take-over";
  private static final String START_EXAMPLE =
      "ntrail record start --kernel cpu+disk --stacks Profile -o shop.etl";

  /** Words that ask a running Windows. */
  private static final List<String> SESSIONS = List.of(START, STATUS, STOP, LIST);

  /** Options that only a start or a boot has. */
  private static final List<String> OF_RECORDINGS =
      List.of("--kernel", "--stacks", "--etl", "--max-size");

  private final RecordMachine machine;

  public RecordCommand() {
    this(RecordMachine.here());
  }

  /** Records on a machine. */
  public RecordCommand(RecordMachine machine) {
    this.machine = machine;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command("record", "Records the kernel of Windows, now or at its starts.");
    BootRequest.options(spec);
    OutputOptions.add(spec, "the file for the registry; its undo is FILE" + UNDO, REG);
    OutputOptions.add(
        spec, "the recording: start writes parts of it, stop merges them", OUTPUT, "--output");
    spec.addOption(CommonOptions.value("text|json", "how the report is written", "--format"));
    spec.addOption(CommonOptions.flag("start: a session in the way is stopped", TAKE_OVER));
    spec.addPositional(
        CommonOptions.words(
            "WHAT",
            "start, status, stop, list or boot; behind status and stop a session (default ntrail)",
            List.of(START, STATUS, STOP, LIST, BOOT)));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) {
    List<String> words = CommonOptions.positionals(parsed);
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON);
    if (!words.isEmpty() && SESSIONS.contains(words.getFirst())) {
      return session(words, format, parsed, terminal);
    }
    mustBeBoot(words);
    refuse(parsed, BOOT, List.of(TAKE_OVER, OUTPUT));
    BootRequest request = BootRequest.of(parsed, BOOT, EXAMPLE);
    OutputFile file =
        terminal
            .outputs()
            .of(REG)
            .orElseThrow(() -> new UsageError("record boot needs a file: --reg FILE.reg", EXAMPLE));
    byte[] registry = request.session().registry().toBytes();
    byte[] undo = request.session().undo().toBytes();
    try (OutputFile undoFile = OutputFile.reserve(CommonOptions.path(file.place() + UNDO), REG)) {
      write(undoFile, undo);
      // Only now: no file that sets up a session is without the one that removes it.
      write(file, registry);
      new BootReport(
              request, file.place(), registry.length, undoFile.place(), undo.length, terminal)
          .print(format);
    }
    return ExitCode.DONE;
  }

  private int session(List<String> words, Format format, ParseResult parsed, Terminal terminal) {
    String word = words.getFirst();
    boolean isNamed = word.equals(STATUS) || word.equals(STOP);
    if (words.size() > (isNamed ? 2 : 1)) {
      throw new UsageError("record " + word + " takes no " + words.getLast(), "ntrail record list");
    }
    refuse(parsed, word, List.of(REG, "--logger"));
    if (!word.equals(START) && !word.equals(STOP)) {
      refuse(parsed, word, List.of(OUTPUT));
    }
    if (!word.equals(START)) {
      refuse(parsed, word, OF_RECORDINGS);
      refuse(parsed, word, List.of(TAKE_OVER));
    }
    String name = words.size() > 1 ? words.get(1) : "";
    SessionReport report = new SessionReport(format, terminal);
    Optional<OutputFile> output = terminal.outputs().of(OUTPUT);
    switch (word) {
      case START -> start(report, parsed, output);
      case STATUS -> report.status(machine.ask(sessions -> sessions.status(name)));
      case STOP -> {
        return new SessionEnd(machine, parsed, format, terminal).stop(name, output);
      }
      default -> report.list(machine.ask(Sessions::all));
    }
    return ExitCode.DONE;
  }

  private void start(SessionReport report, ParseResult parsed, Optional<OutputFile> output) {
    BootRequest request = BootRequest.of(parsed, START, START_EXAMPLE);
    String etl = request.session().file();
    if (output.isPresent() == !etl.isEmpty()) {
      throw new UsageError(
          "record start needs one file: -o NAME.etl, which stop completes, or --etl PATH",
          START_EXAMPLE);
    }
    boolean takesOver = CommonOptions.has(parsed, TAKE_OVER);
    Optional<RecordedParts> parts =
        output.map(file -> RecordedParts.of(file.place().toAbsolutePath().normalize()));
    report.started(
        machine.ask(sessions -> {
          parts.ifPresent(its -> keep(its, sessions, takesOver));
          String file = parts.map(its -> machine.name(its.kernel())).orElse(etl);
          return sessions.start(request, file, takesOver);
        }),
        request,
        parts.map(RecordedParts::whole));
  }

  /** Refuses to write over what a recording left that was never merged. */
  private static void keep(RecordedParts parts, Sessions sessions, boolean takesOver) {
    List<Path> left = parts.present();
    // A session that runs is in the way by itself.
    if (!left.isEmpty() && (takesOver || sessions.find("").isEmpty())) {
      throw new CannotGoOn(
          "%s is there: a recording that was not merged".formatted(left.getFirst()),
          "ntrail record stop -o %s, or delete it".formatted(ShellWords.file(parts.whole())));
    }
  }

  /** Refuses options that a word does not have, by name. */
  private static void refuse(ParseResult parsed, String word, List<String> options) {
    for (String option : options) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            "record " + word + " has no " + option,
            word.equals(BOOT) ? EXAMPLE : "ntrail record " + word);
      }
    }
  }

  private static void write(OutputFile file, byte[] content) {
    try {
      file.open().write(content);
    } catch (IOException e) {
      throw file.failed(e);
    }
    file.complete();
  }

  private static void mustBeBoot(List<String> words) {
    String word = words.isEmpty() ? "" : words.getFirst();
    if (word.isEmpty()) {
      throw new UsageError("record needs what to do: start, status, stop, list or boot", EXAMPLE);
    }
    if (NOT_BUILT.contains(word)) {
      throw new UsageError("record %s is not built yet".formatted(word), EXAMPLE);
    }
    if (!word.equals(BOOT)) {
      List<String> known = new ArrayList<>(NOT_BUILT);
      known.add(BOOT);
      known.addAll(SESSIONS);
      known.add("merge");
      String meant = SpellingSuggestion.of(word, known);
      throw new UsageError(
          "record has no " + word + (meant.isEmpty() ? "" : "; " + meant + " is meant?"), EXAMPLE);
    }
    if (words.size() > 1) {
      throw new UsageError("record boot takes no " + words.get(1), EXAMPLE);
    }
  }
}
