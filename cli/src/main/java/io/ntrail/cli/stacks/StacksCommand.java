package io.ntrail.cli.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.Ability;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ProgramHost;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code ntrail stacks}: why a program stopped and where its threads were, out of a dump; where
 * those of a running program are; recorded stacks at a time, or of an event.
 */
public final class StacksCommand implements Command {
  public StacksCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command(
            "stacks", "Why a program stopped and where its threads were; stacks of a recording.");
    spec.addOption(
        CommonOptions.value(
            "TIME",
            "the last stacks recorded up to this time, in seconds (or ns us ms s)",
            "--at"));
    spec.addOption(
        CommonOptions.values(
            "PATTERN",
            "only stacks of events of this name; alone: the frequent ones",
            "-e",
            "--event"));
    spec.addOption(
        CommonOptions.value(
            "N", "with -e: the N most frequent stacks; 0 for all (default: 5)", "--top"));
    spec.addOption(
        CommonOptions.values(
            "NAME|PID", "only this process; without a file: a running program", "-p", "--process"));
    spec.addOption(
        CommonOptions.values(
            "NAME|TID", "only this thread; of recordings by id", "-t", "--thread"));
    spec.addOption(
        CommonOptions.value("FROM..TO", "with -e: only this time range, in seconds", "--time"));
    spec.addOption(CommonOptions.flag("all threads", "--all"));
    spec.addOption(CommonOptions.flag("all threads, equal stacks once", "--same"));
    spec.addOption(CommonOptions.flag("no inline frames", "--no-inline"));
    spec.addOption(
        CommonOptions.flag(
            "handlers that an exception in the innermost frame would come to", "--handlers"));
    spec.addOption(
        CommonOptions.flag(
            "of a 32-bit process in a 64-bit dump (WOW64) also the 64-bit side", "--native"));
    spec.addOption(ProgramHost.option());
    SymbolSearchPath.optionsWithWait(spec);
    CommonOptions.output(spec, "text, json, jsonl or csv");
    CommonOptions.together(spec);
    spec.addPositional(CommonOptions.files());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    if (CommonOptions.positionals(parsed).isEmpty() && CommonOptions.has(parsed, "-p")) {
      return LiveStacks.run(parsed, system);
    }
    List<Path> paths = CommonOptions.paths(parsed, "stacks");
    if (paths.size() == 1 && Files.isDirectory(paths.getFirst())) {
      return new CrashFolder(paths.getFirst(), parsed).run(system);
    }
    try (RecordingInput input =
        RecordingInput.of(paths, Ability.EVENTS, Ability.MEMORY)
            .together(CommonOptions.isTogether(parsed))) {
      return input.has(Ability.MEMORY)
          ? DumpStacks.run(input, parsed, system)
          : recorded(input, parsed, system);
    }
  }

  private static int recorded(RecordingInput input, ParseResult parsed, Terminal system) {
    List<Path> paths = input.paths();
    // A file of another kind is refused as that, whatever was asked of it.
    try (EtwRecording recording = input.open(EtwRecording.class)) {
      RecordedRequest request = RecordedRequest.of(paths, parsed);
      try (Terminal terminal = CommonOptions.output(parsed, system);
          SymbolSearchPath places = SymbolSearchPath.of(paths, parsed, terminal)) {
        return request.isAtTime()
            ? new TimeStacks(request, recording, places, terminal).run()
            : new FrequentStacks(request, recording, places, terminal).run();
      }
    }
  }
}
