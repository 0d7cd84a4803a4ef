package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Spawned;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs whose ntrail is killed, so that it cannot put anything back. */
class TraceKilledTest {
  private static final ExternalTool FIFO = ExternalTool.of("mkfifo", "mkfifo");

  /** Name of the file that the program waits for. */
  private static final String GOES_ON = "goes-on";

  @TempDir private Path folder;

  /** When ntrail is killed. */
  private interface Moment {
    void await(Spawned ntrail) throws Exception;
  }

  /**
   * Kills ntrail while it traces, and waits for the end of the program.
   *
   * @param name the program gets it, so that it can be distinguished from others
   * @return the program's exit code, and all that it and ntrail said
   */
  private Wine.Outcome killed(String name, Path program, List<String> options, Moment moment)
      throws Exception {
    Files.copy(program, folder.resolve(name));
    List<String> command = Cli.commandWithOwnAgent("trace", "-f", name.replace(".exe", "!*"));
    // Files that cannot be deleted any more stay in the folder of the test.
    command.add(1, "-Djava.io.tmpdir=" + folder);
    command.addAll(options);
    command.addAll(List.of("--", "./" + name, GOES_ON));
    List<String> watch =
        List.of(Wine.shared().loader().toString(), Spawned.program("watch.c").toString(), name);
    try (Spawned watcher = Spawned.start(folder, "watched", watch);
        Spawned ntrail = Spawned.start(folder, "said", command)) {
      List<ProcessHandle> helpers = new ArrayList<>();
      try {
        watcher.awaitText("watching");
        moment.await(ntrail);
        ntrail.process().descendants().forEach(helpers::add);
        assertTrue(ntrail.process().isAlive(), "it is over: " + ntrail.said());
        ntrail.process().destroyForcibly();
        // SIGKILL.
        assertEquals(128 + 9, ntrail.end());
        if (!Files.exists(folder.resolve(GOES_ON))) {
          Files.createFile(folder.resolve(GOES_ON));
        }
        watcher.awaitText("ended ");
        watcher.end();
        String code = watcher.said().replaceFirst("(?s).*ended (\\d+).*", "$1");
        return new Wine.Outcome(Integer.parseUnsignedInt(code), ntrail.said(), "");
      } finally {
        helpers.forEach(ProcessHandle::destroyForcibly);
      }
    }
  }

  /** Runs a program untraced. */
  private Wine.Outcome untraced(Path program) throws IOException {
    return untraced(Wine.shared(), program);
  }

  private Wine.Outcome untraced(Wine wine, Path program) throws IOException {
    Path there = Files.createFile(folder.resolve("there"));
    return wine.run(
        folder,
        new byte[0],
        Duration.ofMinutes(1),
        program.toString(),
        there.getFileName().toString());
  }

  private static Wine wine(int bits) {
    if (bits == 64) {
      assumeTrue(Wine.available(), Wine.missing());
      return Wine.shared();
    }
    assumeTrue(Wine.available32(), Wine.missing32());
    return Wine.shared32();
  }

  /** Builds one of the programs that are traced. */
  private static Path program(int bits, String source) throws IOException {
    if (bits == 64) {
      return Spawned.program(source);
    }
    assumeTrue(WindowsCompiler.MINGW_C_32.available(), WindowsCompiler.MINGW_C_32.missing());
    Path file = TestData.projectRoot().resolve("live/src/test/programs").resolve(source);
    return WindowsCompiler.MINGW_C_32.build(List.of(file), "-O2");
  }

  /** Reads a file that is left: up to where it ends, and marked as never finalised. */
  private JsonReader readable(Path file) {
    Cli.Result info = Cli.run("info", file);
    assertTrue(Set.of(0, 3).contains(info.exit()), info.err());
    assertTrue(info.lines().getFirst().contains("never finalised"), info.out());
    Cli.Result tree = Cli.run("calls", file);
    assertTrue(Set.of(0, 3).contains(tree.exit()), tree.err());
    assertTrue(tree.lines().getFirst().contains("never finalised"), tree.out());
    JsonReader flat = Cli.run("calls", file, "--flat", "--format", "json").json();
    assertEquals(true, flat.get("neverFinalised").value());
    return flat;
  }

