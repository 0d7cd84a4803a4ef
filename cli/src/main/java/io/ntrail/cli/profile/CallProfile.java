package io.ntrail.cli.profile;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallPathProfile;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.WeightTree;
import io.ntrail.cli.calls.CallFilter;
import io.ntrail.cli.calls.CallInfo;
import io.ntrail.cli.calls.CallsScope;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.Omissions;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.pt.TraceCalls;
import io.ntrail.cli.pt.TraceFunctions;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** {@code ntrail profile} of a recording of calls: where their time went, by routine or by path. */
public final class CallProfile implements ProfilePage {
  private static final List<String> OTHER_OPTIONS =
      List.of(
          "--wait",
          "--unit",
          "--source",
          "-e",
          "--kernel",
          "--user",
          "--idle",
          "--by",
          "--bottom-up",
          "--callers",
          "-z",
          "--buckets",
          "--just-my-code",
          "--fold",
          "--group",
          "--no-inline",
          "--only",
          "--hide");

  private final CallsScope scope;
  private final ProfileShape shape;
  private final CallPathProfile paths;

  /** True for the instructions of a Processor Trace. */
  private final boolean isTrace;

  /** Adds up the calls of a part of a recording. */
  public CallProfile(CallsScope scope, ProfileShape shape) {
    this(scope, shape, false);
  }

  /**
   * Adds up the calls of a part of a recording.
   *
   * @param isTrace whether its times are the instructions of a Processor Trace
   */
  public CallProfile(CallsScope scope, ProfileShape shape, boolean isTrace) {
    this.isTrace = isTrace;
    this.scope = scope;
    this.shape = shape;
    TimeRange range = scope.range();
    boolean byPath = shape.look() == ProfileShape.Look.TREE;
    try (Progress _ = scope.progress().start()) {
      this.paths =
          CallPathProfile.of(
              scope.recording(), scope.threads(), byPath, range.fromNanos(), range.toNanos());
    }
  }

  static int run(RecordingInput input, ParseResult parsed, Terminal system) {
    ProfileShape shape = ProfileShape.of(parsed, system);
    sensible(input.paths().getFirst(), parsed);
    try (CallRecording recording = input.open(CallRecording.class);
        Terminal terminal = CommonOptions.output(parsed, system)) {
      CallsScope scope = CallsScope.of(recording, CallFilter.of(parsed), terminal, parsed);
      CallProfile profile = new CallProfile(scope, shape);
      profile.print();
      return scope.finishTimes(parsed, false, profile.total());
    }
  }

  /** Answers about the Processor Trace of a recording of Windows. */
  static int runTrace(List<Path> files, ParseResult parsed, Terminal system) {
    if (files.size() != 1) {
      throw new UsageError(
          "--metric pt takes one recording, not " + files.size(),
          "ntrail profile trace.etl --metric pt");
    }
    ProfileShape shape = ProfileShape.of(parsed, system);
    refuse(files.getFirst(), parsed);
    if (shape.look() != ProfileShape.Look.TREE) {
      return TraceFunctions.print(
          files.getFirst(),
          parsed,
          system,
          functions -> new TraceProfile(functions, shape, parsed).print());
    }
    TraceCalls trace = TraceCalls.open(files.getFirst(), false, parsed, system);
    try (CallRecording recording = trace.recording();
        Terminal terminal = CommonOptions.output(parsed, system)) {
      CallsScope scope = CallsScope.of(recording, CallFilter.of(parsed), terminal, parsed);
      CallProfile profile = new CallProfile(scope, shape, true);
      profile.print();
      return Math.max(trace.exitCode(), scope.finishTimes(parsed, false, profile.total()));
    }
  }

