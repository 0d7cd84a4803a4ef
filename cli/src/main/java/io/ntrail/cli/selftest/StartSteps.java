package io.ntrail.cli.selftest;

import io.ntrail.cli.selftest.StepSkipped.Need;
import io.ntrail.cli.text.Numbers;
import io.ntrail.live.selftest.SelfTestImages;
import io.ntrail.live.selftest.SelfTestProgram;
import io.ntrail.live.selftest.SelfTestProgram.Mode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Steps about programs that ntrail starts, and those that come before. */
final class StartSteps {
  private static final String BEFORE = "Before";
  private static final String START = "Start";
  private static final int LINES = 2000;

  /** Functions that have to be traced of the library of the system. */
  private static final int SYSTEM_FUNCTIONS = 50;

  private StartSteps() {}

  static List<Step> all() {
    return List.of(
        Step.of(BEFORE, "the program of the self-test runs untraced", StartSteps::untraced),
        Step.of(BEFORE, "ntrail doctor reports tracing", StartSteps::doctor),
        Step.of(BEFORE, "the other system is refused with exit code 4", StartSteps::otherHost),
        Step.of(START, "--plan counts functions and runs nothing", StartSteps::plan),
        Step.of(START, "calls of a started program add up", StartSteps::balance),
        Step.of(START, "calls --flat lists what the program calls", StartSteps::flat),
        Step.of(START, "exit codes are passed on, paths have spaces", StartSteps::exitCode),
        Step.of(START, "a program is found without .exe", StartSteps::withoutExtension),
        Step.of(START, "--children traces each child from its start", StartSteps::children),
        Step.of(START, "--children traces a child for x86, too", StartSteps::childX86),
        Step.of(START, "the program keeps its redirected streams", StartSteps::redirected),
        Step.of(START, "powershell (.NET) runs while ntdll is traced", StartSteps::dotNet));
  }

  private static String untraced(Bench bench) throws IOException, InterruptedException {
    bench.program(Mode.WORK).end().exits(Mode.WORK.exitCode()).says(SelfTestProgram.DONE);
    // What it writes of policies is read later.
    bench.program(Mode.POLICIES).end().exits(0).says(SelfTestProgram.CHECK);
    return "";
  }

  private static String doctor(Bench bench) throws IOException, InterruptedException {
    Running.Ended doctor = bench.ntrail("doctor").exits(0).says("  tracing");
    if (doctor.said().contains("\tat ")) {
      throw new StepFailed("no stack trace", doctor.said());
    }
    return "";
  }

  private static String otherHost(Bench bench) throws IOException, InterruptedException {
    String other = bench.isWindows() ? "wine" : "local";
    bench
        .ntrail("trace", "--on", other, "-f", "*!*", "--", bench.word(), Mode.NOTHING.word())
        .exits(4)
        .tells(bench.isWindows() ? "Wine is not installed" : "not a Windows machine");
    return "--on " + other;
  }

  private static String plan(Bench bench) throws IOException, InterruptedException {
    Running.Ended ended =
        bench
            .ntrail(
                "trace",
                "--plan",
                "--format",
                "json",
                "-f",
                "ntdll!Rtl*",
                "--",
                bench.word(),
                Mode.WORK.word())
            .exits(0);
    if (ended.out().contains(SelfTestProgram.DONE + "\r")) {
      throw new StepFailed("a program that does not run", ended.said());
    }
    Report functions = bench.report("the plan", ended.out()).get("functions");
    functions.atLeast("patched", SYSTEM_FUNCTIONS);
    return "functions by class: " + counts(functions.get("byClass"));
  }

  /** Returns numbers by their names. */
  static String counts(Report numbers) {
    return String.join(
        ", ",
        numbers.json().members().keySet().stream()
            .map(key -> key + " " + numbers.number(key))
            .toList());
  }

  /** Fails unless a function has so many calls, of which so many returned. */
  private static void calls(Report flat, String function, long entries, long exits) {
    Report row = flat.named("functions", "function", "!" + function);
    row.is("entries", entries).is("exits", exits).is("unwinds", entries - exits);
  }