  @Test
  void programThatWasNotResumedYetEnds() throws Exception {
    assumeTrue(FIFO.available(), FIFO.missing());
    Path program = Spawned.program("waits.c");
    Path fifo = folder.resolve("calls.fifo");
    assertEquals(0, new ProcessBuilder(FIFO.path(), fifo.toString()).start().waitFor());
    // It would run to its end at once.
    Files.createFile(folder.resolve(GOES_ON));
    // ntrail reports why functions are skipped, and then waits for a reader of the recording.
    Wine.Outcome outcome =
        killed(
            "unborn.exe",
            program,
            List.of("--why", "-o", fifo.toString()),
            ntrail -> ntrail.awaitText("why not"));
    assertNotEquals(42, outcome.exitCode());
    assertFalse(outcome.text().contains("waited"), outcome.text());
    assertFalse(outcome.text().contains("tracing"), outcome.text());
  }

  @Test
  void programThatWasJustResumedRunsToItsEnd() throws Exception {
    Path program = Spawned.program("halves.c");
    Wine.Outcome expected = untraced(program);
    Path file = folder.resolve("calls.ntr");
    Wine.Outcome outcome =
        killed(
            "young.exe",
            program,
            List.of("-o", file.toString()),
            ntrail -> ntrail.awaitText("tracing; Ctrl+C stops"));
    assertEquals(43, expected.exitCode());
    assertEquals(expected.exitCode(), outcome.exitCode(), outcome.text());
    assertTrue(outcome.text().endsWith(expected.text()), outcome.text());
    readable(file);
  }

  @Test
  void programInTheMiddleRunsToItsEndUnrecorded() throws Exception {
    Path program = Spawned.program("halves.c");
    Wine.Outcome expected = untraced(program);
    Path file = folder.resolve("calls.ntr");
    // More threads come than there are areas, and more records than there is room for.
    Wine.Outcome outcome =
        killed(
            "halves.exe",
            program,
            List.of("--threads", "8", "--buffers", "32", "-o", file.toString()),
            _ -> Await.until("a megabyte", () -> Files.exists(file) && Files.size(file) > 1 << 20));
    assertEquals(expected.exitCode(), outcome.exitCode(), outcome.text());
    assertTrue(outcome.text().endsWith(expected.text()), outcome.text());
    JsonReader flat = readable(file);
    assertTrue(flat.get("entries").number() > 10_000, "entries: " + flat.get("entries").number());
  }

  /** Number of kills of each kind of target; -Dntrail.kills=N. */
  private static final int KILLS =
      Integer.getInteger("ntrail.kills", Boolean.getBoolean("ntrail.long") ? 80 : 1);

  /** -Dntrail.seed=N repeats the moments of a run that printed it. */
  private static final long SEED = Long.getLong("ntrail.seed", System.nanoTime() & 0xFFFF);

  private static final int MOST_MILLIS = 1500;

  /** Patterns to trace, in turn. */
  private static final List<List<String>> TRACED =
      List.of(
          List.of("-f", "killed!*"),
          List.of("-f", "killed!*", "-f", "kernelbase!*", "--args", "4"),
          List.of("-f", "killed!*", "-f", "ntdll!*", "-f", "ucrtbase!*", "--buffers", "2048"),
          List.of("-f", "*!*", "--threads", "8", "--args", "12"));

  private static List<String> words(int run, String... more) {
    List<String> words = Cli.commandWithOwnAgent("trace");
    words.addAll(TRACED.get(run % TRACED.size()));
    words.addAll(List.of(more));
    return words;
  }

  /**
   * Kills ntrail at a moment while it makes everything ready, traces or ends, and lets the program
   * end before or after.
   *
   * @param isFirst whether the program may end only when ntrail is killed, which is there then
   * @param ended exit code of an ntrail that was not killed
   * @return whether ntrail was there to be killed
   */
  private static boolean kill(
      Spawned ntrail, Path goesOn, Random random, boolean isFirst, int ended) throws Exception {
    if (random.nextInt(4) > 0) {
      Await.until(
          "it traces",
          () -> ntrail.said().contains("tracing; Ctrl+C stops") || !ntrail.process().isAlive());
    }
    if (!isFirst) {
      ntrail.process().waitFor(random.nextInt(MOST_MILLIS), TimeUnit.MILLISECONDS);
      Files.createFile(goesOn);
    }
    ntrail.process().waitFor(random.nextInt(MOST_MILLIS), TimeUnit.MILLISECONDS);
    boolean there = ntrail.process().isAlive();
    assertTrue(there || !isFirst, ntrail.said());
    ntrail.process().destroyForcibly();
    // SIGKILL, if it was not just ending; 1, if the program was gone before it was found.
    Set<Integer> exits =
        ntrail.said().contains("tracing; Ctrl+C stops")
            ? Set.of(ended, 128 + 9)
            : Set.of(ended, 1, 128 + 9);
    assertTrue(exits.contains(ntrail.end()), ntrail.said());
    if (!Files.exists(goesOn)) {
      Files.createFile(goesOn);
    }
    return there;
  }

