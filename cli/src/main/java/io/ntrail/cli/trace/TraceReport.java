package io.ntrail.cli.trace;

import io.ntrail.analysis.model.UntracedTime;
import io.ntrail.cli.calls.CallBalance;
import io.ntrail.cli.calls.ThrottledFunctions;
import io.ntrail.cli.calls.UntracedTimes;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.ntr.EventTally;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.recovery.DetachResult;
import io.ntrail.live.session.RecorderState;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.trace.SelectionResult;
import io.ntrail.live.trace.TraceRun;
import io.ntrail.live.trace.TraceTarget;
import io.ntrail.live.trace.TracedChild;
import io.ntrail.live.trace.TracedProcessTree;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.ParseResult;

/**
 * Report of a trace. The standard streams are the program's: everything goes to the error output,
 * or to a file; only a plan, which traces nothing, is an answer on standard output.
 */
final class TraceReport implements AutoCloseable {
  private final TraceRequest request;
  private final Terminal terminal;
  private final Terminal to;
  private final PrintStream out;
  private final boolean quiet;
  private final long began = System.nanoTime();
  private boolean live;
  private boolean isTracing;
  private TracePlan told = new TracePlan(List.of(), List.of());

  private TraceReport(TraceRequest request, Terminal terminal, Terminal to, boolean quiet) {
    this.request = request;
    this.terminal = terminal;
    this.to = to;
    this.out = to == terminal && !request.planOnly() ? terminal.err() : to.out();
    this.quiet = quiet;
  }

  static TraceReport of(ParseResult parsed, TraceRequest request, Terminal terminal) {
    Terminal to = terminal.outputs().of("--report").map(terminal::withOutput).orElse(terminal);
    return new TraceReport(request, terminal, to, CommonOptions.has(parsed, "-q"));
  }

  /** Makes sure that the recording will replace no file that the plan was made from. */
  void checkRecording() {
    terminal.outputs().of("-o").ifPresent(OutputFile::check);
  }

  private boolean json() {
    return request.format() == Format.JSON;
  }

  /** Reports the plan, before anything is patched. */
  void plan(PlanSubject subject, TracePlan plan) {
    if (json()) {
      if (request.planOnly()) {
        try (Json json = new Json(out)) {
          json.object().text("schema", "ntrail.trace/1");
          target(json, subject, OptionalInt.empty());
          TracePlanText.json(json, subject, plan, true, request.why());
          remarks(json, plan, TraceRemarks.hopeless(request, plan));
          json.endObject();
        }
      }
      return;
    }
    if (request.planOnly()) {
      TracePlanText.counts(out, to.width(), subject, plan);
    }
    tell(plan);
    if (plan.matched() > 0) {
      TraceRemarks.hopeless(request, plan)
          .forEach(remark -> terminal.err().println("ntrail: " + remark));
    }
  }

  /** Reports the new part of a plan, which grows by what the program loads while it runs. */
  private void tell(TracePlan plan) {
    if (request.why() && plan.functions().size() > told.functions().size()) {
      TracePlanText.why(
          out, plan.functions().subList(told.functions().size(), plan.functions().size()));
    }
    plan.remarks().stream()
        .filter(remark -> !told.remarks().contains(remark))
        .forEach(remark -> terminal.err().println("ntrail: " + remark));
    told = plan;
  }

  /** The program runs. */
  void begun(TraceRun run) {
    isTracing = true;
    if (json() || quiet) {
      return;
    }
    TracePlan plan = run.plan();
    List<PlannedFunction> refused = refusedSince(told, plan);
    if (request.why() && !refused.isEmpty()) {
      TracePlanText.why(out, refused);
    }
    out.println(
        "patched %s of %s matching functions, %s skipped (--why lists them)"
            .formatted(
                Numbers.count(plan.patched()),
                Numbers.count(plan.matched()),
                Numbers.count(plan.matched() - plan.patched())));
    if (!run.selfTest().passed()) {
      out.println(
          "recording entries only: the unwind self-test failed (" + run.selfTest().why() + ")");
    } else {
      TracePlanText.entriesOnly(out, plan);
    }
    if (plan.matched() == 0) {
      out.println(
          "nothing of the loaded modules matches; waiting for others to be loaded: "
              + request.functions());
    }
    out.println(
        InterruptSignal.isIgnored()
            ? "tracing; Ctrl+C is ignored here, kill %d stops and restores the code"
                .formatted(ProcessHandle.current().pid())
            : "tracing; Ctrl+C stops and restores the code");
  }