  /** Checks the calls that the program is known to make. */
  static void known(Report flat) {
    long threads = SelfTestProgram.THREADS;
    long outer = threads * SelfTestProgram.OUTER;
    long catches = threads * SelfTestProgram.CATCHES;
    calls(flat, "worker", threads, threads);
    calls(flat, "outer", outer, outer);
    calls(flat, "leaf", outer * SelfTestProgram.LEAVES, outer * SelfTestProgram.LEAVES);
    calls(flat, "catcher", catches, catches);
    calls(flat, "between", catches, 0);
    calls(flat, "thrower", catches, 0);
    calls(flat, SelfTestProgram.LATE, SelfTestProgram.LATE_CALLS, SelfTestProgram.LATE_CALLS);
  }

  /** Traces the program at its work, and returns the report. */
  private static Report work(Bench bench, String... more) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of("trace"));
    words.addAll(List.of(more));
    words.addAll(List.of("--format", "json", "--report", "report.json", "-o", "calls.ntr", "--"));
    words.addAll(List.of(bench.word(), Mode.WORK.word()));
    Running.Ended ended = bench.ntrail(words.toArray(String[]::new));
    ended.exits(Mode.WORK.exitCode()).says(SelfTestProgram.DONE);
    Report report = bench.report("report.json").balances();
    return report.is("programExitCode", Mode.WORK.exitCode());
  }

  private static String balance(Bench bench) throws IOException, InterruptedException {
    Report report = work(bench, "-f", "kernelbase!*File*", "-f", bench.functions());
    Report functions = report.get("functions").atLeast("patched", SYSTEM_FUNCTIONS);
    report.atLeast("entries", SelfTestProgram.THREADS * SelfTestProgram.OUTER);
    return "unwind self-test %s; %s functions, %s calls"
        .formatted(
            report.text("selfTest"),
            Numbers.count(functions.number("patched")),
            Numbers.count(report.number("entries")));
  }

  private static String flat(Bench bench) throws IOException, InterruptedException {
    String library = SelfTestImages.LIBRARY.replace(".dll", "!*");
    Report report = work(bench, "-f", bench.functions(), "-f", library);
    Running.Ended listed = bench.ntrail("calls", "calls.ntr", "--flat", "--format", "json");
    Report flat = bench.report("calls --flat", listed.exits(0).out()).balances();
    if (!flat.list("gaps").isEmpty()) {
      throw new StepFailed("no gaps", flat.list("gaps").size() + " gaps");
    }
    if (!report.text("selfTest").equals("passed")) {
      return "recording entries only";
    }
    known(flat);
    return Numbers.count(report.number("entries")) + " calls";
  }

  /** Measures what tracing costs: of a call and its return, and of reading the clock as often. */
  static String overhead(Bench bench) throws IOException, InterruptedException {
    Report report = work(bench, "-f", bench.name() + "!leaf");
    double call = report.real("callNanos");
    double clock = report.real("clockPairNanos");
    if (call <= 0 || clock <= 0) {
      throw new StepFailed("figures above 0", call + " and " + clock);
    }
    return "overhead %.1f ns per call; two clock reads alone take %.1f ns".formatted(call, clock);
  }

  private static String exitCode(Bench bench) throws IOException, InterruptedException {
    // The folder's path has spaces.
    String file = bench.folder().resolve("with space.ntr").toString();
    String program = bench.folder().resolve("two words " + bench.name() + ".exe").toString();
    String word = Mode.WORK.word();
    String functions = "two words " + bench.functions();
    bench
        .ntrail("trace", "-f", functions, "-o", file, "--", program, word)
        .exits(Mode.WORK.exitCode())
        .says(SelfTestProgram.DONE)
        .tells("the program ended with exit code " + Mode.WORK.exitCode());
    bench
        .ntrail("trace", "-f", functions, "--exit-code", "ntrail", "-o", file, "--", program, word)
        .exits(0)
        .says(SelfTestProgram.DONE);
    return "";
  }

  private static String withoutExtension(Bench bench) throws IOException, InterruptedException {
    String program = bench.word("two words " + bench.name());
    bench
        .ntrail("trace", "-f", "*!main", "-o", "calls.ntr", "--", program, Mode.NOTHING.word())
        .exits(Mode.NOTHING.exitCode());
    return program;
  }

  private static String children(Bench bench) throws IOException, InterruptedException {
    String child = SelfTestImages.CHILD;
    trace(bench, Mode.CHILDREN, "-f", child.replace(".exe", "!*")).says(SelfTestProgram.DONE);
    Report report = bench.report("report.json").balances();
    List<Report> processes = report.list("processes");
    List<Long> exits = processes.stream().map(one -> one.number("exitCode")).toList();
    List<Long> expected =
        List.of(
            (long) Mode.CHILDREN.exitCode(),
            (long) Mode.WORK.exitCode(),
            (long) Mode.NOTHING.exitCode());
    if (!exits.equals(expected) || !report.list("untracedChildren").isEmpty()) {
      throw new StepFailed(
          "three processes with exit codes " + expected + ", all traced",
          "exit codes " + exits + ", " + report.list("untracedChildren").size() + " not traced");
    }
    for (Report one : processes) {
      one.is("lateNanos", 0).atLeast("entries", 1).balances();
    }
    return "";
  }

  private static Running.Ended trace(Bench bench, Mode mode, String... more)
      throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(
            List.of("trace", "--children", "-f", bench.functions(), "--format", "json"));
    words.addAll(List.of("--report", "report.json", "-o", "calls.ntr"));
    words.addAll(List.of(more));
    words.addAll(List.of("--", bench.word(), mode.word()));
    return bench.ntrail(words.toArray(String[]::new)).exits(mode.exitCode());
  }

  private static String childX86(Bench bench) throws IOException, InterruptedException {
    String called = "kernel32!Sleep";
    if (trace(bench, Mode.CHILD_X86, "-f", called).out().contains(SelfTestProgram.NO_CHILD)) {
      throw new StepSkipped(Need.SYSTEM, "this system starts no programs for x86");
    }
    Report report = bench.report("report.json").balances();
    for (Report one : report.list("untracedChildren")) {
      if (one.text("reason").contains("does not run ntrail's 32-bit agent")) {
        throw new StepSkipped(Need.SYSTEM, "this system runs no programs for x86");
      }
    }
    report
        .named("processes", "program", SelfTestImages.X86)
        .is("exitCode", SelfTestImages.X86_EXIT_CODE)
        .is("lateNanos", 0)
        .atLeast("entries", 1)
        .balances();
    return "";
  }

  private static String redirected(Bench bench) throws IOException, InterruptedException {
    String text = "line of a file\r\n".repeat(LINES);
    Path in = bench.folder().resolve("in.txt");
    WorkFolder.write(in, text.getBytes(StandardCharsets.ISO_8859_1));
    Running.Ended ended =
        bench
            .redirected(
                in,
                "trace",
                "-f",
                "kernelbase!ReadFile",
                "-o",
                "calls.ntr",
                "--",
                bench.word(),
                Mode.COPY.word())
            .exits(0)
            .tells("calls entered");
    if (!ended.out().equals(text)) {
      throw new StepFailed(
          "an output of %d characters, those of the input".formatted(text.length()),
          "%d characters".formatted(ended.out().length()));
    }
    return Files.size(in) + " bytes";
  }

  private static String dotNet(Bench bench) throws IOException, InterruptedException {
    return powershell(bench, "1..3", "1\r\n2\r\n3", "-f", "ntdll!*");
  }

  /** Traces a command of powershell, which has to print something. */
  static String powershell(Bench bench, String command, String said, String... patterns)
      throws IOException, InterruptedException {
    if (!bench.isWindows()) {
      throw new StepSkipped(Need.WINDOWS, "powershell");
    }
    List<String> words = new ArrayList<>(List.of("trace", "-o", "calls.ntr"));
    words.addAll(List.of(patterns));
    words.addAll(List.of("--", "powershell", "-NoProfile", "-Command", command));
    Running.Ended ended = bench.ntrail(words.toArray(String[]::new)).exits(0).says(said);
    return ended.err().contains("recording entries only") ? "recording entries only" : "";
  }
}