  /** Returns whether there is something to read: all that was written can be. */
  private static boolean readableIfThere(Path file) throws IOException {
    if (!Files.exists(file) || Files.size(file) == 0) {
      return false;
    }
    // All calls are read, but millions of lines are not kept.
    for (String[] words : new String[][] {{"info"}, {"calls", "-n", "1000"}, {"calls", "--flat"}}) {
      List<Object> all = new ArrayList<>(List.of((Object[]) words));
      all.add(file);
      Cli.Result result = Cli.run(all.toArray());
      assertTrue(Set.of(0, 3).contains(result.exit()), result.err());
    }
    return true;
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void programsThatRanBeforeComeToTheSameWheneverNtrailIsKilled(int bits) throws Exception {
    Wine wine = wine(bits);
    Path built = program(bits, "halves.c");
    Wine.Outcome expected = untraced(wine, built);
    System.out.println(bits + " bits, attached: seed " + SEED);
    Random random = new Random(SEED);
    int killed = 0;
    int begun = 0;
    for (int run = 0; run < KILLS; run++) {
      String what = "seed " + SEED + ", run " + run + ": ";
      Path own = Files.createDirectories(folder.resolve("before" + run));
      Files.copy(built, own.resolve("killed.exe"));
      String loader = wine.loader().toString();
      Path file = own.resolve("calls.ntr");
      List<String> watch = List.of(loader, program(bits, "watch.c").toString(), "killed.exe");
      try (Spawned program =
              Spawned.start(wine, own, "output", List.of(loader, "killed.exe", GOES_ON));
          Spawned watcher = Spawned.start(wine, own, "watched", watch)) {
        watcher.awaitText("watching");
        try (Spawned ntrail =
            Spawned.start(wine, own, "said", words(run, "-p", "killed", "-o", file.toString()))) {
          killed += kill(ntrail, own.resolve(GOES_ON), random, run % 2 == 0, 0) ? 1 : 0;
          assertEquals(expected.exitCode(), program.end(), what + ntrail.said());
          assertEquals(expected.text(), program.said(), what + ntrail.said());
          begun += readableIfThere(file) ? 1 : 0;
        }
      }
    }
    System.out.printf(
        "%d bits, attached: ntrail killed %d times, %d recordings begun%n", bits, killed, begun);
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void programsThatWereStartedComeToTheSameWheneverNtrailIsKilledOrDoNotBegin(int bits)
      throws Exception {
    Wine wine = wine(bits);
    Path built = program(bits, "halves.c");
    Wine.Outcome expected = untraced(wine, built);
    System.out.println(bits + " bits, started: seed " + SEED);
    Random random = new Random(SEED);
    int killed = 0;
    int begun = 0;
    int unborn = 0;
    for (int run = 0; run < KILLS; run++) {
      String what = "seed " + SEED + ", run " + run + ": ";
      Path own = Files.createDirectories(folder.resolve("started" + run));
      Files.copy(built, own.resolve("killed.exe"));
      Path file = own.resolve("calls.ntr");
      List<String> watch =
          List.of(wine.loader().toString(), program(bits, "watch.c").toString(), "killed.exe");
      try (Spawned watcher = Spawned.start(wine, own, "watched", watch);
          Spawned ntrail =
              Spawned.start(
                  wine,
                  own,
                  "said",
                  words(run, "-o", file.toString(), "--", "./killed.exe", GOES_ON))) {
        watcher.awaitText("watching");
        killed +=
            kill(ntrail, own.resolve(GOES_ON), random, run % 2 == 0, expected.exitCode()) ? 1 : 0;
        watcher.awaitText("ended ");
        watcher.end();
        String code = watcher.said().replaceFirst("(?s).*ended (\\d+).*", "$1");
        if (code.equals("" + expected.exitCode())) {
          assertTrue(ntrail.said().contains(expected.text()), what + ntrail.said());
        } else {
          // It was not resumed yet.
          assertFalse(ntrail.said().contains("tracing; Ctrl+C stops"), what + ntrail.said());
          assertFalse(ntrail.said().contains("0 "), what + ntrail.said());
          unborn++;
        }
        begun += readableIfThere(file) ? 1 : 0;
      }
    }
    System.out.printf(
        "%d bits, started: ntrail killed %d times, %d recordings begun, %d did not begin%n",
        bits, killed, begun, unborn);
  }
}
