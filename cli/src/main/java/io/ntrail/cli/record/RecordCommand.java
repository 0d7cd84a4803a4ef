package io.ntrail.cli.record;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.EventFilterOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.record.BootReport.Written;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.SpellingSuggestion;
import io.ntrail.formats.registry.RegistryText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
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

  private static final String STATUS = "status";
  private static final String STOP = "stop";
  private static final String LIST = "list";
  private static final String START = "start";
  private static final String SNAPSHOT = "snapshot";
  private static final String MARK = "mark";
  private static final String WATCH = "watch";
  private static final String LIMIT = "-n";
  private static final String MARK_EXAMPLE = "ntrail record mark 'checkout begins'";

  /** Text of a mark. */
  private static final Pattern MARKS = Pattern.compile("[ -~]{1,1000}");

  /** Options that only a start has. */
  private static final List<String> ONLY_START =
      List.of(SessionStart.TAKE_OVER, SessionStart.WHILE, SessionStart.FLIGHT);

  /** Words that ask a running Windows. */
  private static final List<String> SESSIONS =
      List.of(START, STATUS, STOP, SNAPSHOT, MARK, WATCH, LIST);

  /** Options that only a start or a boot has. */
  private static final List<String> OF_RECORDINGS =
      List.of("--kernel", "--stacks", "--etl", "--max-size");

  /** Options that only a boot has. */
  private static final List<String> ONLY_BOOT =
      List.of(REG, "--logger", BootOnMachine.CANCEL, BootOnMachine.STOP);

  /** Options that only a watch has. */
  private static final List<String> ONLY_WATCH = List.of("-e", "-p", LIMIT);

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
    OutputOptions.add(
        spec, "boot: a file for the registry of another machine; its undo is FILE" + UNDO, REG);
    OutputOptions.add(
        spec, "the recording: start writes parts of it, stop merges them", OUTPUT, "--output");
    spec.addOption(
        CommonOptions.values("PATTERN", "watch: only events of this name", "-e", "--event"));
    spec.addOption(
        CommonOptions.values("NAME|PID", "watch: only events of this process", "-p", "--process"));
    spec.addOption(CommonOptions.value("N", "watch: ends after N events", LIMIT, "--limit"));
    spec.addOption(
        CommonOptions.value(
            "text|json", "how the report is written; of watch: text or jsonl", "--format"));
    SessionStart.options(spec);
    StartRequest.options(spec);
    BootOnMachine.options(spec);
    spec.addPositional(
        CommonOptions.words(
            "WHAT",
            "start, status, stop, snapshot, mark TEXT, watch, list, boot; behind it a session (default ntrail)",
            List.of(START, STATUS, STOP, SNAPSHOT, MARK, WATCH, LIST, BOOT)));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) {
    List<String> words = CommonOptions.positionals(parsed);
    boolean isWatch = !words.isEmpty() && words.getFirst().equals(WATCH);
    Format format = CommonOptions.format(parsed, Format.TEXT, isWatch ? Format.JSONL : Format.JSON);
    if (!words.isEmpty() && SESSIONS.contains(words.getFirst())) {
      return session(words, format, parsed, terminal);
    }
    mustBeBoot(words);
    refuse(parsed, BOOT, ONLY_START);
    refuse(
        parsed,
        BOOT,
        StartRequest.options().stream()
            .filter(option -> !option.equals(StartRequest.PROFILE))
            .toList());
    refuse(parsed, BOOT, ONLY_WATCH);
    return boot(format, parsed, terminal);
  }

  private int boot(Format format, ParseResult parsed, Terminal terminal) {
    BootOnMachine here = new BootOnMachine(machine, parsed, format, terminal);
    boolean isStop = CommonOptions.has(parsed, BootOnMachine.STOP);
    if (isStop || CommonOptions.has(parsed, BootOnMachine.CANCEL)) {
      String word = BOOT + " " + (isStop ? BootOnMachine.STOP : BootOnMachine.CANCEL);
      refuse(parsed, word, OF_RECORDINGS);
      refuse(parsed, word, List.of(isStop ? BootOnMachine.CANCEL : OUTPUT, REG));
      return isStop ? here.stop() : here.cancel();
    }
    refuse(parsed, BOOT, List.of(OUTPUT));
    Optional<OutputFile> reg = terminal.outputs().of(REG);
    BootPlan plan = bootPlan(reg.isPresent(), parsed);
    if (reg.isEmpty()) {
      return here.set(plan);
    }
    OutputFile file = reg.get();
    RegistryText setting = new RegistryText();
    plan.set(setting);
    RegistryText removing = new RegistryText();
    plan.remove(removing);
    byte[] registry = setting.toBytes();
    byte[] undo = removing.toBytes();
    try (OutputFile undoFile = OutputFile.reserve(CommonOptions.path(file.place() + UNDO), REG)) {
      write(undoFile, undo);
      // Only now: no file that sets up a session is without the one that removes it.
      write(file, registry);
      Written undoing = new Written(undoFile.place(), undo.length);
      new BootReport(
              plan,
              List.of(new Written(file.place(), registry.length), undoing),
              undoing.command(),
              terminal)
          .print(format);
    }
    return ExitCode.DONE;
  }

  /** Returns what the options or a profile ask for; of another machine only GUIDs are known. */
  private BootPlan bootPlan(boolean isOther, ParseResult parsed) {
    Optional<StartRequest> profile = StartRequest.bootProfile(parsed);
    return profile.isEmpty()
        ? new BootPlan(BootRequest.of(parsed, BOOT, EXAMPLE))
        : BootProfile.of(
            isOther
                ? profile.get()
                : machine.ask(sessions -> sessions.starter().present(profile.get())),
            parsed,
            wishes ->
                isOther
                    ? SessionStarter.known(wishes)
                    : machine.ask(sessions -> sessions.starter().resolved(wishes)));
  }

  private int session(List<String> words, Format format, ParseResult parsed, Terminal terminal) {
    String word = words.getFirst();
    int most =
        switch (word) {
          case START -> Integer.MAX_VALUE;
          case STATUS, STOP, SNAPSHOT, WATCH -> 2;
          case MARK -> 3;
          default -> 1;
        };
    if (words.size() > most) {
      throw new UsageError("record " + word + " takes no " + words.getLast(), "ntrail record list");
    }
    refuse(parsed, word, ONLY_BOOT);
    if (!List.of(START, STOP, SNAPSHOT).contains(word)) {
      refuse(parsed, word, List.of(OUTPUT));
    }
    if (!word.equals(WATCH)) {
      refuse(parsed, word, ONLY_WATCH);
    }
    if (!word.equals(START)) {
      refuse(parsed, word, OF_RECORDINGS);
      refuse(parsed, word, ONLY_START);
      refuse(parsed, word, StartRequest.options());
    }
    String name = words.size() > 1 ? words.get(1) : "";
    SessionReport report = new SessionReport(format, terminal);
    Optional<OutputFile> output = terminal.outputs().of(OUTPUT);
    SessionEnd end = new SessionEnd(machine, parsed, format, terminal);
    switch (word) {
      case START -> {
        List<String> arguments = words.subList(1, words.size());
        return new SessionStart(machine, parsed, format, terminal).run(arguments);
      }
      case STATUS ->
          report.status(machine.ask(sessions -> tidy(sessions, terminal).together(name)));
      case STOP -> {
        return end.stop(name, output);
      }
      case SNAPSHOT -> {
        return end.snapshot(
            name,
            output.orElseThrow(() ->
                new UsageError(
                    "record snapshot needs a file: -o NAME.etl",
                    "ntrail record snapshot -o shop.etl")));
      }
      case MARK -> mark(words, report);
      case WATCH -> {
        return watch(name, format, parsed, terminal);
      }
      default -> report.list(machine.ask(sessions -> tidy(sessions, terminal).all()));
    }
    return ExitCode.DONE;
  }

  /** Removes what sessions left that ended by themselves, and tells of it. */
  private static Sessions tidy(Sessions sessions, Terminal terminal) {
    SessionLeftovers.removed(sessions).forEach(told -> terminal.err().println("note: " + told));
    return sessions;
  }

  private int watch(String name, Format format, ParseResult parsed, Terminal terminal) {
    EventFilter filter = EventFilterOptions.filter(parsed);
    try (SessionWatch watch = new SessionWatch(machine, filter, format, terminal)) {
      return watch.run(name, CommonOptions.number(parsed, LIMIT, 0));
    }
  }

  private void mark(List<String> words, SessionReport report) {
    String text = words.size() > 1 ? words.get(1) : "";
    if (!MARKS.matcher(text).matches()) {
      throw new UsageError(
          "record mark needs a text of ASCII, 1 to 1,000 characters", MARK_EXAMPLE);
    }
    String name = words.size() > 2 ? words.get(2) : "";
    report.marked(machine.ask(sessions -> sessions.mark(name, text)), text);
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
      throw new UsageError(
          "record needs what to do: start, status, stop, snapshot, mark, watch, list or boot",
          EXAMPLE);
    }
    if (!word.equals(BOOT)) {
      List<String> known = new ArrayList<>(SESSIONS);
      known.add(BOOT);
      known.add("merge");
      String meant = SpellingSuggestion.of(word, known);
      throw new UsageError(
          "record has no " + word + (meant.isEmpty() ? "" : "; " + meant + " is meant?"),
          meant.isEmpty() || meant.equals(BOOT) ? EXAMPLE : "ntrail record " + meant);
    }
    if (words.size() > 1) {
      throw new UsageError("record boot takes no " + words.get(1), EXAMPLE);
    }
  }
}