  /** Returns the functions that were planned to be traced, but could not be patched. */
  private static List<PlannedFunction> refusedSince(TracePlan before, TracePlan now) {
    return IntStream.range(0, Math.min(before.functions().size(), now.functions().size()))
        .filter(i -> before.functions().get(i).isTraced() && !now.functions().get(i).isTraced())
        .mapToObj(i -> now.functions().get(i))
        .toList();
  }

  /** Other functions are traced from now on. */
  void changed(TraceRun run, SelectionResult chosen) {
    if (!json()) {
      clear();
      tell(run.plan());
      if (!quiet) {
        out.println(
            "%s traced now: %s added, %s removed%s"
                .formatted(
                    Numbers.counted(chosen.traced(), "function"),
                    Numbers.count(chosen.added()),
                    Numbers.count(chosen.removed()),
                    chosen.added() + chosen.removed() + chosen.matched() == 0
                        ? " (no loaded module matches)"
                        : ""));
      }
    }
  }

  /** Reports an unknown command on standard input. */
  void notUnderstood(String line) {
    clear();
    terminal.err().println("ntrail: unknown command: " + line);
    terminal.err().println("try: " + TraceControlInput.FORMS);
  }

  private void clear() {
    if (live) {
      terminal.eraseLine();
    }
  }

  /** The line that is rewritten while the program runs. */
  void live(TracedProcessTree family) {
    if (json() || quiet || !terminal.errIsTerminal()) {
      return;
    }
    live = true;
    RecorderStatistics now = family.first().statistics();
    double seconds = (System.nanoTime() - began) / 1e9;
    String line =
        "  %s   calls %s   threads %s   disk %s   chunks free %s of %s"
            .formatted(
                clock((long) seconds),
                request.isSummary()
                    ? "added up"
                    : TraceCommand.rate(now.captured().entries(), seconds),
                Numbers.count(now.threadsSeen() - now.threadsEnded()),
                Numbers.bytes(now.bytes()),
                Numbers.count(now.buffersFree()),
                Numbers.count(now.buffers()));
    terminal.rewriteLine(line);
  }

  private static String clock(long seconds) {
    return "%02d:%02d:%02d".formatted(seconds / 3600, seconds / 60 % 60, seconds % 60);
  }

