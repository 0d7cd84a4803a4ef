package io.ntrail.cli.selftest;

import io.ntrail.cli.selftest.StepSkipped.Need;
import io.ntrail.live.selftest.SelfTestProgram;
import io.ntrail.live.selftest.SelfTestProgram.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Steps about programs that run already. */
final class AttachSteps {
  private static final String ATTACH = "Attach and detach";
  private static final String TRACING = "tracing; Ctrl+C";
  private static final int TIMES = 3;
  private static final long WORKS_MILLIS = 300;
  private static final long LIMIT = 64 << 10;

  private AttachSteps() {}

  static List<Step> all() {
    return List.of(
        Step.of(ATTACH, "attaching and detaching three times", AttachSteps::attach),
        Step.person(
            ATTACH,
            "a program with windows stays smooth",
            Need.PERSON,
            "one who looks",
            "ntrail trace -p charmap -f \"user32!*\" -o e.ntr, then move its window, then Ctrl+C"),
        Step.of(ATTACH, "-i --no-stop changes what is traced", AttachSteps::interactive),
        Step.of(ATTACH, "--max-size, and the program ends meanwhile", AttachSteps::maxSize),
        Step.of(ATTACH, "--ring keeps the last part", AttachSteps::ring),
        Step.of(ATTACH, "ntrail is killed, the program continues", AttachSteps::killed),
        Step.of(ATTACH, "two processes of one name are refused", AttachSteps::twoOfOneName),
        Step.person(
            ATTACH,
            "Ctrl+C ends the traced program and ntrail (130)",
            Need.PERSON,
            "one who presses Ctrl+C",
            "ntrail trace -f \"ntdll!*\" -- ping -t localhost, then Ctrl+C"));
  }

  private static Running start(Bench bench, String file, String... more) throws IOException {
    List<String> words = new ArrayList<>(List.of("trace", "-i", "-p", bench.name(), "-o", file));
    words.addAll(List.of(more));
    return bench.startNtrail(words.toArray(String[]::new));
  }

  private static Running.Ended stop(Running ntrail) throws IOException, InterruptedException {
    ntrail.type("stop");
    return ntrail.end().exits(0);
  }

  private static Report flat(Bench bench, String file) throws IOException, InterruptedException {
    Running.Ended listed = bench.ntrail("calls", file, "--flat", "--format", "json").exits(0);
    return bench.report("calls " + file, listed.out());
  }

  private static String attach(Bench bench) throws IOException, InterruptedException {
    Running program = bench.waiting();
    String freed = "";
    for (int i = 1; i <= TIMES; i++) {
      Running ntrail = start(bench, "calls" + i + ".ntr", "-f", bench.functions());
      ntrail.awaitText(TRACING, 1);
      bench.moment(WORKS_MILLIS);
      Running.Ended ended = stop(ntrail).tells("restored ").tells("the program continues");
      freed = ended.err().contains("all tracing memory freed") ? "all memory freed" : "memory left";
    }
    bench.stop(program);
    flat(bench, "calls" + TIMES + ".ntr").balances().atLeast("entries", 1);
    return freed + " the last time";
  }

  private static String interactive(Bench bench) throws IOException, InterruptedException {
    Running program = bench.waiting();
    Running ntrail =
        start(bench, "calls.ntr", "--no-stop", "-f", bench.name() + "!leaf").awaitText(TRACING, 1);
    bench.moment(WORKS_MILLIS);
    ntrail.type("-f " + bench.name() + "!handler");
    ntrail.awaitText(" traced now: ", 1);
    ntrail.type("--exclude " + bench.name() + "!leaf");
    ntrail.awaitText(" traced now: ", 2);
    bench.moment(WORKS_MILLIS);
    stop(ntrail);
    bench.stop(program);
    Report flat = flat(bench, "calls.ntr").balances();
    flat.named("functions", "function", "!leaf").atLeast("entries", 1);
    flat.named("functions", "function", "!handler").atLeast("entries", 1);
    return "";
  }

  private static String maxSize(Bench bench) throws IOException, InterruptedException {
    Running program = bench.waiting();
    Running ntrail =
        start(bench, "calls.ntr", "-f", bench.functions(), "--max-size", "" + LIMIT)
            .awaitText(TRACING, 1);
    bench.moment(WORKS_MILLIS);
    bench.stop(program);
    ntrail.end().exits(0).tells("the program ended with exit code " + Mode.WAIT.exitCode());
    long size = Files.size(bench.folder().resolve("calls.ntr"));
    if (size > 2 * LIMIT) {
      throw new StepFailed("a recording of about " + LIMIT + " bytes", size + " bytes");
    }
    return size + " bytes";
  }

  private static String ring(Bench bench) throws IOException, InterruptedException {
    bench
        .ntrail(
            "trace",
            "-f",
            bench.functions(),
            "--ring",
            "1M",
            "-o",
            "calls.ntr",
            "--",
            bench.word(),
            Mode.WORK.word())
        .exits(Mode.WORK.exitCode());
    flat(bench, "calls.ntr").balances().atLeast("entries", SelfTestProgram.OUTER);
    return "";
  }

  private static String killed(Bench bench) throws IOException, InterruptedException {
    Running program = bench.waiting();
    // What a killed process leaves is no fault of a clean end.
    Path temporary = bench.work().folder("killed");
    Running ntrail =
        bench
            .startNtrail(
                temporary,
                List.of("trace", "-p", bench.name(), "-f", bench.functions(), "-o", "a.ntr"))
            .awaitText(TRACING, 1);
    ntrail.process().destroyForcibly();
    ntrail.end();
    bench.moment(WORKS_MILLIS);
    Running again = start(bench, "b.ntr", "-f", bench.functions()).awaitText(TRACING, 1);
    bench.moment(WORKS_MILLIS);
    stop(again);
    bench.stop(program);
    flat(bench, "b.ntr").balances().atLeast("entries", 1);
    List<String> left = WorkFolder.names(temporary);
    return left.isEmpty() ? "" : "the killed one left " + left;
  }

  private static String twoOfOneName(Bench bench) throws IOException, InterruptedException {
    Running first = bench.waiting();
    bench.waiting();
    bench
        .ntrail("trace", "-p", bench.name(), "-f", "*!*", "-o", "calls.ntr")
        .exits(1)
        .tells("2 processes are named " + bench.name())
        .tells("try: ");
    bench.stop(first);
    return "";
  }
}