  /** Refuses options that do not apply to call recordings. */
  public static void sensible(Path path, ParseResult parsed) {
    refuse(path, parsed);
    TraceCalls.check(parsed, "ntrail profile trace.etl --metric pt --image-path images");
    String calls = CallPathProfile.METRIC.name();
    String metric = CommonOptions.text(parsed, "--metric", calls);
    if (!metric.equals(calls)) {
      throw new UsageError(
          "call recordings have only --metric " + calls + ", not " + metric,
          "ntrail profile " + ShellWords.file(path));
    }
  }

  /** Refuses options that do not apply to calls, whatever they come from. */
  public static void refuse(Path path, ParseResult parsed) {
    for (String option : OTHER_OPTIONS) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option + " does not apply to call recordings",
            "ntrail calls " + ShellWords.file(path) + " --flat");
      }
    }
  }

  private void print() {
    if (shape.look() == ProfileShape.Look.TREE) {
      new ProfileTreeView(this, tree(), shape).print();
    } else {
      new ProfileRowsView(this, shape).print(rows());
    }
  }

  /** By path from the process down, if the shape is a tree. */
  public WeightTree tree() {
    return paths.tree(scope.names());
  }

  /** By routine, if the shape is flat. */
  public List<ProfileRow> rows() {
    return paths.rows(scope.names(), shape.bySelf());
  }

  /** Returns the routines of which no call ended, but some are open. */
  public List<ProfileRow> openRows() {
    return paths.openRows(scope.names());
  }

  @Override
  public Terminal terminal() {
    return scope.terminal();
  }

  @Override
  public int width() {
    return scope.width();
  }

  @Override
  public boolean ascii() {
    return scope.ascii();
  }

  @Override
  public long total() {
    return paths.total();
  }

  @Override
  public String weight(long weight) {
    return isTrace ? Numbers.count(weight) : scope.duration(weight);
  }

  @Override
  public String unit() {
    return isTrace ? "instr." : scope.nanos() ? "us" : "ticks";
  }

  @Override
  public String unitOfWeights() {
    return isTrace ? TraceCalls.UNIT : scope.unit();
  }

  @Override
  public List<String> lines() {
    CallCounts counts = scope.counts();
    return List.of(
        scope.asked()
            + (scope.nanos()
                ? Numbers.duration(total())
                : Numbers.counted(total(), isTrace ? "instruction" : "tick"))
            + " in "
            + CallPathProfile.METRIC.things()
            + ", "
            + Numbers.count(counts.open())
            + " open at the end, "
            + scope.state(counts));
  }

  @Override
  public Json members(Json json) {
    json.text("file", scope.recording().source().name())
        .text("metric", isTrace ? TraceCalls.METRIC : CallPathProfile.METRIC.name())
        .text("unit", unitOfWeights())
        .number("total", total())
        .number("idle", 0);
    scope(json);
    CallInfo.lost(json, scope.recording().source());
    // The cut of a tree is something else.
    Omissions.json(json, scope.recording().omissions());
    json.gaps(scope.recording().gaps())
        .object("symbols")
        .unknown("hot")
        .number("found", 0)
        .endObject();
    scope.counts(json, scope.counts());
    return json;
  }

  private void scope(Json json) {
    CallFilter choice = scope.choice();
    json.object("scope").array("process");
    if (!choice.processes().isEmpty()) {
      record Process(@Nullable String name, long pid) {}

      Set<Process> told = new HashSet<>();
      for (int i : scope.threads()) {
        CallThread thread = scope.recording().source().threads().get(i);
        if (told.add(new Process(thread.process(), thread.pid()))) {
          json.object().text("name", thread.process()).known("pid", thread.knownPid()).endObject();
        }
      }
    }
    json.endArray().array("thread");
    choice.threads().forEach(pattern -> json.text(pattern.toString()));
    json.endArray();
    String unit = scope.nanos() ? "Nanos" : "Ticks";
    EventProfilePage.limit(json, "from" + unit, scope.range().fromNanos(), Long.MIN_VALUE);
    EventProfilePage.limit(json, "to" + unit, scope.range().toNanos(), Long.MAX_VALUE);
    json.endObject();
  }
}
