package io.ntrail.cli.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.Ability;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail stacks FILE}: where threads were at a time, or which stacks an event has. */
public final class StacksCommand implements Command {
  public StacksCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command("stacks", "Stacks of a recording, at a time or of an event.");
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
    spec.addOption(CommonOptions.values("NAME|PID", "only this process", "-p", "--process"));
    spec.addOption(CommonOptions.values("TID", "only this thread", "-t", "--thread"));
    spec.addOption(
        CommonOptions.value("FROM..TO", "with -e: only this time range, in seconds", "--time"));
    spec.addOption(CommonOptions.flag("all threads", "--all"));
    spec.addOption(CommonOptions.flag("all threads, equal stacks once", "--same"));
    spec.addOption(CommonOptions.flag("no inline frames", "--no-inline"));
    SymbolSearchPath.optionsWithWait(spec);
    CommonOptions.output(spec, "text, json, jsonl or csv");
    CommonOptions.together(spec);
    spec.addPositional(CommonOptions.files());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    List<Path> paths = CommonOptions.paths(parsed, "stacks");
    RecordedRequest request = RecordedRequest.of(paths, parsed);
    try (RecordingInput input =
            RecordingInput.of(paths, Ability.EVENTS).together(CommonOptions.isTogether(parsed));
        EtwRecording recording = input.open(EtwRecording.class);
        Terminal terminal = CommonOptions.output(parsed, system);
        SymbolSearchPath places = SymbolSearchPath.of(paths, parsed, terminal)) {
      return request.isAtTime()
          ? new TimeStacks(request, recording, places, terminal).run()
          : new FrequentStacks(request, recording, places, terminal).run();
    }
  }
}
