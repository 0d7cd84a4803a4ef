package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.CallBalance;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Spawned;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs that are killed at random moments while they are traced, by a task manager or by the
 * system under Wine: ntrail ends as it does when they end by themselves, and leaves nothing behind.
 *
 * <p>-Dntrail.kills=N: number of kills of each machine's programs. -Dntrail.seed=N: the moments of
 * a run that printed it.
 */
class TargetKilledTest {
  private static final int KILLS =
      Integer.getInteger("ntrail.kills", Boolean.getBoolean("ntrail.long") ? 100 : 1);

  private static final long SEED = Long.getLong("ntrail.seed", System.nanoTime() & 0xFFFF);

  private static final int MOST_MILLIS = 1000;
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final String SERVICES = "C:\\windows\\system32\\";
  private static final String TRACING = "tracing; Ctrl+C stops";

  /** Variable that tells processes of this test from all others. */
  private static final String MARK = "NTRAIL_TARGET_KILLED";

  /** Exit code that the task manager gives; a shell sees its low 8 bits. */
  private static final int CODE = 0xC0DE_0037;

  /** Options of traces, in turn: one for every four kills, so that each meets all ways. */
  private static final List<List<String>> OPTIONS =
      List.of(
          List.of("-f", "*!*", "--threads", "8", "--args", "12"),
          List.of("-f", "killed*!*"),
          List.of("-f", "killed*!*", "-f", "kernelbase!*", "--args", "4", "--when-full", "wait"),
          List.of("-f", "killed*!*", "-f", "ntdll!*", "--buffers", "512"),
          List.of("-f", "killed*!*", "--ring", "1M"),
          List.of("-f", "killed*!*", "--throttle", "1000"),
          List.of("-f", "killed*!*", "--children"),
          List.of("-f", "killed*!*", "--summary"));

  @TempDir private Path folder;

  private final Random random = new Random(SEED);
  private final Map<String, Integer> counts = new TreeMap<>();

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /**
   * Course of a round.
   *
   * @param number from 0 on
   * @param attached whether the program runs before
   * @param signalled whether the system kills it, else a task manager does
   * @param early whether it may die before it is traced
   */
  private record Round(int number, boolean attached, boolean signalled, boolean early) {
    String program() {
      return "killed" + number + ".exe";
    }

    List<String> options() {
      return OPTIONS.get(number / 4 % OPTIONS.size());
    }
  }

  private static Path build(int bits, String source) throws IOException {
    WindowsCompiler compiler = bits == 64 ? WindowsCompiler.MINGW_C : WindowsCompiler.MINGW_C_32;
    assumeTrue(compiler.available(), compiler.missing());
    Path programs = TestData.projectRoot().resolve("live/src/test/programs");
    return compiler.build(List.of(programs.resolve(source)), "-O2");
  }

  private static Wine wine(int bits) {
    if (bits == 64) {
      assumeTrue(Wine.available(), Wine.missing());
      return Wine.shared();
    }
    assumeTrue(Wine.available32(), Wine.missing32());
    return Wine.shared32();
  }

  private static List<String> marked(String mark, List<String> command) {
    List<String> words = new ArrayList<>(List.of("env", MARK + "=" + mark));
    words.addAll(command);
    return words;
  }

  /**
   * Lists processes that began with a variable: one that was started, and all that it started, but
   * for services of Wine, which the first program of a prefix starts.
   */
  private static List<ProcessHandle> marked(String mark) {
    String wanted = '\0' + MARK + '=' + mark + '\0';
    return ProcessHandle.allProcesses()
        .filter(process ->
            read(process, "environ").filter(e -> ('\0' + e).contains(wanted)).isPresent())
        .filter(
            process -> read(process, "cmdline").filter(line -> line.startsWith(SERVICES)).isEmpty())
        .toList();
  }

  private static List<Optional<String>> lines(String mark) {
    return marked(mark).stream().map(process -> read(process, "cmdline")).toList();
  }