  /** Reports the end of the trace. */
  void finished(
      TracedProcessTree family, TraceTarget target, RecorderStatistics now, OptionalInt exit) {
    TraceRun run = family.first();
    TracePlan plan = run.plan();
    clear();
    TracedCalls calls = calls(family, target, now);
    if (json()) {
      json(family, target, plan, now, calls, exit, written(now));
      return;
    }
    tell(plan);
    EventTally captured = now.captured();
    if (!quiet) {
      if (exit.isEmpty()) {
        out.println(
            "restored %s; the program continues"
                .formatted(Numbers.counted(family.restored(), "function")));
      } else if (exit.getAsInt() != 0 || !target.process().isStarted()) {
        out.println("the program ended with exit code " + code(exit.getAsInt()));
      }
      run.detachment().ifPresent(this::detached);
      long bytes = written(now);
      String each =
          captured.events() == 0
              ? ""
              : " (%s bytes an event)"
                  .formatted(Numbers.oneDecimal((double) bytes / captured.events()));
      out.println("wrote %s, %s%s".formatted(request.file(), Numbers.bytes(bytes), each));
      TraceStatistics.print(out, family, plan, now, calls.all());
      cost(run);
      TraceDelays.print(out, run, now.waits());
      if (request.buffers().sampling() > 0) {
        TraceCallers.print(out, run.callers(), request.buffers().sampling());
      }
      if (request.children()) {
        ChildProcessReport.print(out, to.width(), target, exit, family, calls);
      }
    }
    family.remarks().forEach(remark -> out.println("ntrail: " + remark));
    now.remarks().forEach(remark -> out.println("ntrail: " + remark));
    calls.remark().forEach(remark -> out.println("ntrail: " + remark));
    UntracedTimes.print(out, "ntrail: ", untraced(run), run.ticksPerSecond() > 0);
    ThrottledFunctions.print(out, "ntrail: ", calls.throttled(), run.ticksPerSecond() > 0);
    if (now.state() == RecorderState.FAILED) {
      out.println("try: another disk, with -o FILE.ntr");
    }
    if (now.discarded().events() > 0 && !quiet) {
      out.println(
          "kept the last %s records, discarded %s older ones"
              .formatted(
                  Numbers.count(captured.events()), Numbers.count(now.discarded().events())));
    }
    if (now.allDropped() > 0) {
      out.println(
          "ntrail: %s of %s records were lost"
              .formatted(
                  Numbers.count(now.allDropped()),
                  Numbers.count(now.allDropped() + captured.events())));
      advice(calls).forEach(advice -> out.println("ntrail: " + advice));
    }
    TraceRemarks.unrecorded(now).forEach(remark -> out.println("ntrail: " + remark));
    if (family.matched() > 0) {
      TraceRemarks.unmatched(request).forEach(remark -> out.println("ntrail: " + remark));
    }
  }

  /**
   * Returns the size of the recording with its index and its end, which follow the last statistics;
   * what these counted if the file cannot be asked.
   */
  private long written(RecorderStatistics now) {
    try {
      return Files.size(request.file());
    } catch (IOException e) {
      return now.bytes();
    }
  }

  /** Returns the function that made most of what could not be written in time, and a way out. */
  private List<String> advice(TracedCalls calls) {
    return calls.busiest().map(one -> one.advice(request.buffers().waits())).stream().toList();
  }

  private TracedCalls calls(TracedProcessTree family, TraceTarget target, RecorderStatistics now) {
    Map<Long, RecorderStatistics> processes = new HashMap<>();
    if (request.children()) {
      processes.put((long) target.process().pid(), family.own());
      for (TracedChild child : family.children()) {
        processes.merge((long) child.pid(), child.statistics(), RecorderStatistics::plus);
      }
    }
    return TracedCalls.of(request.file(), now, processes, terminal, quiet);
  }

  /**
   * Reports that the trace was abandoned; the failure is reported later.
   *
   * @param ended whether the program has ended
   */
  void abandoned(boolean restored, boolean ended) {
    clear();
    terminal
        .err()
        .println(
            ended
                ? "the program has ended, and so does " + request.file()
                : restored
                    ? "restored the code; the program continues, " + request.file() + " ends here"
                    : "the code could not be restored: the program continues with it, unrecorded");
  }

  /** Exit codes of crashes are known by their hexadecimal form. */
  static String code(int exit) {
    return exit < 0 ? Numbers.hex(exit & 0xFFFF_FFFFL) : Integer.toString(exit);
  }

  private void cost(TraceRun run) {
    long rate = run.ticksPerSecond();
    if (rate > 0) {
      out.println(
          "overhead %s ns per call; two clock reads alone take %s ns (measured before the start)"
              .formatted(nanos(run.cost().pairNanos(rate)), nanos(run.cost().clockNanos(rate))));
    }
  }

  private static String nanos(double nanos) {
    return nanos < 10 ? Numbers.oneDecimal(Math.max(0, nanos)) : Long.toString(Math.round(nanos));
  }

  private void detached(DetachResult detachment) {
    out.println(
        "return addresses of %s restored; %s"
            .formatted(
                Numbers.counted(detachment.repairedFrames(), "call"),
                detachment.removed()
                    ? "all tracing memory freed"
                    : "%s of tracing memory remain allocated: %s"
                        .formatted(
                            Numbers.counted(detachment.blocksLeft(), "block"), detachment.left())));
  }

