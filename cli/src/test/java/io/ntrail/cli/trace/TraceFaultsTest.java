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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults that are injected from outside while a program is traced: the program comes to what it
 * does untraced unless it is what was killed, and ntrail, its exit code and the recording say what
 * is missing.
 */
class TraceFaultsTest {
  private static final String TRACING = "tracing; Ctrl+C stops";

  /** Number of kills of each kind of process; -Dntrail.kills=N. */
  private static final int KILLS =
      Integer.getInteger("ntrail.kills", Boolean.getBoolean("ntrail.long") ? 80 : 2);

  /** -Dntrail.seed=N repeats the moments of a run that printed it. */
  private static final long SEED = Long.getLong("ntrail.seed", System.nanoTime() & 0xFFFF);

  private static final int MOST_MILLIS = 1500;

  @TempDir private Path folder;

  private static void signal(String name, long pid) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
    assertEquals(0, kill.waitFor());
  }

  /** Returns the processes of a program for Windows, by a name that no other one has. */
  private static List<ProcessHandle> processes(String name) {
    return ProcessHandle.allProcesses().filter(process -> isOf(process, name)).toList();
  }

  private static boolean isOf(ProcessHandle process, String name) {
    try {
      byte[] all = Files.readAllBytes(Path.of("/proc/" + process.pid() + "/cmdline"));
      String line = new String(all, StandardCharsets.ISO_8859_1).replace('\\', '/');
      // ntrail and what starts it have the name among their arguments.
      return line.contains(name) && !line.contains("io.ntrail.cli.Main") && !line.contains("watch");
    } catch (IOException e) {
      // It has ended.
      return false;
    }
  }

  /** Runs a program untraced. */
  private Wine.Outcome untraced(Path program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    return Wine.shared()
        .run(folder, new byte[0], Duration.ofMinutes(2), command.toArray(String[]::new));
  }

  private Wine.Outcome untracedHalves(Path program) throws IOException {
    Files.writeString(folder.resolve("there"), "");
    return untraced(program, "there");
  }

  /** Program of its own folder and name, traced as it is started. */
  private Spawned trace(Path own, String name, String... options) throws IOException {
    List<String> words =
        Cli.commandWithOwnAgent("trace", "-o", own.resolve("calls.ntr").toString());
    // What is left of an agent that was killed stays in the folder of the test.
    words.add(1, "-Djava.io.tmpdir=" + own);
    words.addAll(List.of(options));
    words.addAll(List.of("--", "./" + name, "goes-on"));
    return Spawned.start(own, "said", words);
  }

  private static JsonReader flat(Path file) {
    Cli.Result calls = Cli.run("calls", file, "--flat", "--format", "json");
    assertTrue(Set.of(0, 3).contains(calls.exit()), calls.err());
    CallBalance.check(calls.json());
    return calls.json();
  }

  @Test
  void whenTheProgramIsKilledItsCallsAreThereOrNothingBegan() throws Exception {
    Path built = Spawned.program("halves.c");
    System.out.println("programs: seed " + SEED);
    Random random = new Random(SEED);
    int begun = 0;
    for (int run = 0; run < KILLS; run++) {
      String what = "seed " + SEED + ", run " + run + ": ";
      Path own = Files.createDirectories(folder.resolve("program" + run));
      String name = "dies" + run + "-" + ProcessHandle.current().pid() + ".exe";
      Files.copy(built, own.resolve(name));
      try (Spawned ntrail = trace(own, name, "-f", "dies*!*", "--exit-code", "ntrail")) {
        Await.until(
            "there is a program", () -> !processes(name).isEmpty() || !ntrail.process().isAlive());
        // It lives until it is killed: before its first instruction, at it, or while it is traced.
        if (run % 2 == 0) {
          ntrail.awaitText(TRACING);
        }
        ntrail.process().waitFor(random.nextInt(MOST_MILLIS), TimeUnit.MILLISECONDS);
        processes(name).forEach(ProcessHandle::destroyForcibly);
        int exit = ntrail.end();
        String said = ntrail.said();
        Path file = own.resolve("calls.ntr");
        if (said.contains(TRACING)) {
          assertEquals(0, exit, what + said);
          JsonReader flat = flat(file);
          assertTrue(flat.get("entries").number() > 0, what + said);
          // None are, unless the machine has no time for ntrail.
          String lost = ", %,d records lost".formatted(flat.get("lost").number());
          String info = Cli.run("info", file).lines().getFirst();
          assertTrue(info.contains(lost), what + info);
          begun++;
        } else {
          assertEquals(1, exit, what + said);
          assertTrue(said.contains("ntrail: "), what + said);
          assertFalse(said.contains("complete"), what + said);
        }
      }
    }
    assertTrue(begun > 0);
    System.out.printf("%d programs killed, %d of them while traced%n", KILLS, begun);
  }

  @Test
  void whenTheAgentIsKilledTheProgramRunsOnOrDoesNotBegin() throws Exception {
    Path built = Spawned.program("halves.c");
    Wine.Outcome expected = untracedHalves(built);
    System.out.println("agents: seed " + SEED);
    Random random = new Random(SEED);
    int begun = 0;
    for (int run = 0; run < KILLS; run++) {
      String what = "seed " + SEED + ", run " + run + ": ";
      Path own = Files.createDirectories(folder.resolve("agent" + run));
      String name = "stays" + run + "-" + ProcessHandle.current().pid() + ".exe";
      Files.copy(built, own.resolve(name));
      List<String> watch =
          List.of(Wine.shared().loader().toString(), Spawned.program("watch.c").toString(), name);
      try (Spawned watcher = Spawned.start(own, "watched", watch);
          Spawned ntrail = trace(own, name, "-f", "stays*!*", "--threads", "64")) {
        watcher.awaitText("watching");
        if (run % 2 == 0) {
          ntrail.awaitText(TRACING);
        }
        ntrail.process().waitFor(random.nextInt(MOST_MILLIS), TimeUnit.MILLISECONDS);
        assertTrue(ntrail.process().isAlive(), what + ntrail.said());
        ntrail
            .process()
            .descendants()
            .filter(process -> isOf(process, "/ntrail-agent"))
            .forEach(ProcessHandle::destroyForcibly);
        int exit = ntrail.end();
        String said = ntrail.said();
        // Somebody tells it to go on: ntrail is not there any more.
        Files.createFile(own.resolve("goes-on"));
        watcher.awaitText("ended ");
        watcher.end();
        String code = watcher.said().replaceFirst("(?s).*ended (\\d+).*", "$1");
        assertEquals(1, exit, what + said);
        assertTrue(said.contains("agent"), what + said);
        if (said.contains(TRACING)) {
          assertEquals("" + expected.exitCode(), code, what + said);
          assertTrue(ntrail.said().contains(expected.text()), what + ntrail.said());
          assertTrue(flat(own.resolve("calls.ntr")).get("entries").number() > 0, what + said);
          begun++;
        }
      }
    }
    assertTrue(begun > 0);
    System.out.printf("%d agents killed, %d of them while they traced%n", KILLS, begun);
  }

  /** The program does all its work and ends while ntrail stands still. */
  private Spawned standing(Path own, String name, List<String> command, String last)
      throws Exception {
    Spawned ntrail = Spawned.start(own, "said", command);
    boolean isDone = false;
    try {
      ntrail.awaitText(TRACING);
      signal("STOP", ntrail.process().pid());
      Files.createFile(own.resolve("goes-on"));
      ntrail.awaitText(last);
      signal("CONT", ntrail.process().pid());
      isDone = true;
    } finally {
      if (!isDone) {
        processes(name).forEach(ProcessHandle::destroyForcibly);
        ntrail.close();
      }
    }
    return ntrail;
  }

  @Test
  void whatIsLostWhileNobodyReadsIsCountedAndTold() throws Exception {
    Path built = Spawned.program("halves.c");
    Wine.Outcome expected = untracedHalves(built);
    Path own = Files.createDirectories(folder.resolve("drain"));
    String name = "undrained-" + ProcessHandle.current().pid() + ".exe";
    Files.copy(built, own.resolve(name));
    Path file = own.resolve("calls.ntr");
    List<String> command =
        Cli.command("trace", "-f", "undrained*!*", "--buffers", "16", "--strict", "-o", "" + file);
    command.addAll(List.of("--exit-code", "ntrail", "--", "./" + name, "goes-on"));
    String report;
    try (Spawned ntrail = standing(own, name, command, lastLine(expected))) {
      assertEquals(3, ntrail.end(), ntrail.said());
      report = ntrail.said();
      assertTrue(report.contains(expected.text()), report);
    }
    JsonReader flat = flat(file);
    long lost = flat.get("lost").number();
    assertTrue(lost > 0, report);
    String told = "%,d records lost".formatted(lost);
    assertTrue(report.contains("%,d".formatted(lost)) && report.contains("lost"), report);
    assertTrue(Cli.run("info", file).lines().getFirst().contains(told), told);
    assertTrue(Cli.run("calls", file, "-n", "10").lines().getFirst().contains(told), told);
    System.out.println(told + " while nobody read");
  }

  /** Runs a command where the folder of files in memory has room for so many MiB. */
  private static List<String> withRoom(int megabytes, List<String> command) {
    String mount = "mount -t tmpfs -o size=%dm tmpfs /dev/shm && exec \"$@\"".formatted(megabytes);
    List<String> all = new ArrayList<>(List.of("unshare", "--map-root-user", "--mount"));
    all.addAll(List.of("sh", "-c", mount, "sh"));
    all.addAll(command);
    return all;
  }

  private boolean mayMount() throws Exception {
    try (Spawned probe = Spawned.start(folder, "probe", withRoom(1, List.of("true")))) {
      return probe.end() == 0;
    }
  }

  @Test
  void whenTheDiskFillsWhileBuffersGrowThatIsToldAndNothingIsLost() throws Exception {
    Path program = Spawned.program("million.c");
    assumeTrue(mayMount(), "this system lets nobody have a small disk");
    Wine.Outcome expected = untraced(program);
    Path file = folder.resolve("calls.ntr");
    List<String> command = Cli.command("trace", "-f", "million*!*", "-o", "" + file);
    command.addAll(List.of("--buffers", "64", "--buffer-memory", "256M", "--strict"));
    command.addAll(List.of("--", program.toString()));
    // Sixteen are left to others; the first four are there.
    Wine wine = Wine.apart("full");
    String report;
    try (Spawned ntrail = Spawned.start(wine, folder, "said", withRoom(21, command))) {
      assertEquals(expected.exitCode(), ntrail.end(), ntrail.said());
      report = ntrail.said();
    } finally {
      wine.end();
    }
    assertTrue(report.contains(expected.text()), report);
    assertTrue(report.contains("no more than 64 buffers: no room for 4194304 more bytes"), report);
    // As many as with room: see everything else about this program.
    assertTrue(flat(file).get("entries").number() > 1_000_000, report);
    assertTrue(Cli.run("info", file).lines().getFirst().contains("0 records lost"), report);
  }

  private static String lastLine(Wine.Outcome expected) {
    return expected.text().lines().toList().getLast();
  }

  @Test
  void aLibraryThatCameWhileNobodyPlannedIsTold() throws Exception {
    Path built = Spawned.program("loads.c");
    Path source = TestData.projectRoot().resolve("live/src/test/programs/library.c");
    Path library = WindowsCompiler.MINGW_C.build(List.of(source), "-O2", "-shared");
    Path own = Files.createDirectories(folder.resolve("late"));
    String name = "loads-" + ProcessHandle.current().pid() + ".exe";
    Files.copy(built, own.resolve(name));
    Files.copy(library, own.resolve("late.dll"));
    Path file = own.resolve("calls.ntr");
    List<String> command =
        Cli.command("trace", "-f", "*!begins", "-f", "late!*", "--strict", "-o", "" + file);
    command.addAll(List.of("--exit-code", "ntrail", "--", "./" + name));
    command.addAll(List.of("stay", "1", "1", "goes-on", "late.dll"));
    String report;
    try (Spawned ntrail = standing(own, name, command, "total ")) {
      assertEquals(3, ntrail.end(), ntrail.said());
      report = ntrail.said();
    }
    JsonReader untraced = flat(file).get("untraced");
    assertEquals(1, untraced.array().size(), untraced::toString);
    // Its name went with the program: then it is where the library was.
    String module = untraced.array().getFirst().get("module").text();
    assertTrue(module.endsWith("late.dll") || module.startsWith("0x"), module);
    assertTrue(report.contains(module + " was not traced from "), report);
    for (String words : List.of("info", "calls")) {
      Cli.Result result = Cli.run(words, file);
      String first = result.lines().getFirst();
      assertTrue(first.contains("1 module not traced for some time"), first);
      assertFalse(first.contains("complete"), first);
    }
    assertTrue(Cli.run("info", file).out().contains(module), module);
  }
}
