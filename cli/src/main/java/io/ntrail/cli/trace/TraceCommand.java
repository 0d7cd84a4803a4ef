package io.ntrail.cli.trace;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.ProgramHost;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.Version;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.trace.TraceAhead;
import io.ntrail.live.trace.TraceRun;
import io.ntrail.live.trace.TraceSettings;
import io.ntrail.live.trace.TraceTarget;
import io.ntrail.live.trace.TracedProcessTree;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail trace -- PROGRAM}: records the calls of functions of a program that it starts. */
public final class TraceCommand implements Command {
  private static final long HOOK_SECONDS = 20;

  private final Function<ParseResult, AgentHost> hosts;

  public TraceCommand() {
    this(ProgramHost::of);
  }

  /** Makes a command whose programs run on another host than the one that is chosen. */
  public TraceCommand(AgentHost host) {
    this(_ -> host);
  }

  private TraceCommand(Function<ParseResult, AgentHost> hosts) {
    this.hosts = hosts;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command("trace", "Records every call of chosen functions of a program.");
    spec.addOption(
        CommonOptions.values("PATTERN", "functions to trace: module!name", "-f", "--function"));
    spec.addOption(CommonOptions.values("PATTERN", "functions that are not traced", "--exclude"));
    spec.addOption(
        CommonOptions.value("NAME|PID", "attach to a running program", "-p", "--process"));
    spec.addOption(
        CommonOptions.flag("also trace child processes; ends when all have ended", "--children"));
    OutputOptions.add(spec, "the recording (default: PROGRAM.ntr)", "-o", "--output");
    spec.addOption(
        CommonOptions.flag(
            "count what would be traced; the program ends before its first instruction, a library"
                + " is not started",
            "--plan"));
    spec.addOption(CommonOptions.flag("list skipped functions with reasons", "--why"));
    spec.addOption(
        CommonOptions.flag(
            "with -p: read commands from standard input, one per line: " + TraceControlInput.FORMS,
            "-i",
            "--interactive"));
    spec.addOption(
        CommonOptions.flag("do not suspend threads: some functions are skipped", "--no-stop"));
    spec.addOption(SymbolSearchPath.option());
    spec.addOption(CommonOptions.value("N", "record the first N arguments, up to 12", "--args"));
    spec.addOption(
        CommonOptions.value(
            "N",
            "trace at most N stacks at once; up to 1024, memory for all is made at the start",
            "--threads"));
    spec.addOption(
        CommonOptions.value(
            "N",
            "exactly N buffers of 64 KiB for records (default: 512, 128 of each child, and more"
                + " when needed)",
            "--buffers"));
    spec.addOption(
        CommonOptions.value(
            "SIZE",
            "limit of all buffers together (default: a tenth of this machine's memory)",
            "--buffer-memory"));
    spec.addOption(
        CommonOptions.value(
            "wait|drop",
            "where all buffers are full: threads wait, or lose records (default: wait; -p: drop)",
            "--when-full"));
    spec.addOption(
        CommonOptions.optional(
            "times|counts",
            "add calls up in the program, with times (default) or counts alone; no records",
            "--summary"));
    spec.addOption(
        CommonOptions.value(
            "N", "only count a function once it is called over N times a second", "--throttle"));
    spec.addOption(
        CommonOptions.value(
            "EVERY", "record the callers of one of EVERY calls of each thread", "--stacks"));
    spec.addOption(
        CommonOptions.value("SIZE", "stop recording when the file has this size", "--max-size"));
    spec.addOption(
        CommonOptions.value("SIZE", "ring mode: keep only the last SIZE bytes", "--ring"));
    spec.addOption(ProgramHost.option());
    OutputOptions.add(spec, "where the report goes (default: stderr)", "--report");
    spec.addOption(CommonOptions.value("text|json", "how the report is written", "--format"));
    spec.addOption(
        CommonOptions.flag(
            "exit with 3 if records were lost or a library was not traced", "--strict"));
    spec.addOption(
        CommonOptions.value(
            "program|ntrail",
            "whose exit code a started program's trace ends with (default: program)",
            "--exit-code"));
    spec.addPositional(
        CommonOptions.words("PROGRAM", "a program and its arguments; put -- in front", List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) throws IOException {
    TraceRequest request = TraceRequest.of(parsed, terminal);
    TraceExitCode exitCode = TraceExitCode.of(parsed);
    Optional<FilePlan> library = FilePlan.ofLibrary(request);
    if (library.isPresent()) {
      return plan(parsed, request, library.get(), terminal);
    }
    Stop stop = new Stop();
    boolean isStarted = false;
    try {
      AgentHost host = hosts.apply(parsed);
      int code;
      TraceSettings settings =
          new TraceSettings(
              request.file(),
              request.arguments(),
              request.buffers(),
              request.threads(),
              request.maxBytes(),
              request.ringBytes(),
              "ntrail " + Version.NUMBER);
      try (TraceReport report = TraceReport.of(parsed, request, terminal);
          TraceAhead ahead = request.planOnly() ? TraceAhead.none() : TraceAhead.begin(settings);
          TraceTarget target = open(host, request)) {
        isStarted = true;
        code = planAndTrace(exitCode, request, new Start(settings, ahead), target, report, stop);
      }
      terminal.outputs().complete();
      return code;
    } catch (CannotGoOn e) {
      Optional<FilePlan> program =
          isStarted
              ? Optional.empty()
              : FilePlan.ofProgram(request, String.valueOf(e.getMessage()));
      if (program.isPresent()) {
        return plan(parsed, request, program.get(), terminal);
      }
      throw e;
    } finally {
      stop.done();
    }
  }

  /** Reports the plan of a file that is not started. */
  private static int plan(
      ParseResult parsed, TraceRequest request, FilePlan its, Terminal terminal) {
    if (its.plan().matched() == 0) {
      throw nothingMatches(request, its.subject().program(), "");
    }
    try (TraceReport report = TraceReport.of(parsed, request, terminal)) {
      report.plan(its.subject(), its.plan());
    }
    terminal.outputs().complete();
    return ExitCode.DONE;
  }

  private static int planAndTrace(
      TraceExitCode exitCode,
      TraceRequest request,
      Start start,
      TraceTarget target,
      TraceReport report,
      Stop stop) {
    boolean begun = false;
    try {
      TracePlan plan = target.plan(request);
      if (plan.matched() == 0 && (request.planOnly() || !request.mayComeLater(plan.modules()))) {
        throw nothingMatches(request, target.program(), "");
      }
      report.plan(PlanSubject.of(target), plan);
      if (request.planOnly()) {
        return ExitCode.DONE;
      }
      report.checkRecording();
      begun = true;
      return trace(request, start, target, plan, report, stop, exitCode);
    } finally {
      if (!begun) {
        // It is at its first instruction.
        target.giveUp();
      }
    }
  }

  /** Whatever was wanted of a program that has ended fails in one way or another. */
  private static boolean hasEnded(TraceTarget target) {
    try {
      return target.process().await(0).isPresent();
    } catch (CannotGoOn e) {
      // Without the agent this is unknown, and the agent is what failed.
      return false;
    }
  }

  private static CannotGoOn nothingMatches(TraceRequest request, String program, String where) {
    return new CannotGoOn(
        "no function of %s%s matches %s".formatted(program, where, request.functions()),
        "ntrail trace --plan -f '*!*' " + request.example());
  }

  private static TraceTarget open(AgentHost host, TraceRequest request) {
    return request.process().isEmpty()
        ? TraceTarget.start(host, request.words())
        : TraceTarget.attach(host, request.process());
  }

  /** Settings of a trace, with its session file in the making. */
  private record Start(TraceSettings settings, TraceAhead ahead) {
    TraceRun prepare(TraceTarget target, TracePlan plan) {
      return TraceRun.prepare(target, settings.expecting(plan.matched()), ahead);
    }
  }

  private static int trace(
      TraceRequest request,
      Start start,
      TraceTarget target,
      TracePlan plan,
      TraceReport report,
      Stop stop,
      TraceExitCode exitCode) {
    boolean begun = false;
    target.planAhead(plan);
    try (TracedProcessTree family = family(target, request, start.prepare(target, plan))) {
      family.begin(plan);
      begun = true;
      int code;
      try {
        report.begun(family.first());
        OptionalInt exit = new TraceMonitor(family, request, report, stop::isAsked).awaitEnd();
        RecorderStatistics statistics = family.finish(exit);
        stop.detached();
        report.finished(family, target, statistics, exit);
        code =
            exitCode.of(
                statistics,
                !family.first().untraced().isEmpty(),
                request.process().isEmpty() ? exit : OptionalInt.empty());
      } catch (RuntimeException e) {
        boolean hasEnded = hasEnded(target);
        report.abandoned(family.abandon(), hasEnded);
        throw e;
      }
      if (family.matched() == 0) {
        throw nothingMatches(request, target.program(), " or of the modules that it loaded");
      }
      return code;
    } finally {
      if (!begun) {
        target.giveUp();
      }
    }
  }

  private static TracedProcessTree family(TraceTarget target, TraceRequest request, TraceRun run) {
    return request.children()
        ? TracedProcessTree.withChildren(target, run, request)
        : TracedProcessTree.alone(target, run);
  }

  /** Ctrl+C: the recording is ended before this program is. */
  private static final class Stop {
    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile boolean asked;
    private volatile boolean detached;

    Stop() {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    asked = true;
                    try {
                      boolean done = false;
                      do {
                        done = finished.await(HOOK_SECONDS, TimeUnit.SECONDS);
                      } while (!done && detached);
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  },
                  "stop"));
    }

    boolean isAsked() {
      return asked;
    }

    /** The program is on its own: to count the calls may take as long as it needs. */
    void detached() {
      detached = true;
    }

    void done() {
      finished.countDown();
    }
  }

  /** Returns a rate as text: {@code 8,204,551 (200.1 k/s)}. */
  static String rate(long count, double seconds) {
    double rate = count / Math.max(0.001, seconds);
    String text =
        rate >= 1e6
            ? Numbers.oneDecimal(rate / 1e6) + " M/s"
            : rate >= 1e3 ? Numbers.oneDecimal(rate / 1e3) + " k/s" : (long) rate + "/s";
    return Numbers.count(count) + " (" + text + ")";
  }
}