  private void json(
      TracedProcessTree family,
      TraceTarget target,
      TracePlan plan,
      RecorderStatistics now,
      TracedCalls calls,
      OptionalInt exit,
      long bytes) {
    TraceRun run = family.first();
    long rate = run.ticksPerSecond();
    try (Json json = new Json(out)) {
      json.object().text("schema", "ntrail.trace/1").text("file", request.file().toString());
      PlanSubject subject = PlanSubject.of(target);
      target(json, subject, exit);
      exitCode(json, "programExitCode", exit);
      TracePlanText.json(json, subject, plan, run.selfTest().passed(), request.why());
      CallBalance.members(json, calls.all())
          .number("lost", now.allDropped())
          .number("discarded", now.discarded().events())
          .number("addedUp", now.addedCalls())
          .number("reentrant", family.reentrant())
          .number("withoutThreadBlock", now.noTable() + now.entriesWithoutArea())
          .number("tooDeep", now.deepEntries())
          .number("bytes", bytes)
          .number("stoppedNanos", run.stoppedNanos())
          .text("selfTest", run.selfTest().passed() ? "passed" : "failed: " + run.selfTest().why());
      if (rate == 0) {
        json.unknown("durationNanos").unknown("callNanos").unknown("clockPairNanos");
      } else {
        json.number("durationNanos", nanos(now.duration(), rate))
            .key("callNanos")
            .real(run.cost().pairNanos(rate))
            .key("clockPairNanos")
            .real(run.cost().clockNanos(rate));
      }
      if (run.detachment().isPresent()) {
        DetachResult detachment = run.detachment().get();
        json.object("detached")
            .number("frames", detachment.repairedFrames())
            .bool("removed", detachment.removed())
            .text("left", detachment.left())
            .endObject();
      }
      if (request.children()) {
        ChildProcessReport.json(json, target, exit, family, calls);
      }
      TraceDelays.json(json, run, now.waits());
      if (request.buffers().sampling() > 0) {
        TraceCallers.json(json, run.callers());
      }
      UntracedTimes.json(json, untraced(run), rate > 0);
      ThrottledFunctions.json(json, calls.throttled(), rate > 0);
      List<String> remarks =
          Stream.of(
                  family.remarks(),
                  now.remarks(),
                  calls.remark(),
                  advice(calls),
                  TraceRemarks.unrecorded(now),
                  TraceRemarks.unmatched(request))
              .flatMap(List::stream)
              .toList();
      remarks(json, plan, remarks);
      json.endObject();
    }
    out.println();
  }

  private static void remarks(Json json, TracePlan plan, List<String> more) {
    json.array("remarks");
    plan.remarks().forEach(json::text);
    more.forEach(json::text);
    json.endArray();
  }

  private static List<UntracedTime> untraced(TraceRun run) {
    return run.untraced().stream()
        .map(one ->
            new UntracedTime(
                WindowsPath.lastPart(one.module()),
                Math.max(0, run.nanos(one.from())),
                one.to() == 0 ? UntracedTime.OPEN : run.nanos(one.to()),
                one.why()))
        .toList();
  }

  private static long nanos(long ticks, long rate) {
    return Math.round((double) ticks * 1e9 / rate);
  }

  private static void exitCode(Json json, String key, OptionalInt exit) {
    if (exit.isPresent()) {
      json.number(key, exit.getAsInt() & 0xFFFF_FFFFL);
    } else {
      json.unknown(key);
    }
  }

  private static void target(Json json, PlanSubject subject, OptionalInt exit) {
    json.object("target");
    if (subject.pid().isPresent()) {
      json.number("pid", subject.pid().getAsLong());
    } else {
      json.unknown("pid");
    }
    json.text("program", subject.program()).text("commandLine", subject.commandLine());
    exitCode(json, "exitCode", exit);
    json.endObject();
  }

  @Override
  public void close() {
    if (to != terminal) {
      to.close();
      if (isTracing) {
        // However the trace ended, this tells of it.
        terminal.outputs().of("--report").ifPresent(OutputFile::complete);
      }
    }
  }
}