  /** Reads what the system says of a process; empty if it has ended. */
  private static Optional<String> read(ProcessHandle process, String file) {
    try {
      Path path = Path.of("/proc/" + process.pid(), file);
      return Optional.of(Files.readString(path, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Finds a program by its name as Wine tells it to the system; empty if it is not there. */
  private static Optional<ProcessHandle> program(String mark, String name) {
    return marked(mark).stream()
        .filter(process -> read(process, "comm").filter(n -> n.strip().equals(name)).isPresent())
        .findFirst();
  }

  /** Kills the program of a round when it is time. */
  private void kill(Wine wine, Path own, Path ends, Round round, Spawned ntrail) throws Exception {
    int millis = random.nextInt(MOST_MILLIS);
    if (!round.early) {
      Await.until(
          "it traces", () -> ntrail.said().contains(TRACING) || !ntrail.process().isAlive());
      assertTrue(ntrail.said().contains(TRACING), ntrail.said());
    }
    if (round.signalled) {
      String mark = own.toString();
      Await.until("it runs", () -> program(mark, round.program()).isPresent());
      Thread.sleep(millis);
      program(mark, round.program()).orElseThrow().destroyForcibly();
    } else {
      List<String> words =
          List.of(
              wine.loader().toString(),
              ends.toString(),
              round.program(),
              "" + millis,
              Integer.toHexString(CODE));
      try (Spawned manager = Spawned.start(wine, own, "manager", words)) {
        assertTrue(
            manager.process().waitFor(100, TimeUnit.SECONDS), () -> "not found: " + said(ntrail));
        assertEquals(0, manager.end(), manager.said());
      }
    }
  }

  private static String said(Spawned process) {
    try {
      return process.said();
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Names of sessions that a process has mapped, as long as they have a name. */
  private static Set<Path> sessions(Spawned process) {
    Set<Path> names = new HashSet<>();
    read(process.process().toHandle(), "maps")
        .ifPresent(maps ->
            maps.lines()
                .filter(line -> line.endsWith(".session"))
                .forEach(line -> names.add(Path.of(line.substring(line.indexOf('/'))))));
    return names;
  }

  private static List<Path> names(Path place) throws IOException {
    try (Stream<Path> files = Files.list(place)) {
      return files.toList();
    }
  }

  /** Checks that a recording is whole, and its sums: in all, and of each function. */
  private static void check(Path file, String what) {
    Cli.Result info = Cli.run("info", file);
    assertTrue(Set.of(0, 3).contains(info.exit()), what + info.err());
    assertFalse(info.out().contains("never finalised"), what + info.out());
    Cli.Result calls = Cli.run("calls", file, "--flat", "--format", "json");
    assertEquals(info.exit(), calls.exit(), what + calls.err());
    JsonReader flat = calls.json();
    CallBalance.check(flat);
    flat.get("functions").array().forEach(CallBalance::check);
  }

  private void round(int bits, Round round) throws Exception {
    Wine wine = wine(bits);
    Path own = Files.createDirectory(folder.resolve("round" + bits + "-" + round.number));
    Path temporary = Files.createDirectory(own.resolve("temporary"));
    Path file = own.resolve("calls.ntr");
    Files.copy(build(bits, "halves.c"), own.resolve(round.program()));
    Path ends = build(bits, "ends.c");
    String mark = own.toString();
    List<String> words = Cli.commandWithOwnAgent("trace");
    words.add(1, "-Djava.io.tmpdir=" + temporary);
    words.addAll(round.options());
    words.addAll(List.of("-o", file.toString()));
    words.addAll(
        round.attached
            ? List.of("-p", round.program())
            : List.of("--", "./" + round.program(), "never"));
    List<String> before = List.of(wine.loader().toString(), round.program(), "never");
    Optional<Spawned> running = Optional.empty();
    Set<Path> sessions = new HashSet<>();
    try {
      if (round.attached) {
        running = Optional.of(Spawned.start(wine, own, "output", marked(mark, before)));
        Await.until("it runs", () -> program(mark, round.program()).isPresent());
      }
      try (Spawned ntrail = Spawned.start(wine, own, "said", marked(mark, words))) {
        kill(wine, own, ends, round, ntrail);
        while (!ntrail.process().waitFor(1, TimeUnit.MILLISECONDS)) {
          sessions.addAll(sessions(ntrail));
        }
        String said = ntrail.said();
        String what = "seed " + SEED + ", " + bits + " bits, " + round + ": " + said;
        assertFalse(said.contains("at io.ntrail.") || said.contains("Exception"), what);
        if (said.contains(TRACING)) {
          // Under Wine, what a signal ended has ended with 0.
          int code = round.signalled ? 0 : CODE;
          assertEquals(round.attached ? 0 : code & 0xFF, ntrail.process().exitValue(), what);
          assertEquals(
              !round.signalled, said.contains("the program ended with exit code 0xc0de0037"), what);
          assertFalse(said.contains("the program continues"), what);
          assertEquals(
              round.attached || !round.signalled,
              said.contains("the program ended with exit code "),
              what);
          assertTrue(said.contains("wrote " + file), what);
          check(file, what);
          count("while it was traced");
        } else {
          assertTrue(round.early, what);
          assertEquals(1, ntrail.process().exitValue(), what);
          assertFalse(Files.exists(file), what);
          count("before: " + said.strip().lines().reduce("", (_, last) -> last));
        }
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!marked(mark).isEmpty()) {
          assertTrue(System.nanoTime() < end, () -> lines(mark) + " runs on; " + what);
          Thread.sleep(10);
        }
        assertEquals(List.of(), names(temporary), what);
        assertEquals(List.of(), sessions.stream().filter(Files::exists).toList(), what);
      }
    } finally {
      running.ifPresent(Spawned::close);
      marked(mark).forEach(ProcessHandle::destroyForcibly);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void programsMayBeKilledAtAnyMoment(int bits) throws Exception {
    System.out.println(bits + " bits: seed " + SEED);
    for (int number = 0; number < KILLS; number++) {
      boolean attached = number % 2 == 1;
      boolean signalled = (number / 2 + number) % 2 == 1;
      round(bits, new Round(number, attached, signalled, random.nextInt(4) == 0));
    }
    System.out.println(bits + " bits, killed: " + counts);
  }
}
