package io.ntrail.cli.shell;

import io.ntrail.cli.calls.CallsCommand;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.dump.DumpCommand;
import io.ntrail.cli.events.EventsCommand;
import io.ntrail.cli.export.DiffCommand;
import io.ntrail.cli.export.ExportCommand;
import io.ntrail.cli.image.ImageCommand;
import io.ntrail.cli.info.InfoCommand;
import io.ntrail.cli.merge.CutCommand;
import io.ntrail.cli.merge.MergeCommand;
import io.ntrail.cli.probe.DtraceCommand;
import io.ntrail.cli.probe.ProbeCommand;
import io.ntrail.cli.profile.ProfileCommand;
import io.ntrail.cli.pt.PtCommand;
import io.ntrail.cli.record.RecordCommand;
import io.ntrail.cli.stacks.StacksCommand;
import io.ntrail.cli.symbols.SymbolsCommand;
import io.ntrail.cli.trace.TraceCommand;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The commands there are: name, purpose in a line, and how to make one. */
public final class Commands {
  /**
   * A command that was not made yet.
   *
   * @param name as typed
   * @param purpose one line
   * @param listed whether it is in the lists for people
   * @param make makes it
   */
  public record Entry(String name, String purpose, boolean listed, Supplier<Command> make) {}

  private static final List<Entry> ALL =
      List.of(
          new Entry("info", "what is in a recording, and what was lost", true, InfoCommand::new),
          new Entry(
              "events",
              "the events of a recording, in time order or counted",
              true,
              EventsCommand::new),
          new Entry(
              "profile",
              "CPU time, waits, I/O by function or call path",
              true,
              ProfileCommand::new),
          new Entry(
              "stacks", "where threads were: at a time, or at an event", true, StacksCommand::new),
          new Entry(
              "calls", "the calls of a recording, and how long they took", true, CallsCommand::new),
          new Entry("diff", "what changed from one profile to another", true, DiffCommand::new),
          new Entry("export", "a profile for other tools: flame graphs", true, ExportCommand::new),
          new Entry(
              "image",
              "headers and metadata of a program, library or driver",
              true,
              ImageCommand::new),
          new Entry(
              "symbols", "functions and source lines of addresses", true, SymbolsCommand::new),
          new Entry(
              "trace", "records the calls of a program that it starts", true, TraceCommand::new),
          new Entry(
              "probe", "programs in the D language over a recording", true, ProbeCommand::new),
          new Entry("dtrace", "DTrace's command line over a recording", true, DtraceCommand::new),
          new Entry("pt", "an Intel Processor Trace: packets, instructions", true, PtCommand::new),
          new Entry("merge", "one recording out of several", true, MergeCommand::new),
          new Entry("cut", "a smaller recording out of one", true, CutCommand::new),
          new Entry(
              "record",
              "records the kernel of Windows, now or at its starts",
              true,
              RecordCommand::new),
          new Entry("dump", "a minidump of a running program", true, DumpCommand::new),
          new Entry("doctor", "checks this installation", true, DoctorCommand::new),
          new Entry("config", "settings that stand for options", true, ConfigCommand::new),
          new Entry(
              "completion", "shell completion script, manual pages", true, CompletionCommand::new),
          new Entry("help", "help for a command or topic", true, HelpCommand::new),
          new Entry("warm", "trains the start cache", false, WarmCommand::new));

  /** Two words that are another name of a command. */
  private static final Map<List<String>, String> OTHER_NAMES =
      Map.of(List.of("record", "merge"), "merge");

  private Commands() {}

  /** Returns the words of a command line with the command's own name in front. */
  static String[] withOwnName(String[] words) {
    boolean isHelp = words[0].equals("--help") || words[0].equals("-h");
    if (isHelp && words.length > 1 && isListed(words[1])) {
      return new String[] {words[1], words[0]};
    }
    String name = words.length < 2 ? null : OTHER_NAMES.get(List.of(words[0], words[1]));
    if (name == null) {
      return words;
    }
    String[] own = Arrays.copyOfRange(words, 1, words.length);
    own[0] = name;
    return own;
  }

  /** Returns all commands. */
  public static List<Entry> all() {
    return ALL;
  }

  /** Returns the commands that help lists. */
  public static List<Entry> listed() {
    return ALL.stream().filter(Entry::listed).toList();
  }

  /** Returns whether help lists a command of that name. */
  public static boolean isListed(String name) {
    return named(name).map(Entry::listed).orElse(false);
  }

  /** Returns the command of that name. */
  public static Optional<Entry> named(String name) {
    for (Entry entry : ALL) {
      if (entry.name.equals(name)) {
        return Optional.of(entry);
      }
    }
    return Optional.empty();
  }
}
