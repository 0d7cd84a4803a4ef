package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.pt.TraceCalls;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail calls FILE}: the calls of a recording as a tree, by routine, or the slowest. */
public final class CallsCommand implements Command {
  public CallsCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command(
            "calls", "The calls of a recording: who called what, and how long it took.");
    spec.addOption(
        CommonOptions.flag("one row per routine: calls, inclusive and exclusive time", "--flat"));
    spec.addOption(CommonOptions.value("N", "the N longest calls", "--slowest"));
    spec.addOption(
        CommonOptions.value(
            "PATTERN", "how often calls of these routines took how long", "--histogram"));
    spec.addOption(
        CommonOptions.value(
            "DURATION", "only calls that took longer: 5ms, 20us (or ticks)", "--longer"));
    spec.addOption(CommonOptions.values("NAME|PID", "only this process", "-p", "--process"));
    spec.addOption(CommonOptions.values("NAME|TID", "only this thread", "-t", "--thread"));
    spec.addOption(
        CommonOptions.value(
            "FROM..TO", "only calls entered in this time range: seconds, or ticks", "--time"));
    spec.addOption(CommonOptions.value("N", "only the N outermost levels; 0 for all", "--depth"));
    spec.addOption(CommonOptions.value("PATTERN", "only calls of these routines", "--find"));
    spec.addOption(
        CommonOptions.value(
            "N", "show the first N recorded arguments (text; default: 4, 0: none)", "--args"));
    spec.addOption(
        CommonOptions.flag(
            "each call with its callers, where trace --stacks recorded them", "--stacks"));
    spec.addOption(
        CommonOptions.value("total|self|calls|max", "sort order of --flat", "-s", "--sort"));
    spec.addOption(
        CommonOptions.values(
            "PATH", "an image, or a folder of images, for names", "-y", "--symbols"));
    spec.addOption(
        CommonOptions.value(
            "N",
            "at most N rows; 0 for all (default: 20 on a terminal, else all)",
            "-n",
            "--limit"));
    TraceCalls.options(spec);
    CommonOptions.output(spec, "text, json, jsonl or csv");
    spec.addPositional(
        CommonOptions.words(
            "FILE", "a call recording: .ntr, .jtrc, also inside .zip, .gz or .cab", List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    CallsRequest request = CallsRequest.of(parsed, system);
    List<String> words = CommonOptions.positionals(parsed);
    if (words.size() != 1) {
      throw new UsageError(
          words.isEmpty() ? "calls needs a file" : "calls takes one file, not " + words.size(),
          "ntrail calls recording.ntr");
    }
    if (words.contains("-")) {
      throw new CannotGoOn(
          "a recording cannot be read from standard input: it needs random access",
          "ntrail calls recording.ntr");
    }
    Path path = CommonOptions.path(words.getFirst());
    TraceCalls trace = null;
    if (RecordingInput.isEtw(path)) {
      trace = TraceCalls.open(path, true, parsed, system);
    } else {
      TraceCalls.check(parsed, "ntrail calls trace.etl --image-path images");
    }
    int exitCode = trace == null ? 0 : trace.exitCode();
    try (CallRecording recording =
            trace == null ? RecordingInput.openCalls(path) : trace.recording();
        Terminal terminal = CommonOptions.output(parsed, system)) {
      CallsScope scope =
          request.isSum()
              ? CallsScope.unread(recording, request.choice(), terminal, parsed)
              : CallsScope.of(recording, request.choice(), terminal, parsed);
      List<String> notShown = print(scope, request);
      if (request.format() == Format.CSV || request.format() == Format.JSONL) {
        terminal.out().flush();
        notShown.forEach(remark -> terminal.err().println("warning: " + remark));
      }
      if (request.stacks() && !recording.source().hasCallers()) {
        terminal.err().println("warning: the recording has no callers of calls");
        terminal.err().println("try: ntrail trace --stacks 1000 ... records some");
      }
      return Math.max(exitCode, scope.finish(parsed));
    }
  }

  /** Prints the answer, and returns which calls are not in it. */
  private static List<String> print(CallsScope scope, CallsRequest request) {
    switch (request.look()) {
      case TREE -> new CallListing(scope, request).print();
      case FLAT -> {
        new CallFlatView(scope, request).print();
        return List.of();
      }
      case SLOWEST -> new CallSlowestView(scope, request).print();
      case HISTOGRAM -> {
        CallHistogramView histogram = new CallHistogramView(scope, request);
        histogram.print();
        return histogram.remarks();
      }
    }
    List<String> remarks = new ArrayList<>();
    if (request.look() == CallsRequest.Look.SLOWEST || scope.onlyLong()) {
      scope.openRemark().ifPresent(remarks::add);
    }
    scope.totalsRemark().ifPresent(remark -> remarks.add(remark.strip()));
    return remarks;
  }
}
