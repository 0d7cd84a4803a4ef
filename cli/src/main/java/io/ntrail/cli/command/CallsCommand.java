package io.ntrail.cli.command;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail calls FILE}: the calls of a recording as a tree, by routine, or the slowest. */
final class CallsCommand implements Command {
  CallsCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        Options.command(
            "calls", "The calls of a recording: who called what, and how long it took.");
    spec.addOption(Options.flag("a row a routine: calls, time with and without callees", "--flat"));
    spec.addOption(Options.value("N", "the N calls that took longest", "--slowest"));
    spec.addOption(Options.values("NAME|PID", "only this process", "-p", "--process"));
    spec.addOption(Options.values("NAME|TID", "only this thread", "-t", "--thread"));
    spec.addOption(
        Options.value(
            "FROM..TO",
            "only calls entered from one time to another: seconds, or ticks",
            "--time"));
    spec.addOption(Options.value("N", "only the N outermost levels; 0 for all", "--depth"));
    spec.addOption(Options.value("PATTERN", "only calls of these routines", "--find"));
    spec.addOption(
        Options.value(
            "N", "show the first N recorded arguments (text; default: 4, 0: none)", "--args"));
    spec.addOption(
        Options.value("total|self|calls|max", "what rows of --flat are sorted by", "-s", "--sort"));
    spec.addOption(
        Options.values("PATH", "an image, or a folder of images, for names", "-y", "--symbols"));
    spec.addOption(
        Options.value(
            "N", "at most N rows; 0 for all (default: 20 on the screen)", "-n", "--limit"));
    Options.output(spec, "text, json, jsonl or csv");
    spec.addPositional(
        Options.words(
            "FILE", "a recording of calls: .ntr, .jtrc, also inside .zip, .gz or .cab", List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    CallsRequest request = CallsRequest.of(parsed);
    List<String> words = Options.positionals(parsed);
    if (words.size() != 1) {
      throw new UsageError(
          words.isEmpty() ? "calls needs a file" : "calls takes one file, not " + words.size(),
          "ntrail calls recording.ntr");
    }
    if (words.contains("-")) {
      throw new CannotGoOn(
          "a recording cannot be read from standard input: it is read in no order",
          "ntrail calls recording.ntr");
    }
    Path path = Options.path(words.getFirst());
    try (CallRecording recording = CallFiles.open(path);
        Terminal terminal = Options.output(parsed, system)) {
      CallsScope scope = CallsScope.of(recording, request.choice(), terminal, parsed);
      switch (request.look()) {
        case TREE -> new CallListing(scope, request).print();
        case FLAT -> new CallFlatView(scope, request).print();
        case SLOWEST -> new CallSlowestView(scope, request).print();
      }
      return scope.finish(Options.has(parsed, "--strict"));
    }
  }
}
