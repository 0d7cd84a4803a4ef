package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Spawned;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.wine.Wine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces that end before their program does. */
class TraceEndsTest {
  private static final String TRACING = "tracing; Ctrl+C stops";

  /** It gives a program a terminal; part of every Debian. */
  private static final ExternalTool SCRIPT = ExternalTool.of("script", "script");

  private static final ExternalTool FIFO = ExternalTool.of("mkfifo", "mkfifo");

  private static final Pattern STATUS = Pattern.compile("status=\\d+\\s");

  @TempDir private Path folder;

  /** Traces a program that waits until a file is there. */
  private static List<String> waiting(String recording, Path program, String file) {
    return Cli.commandWithOwnAgent(
        "trace", "-f", "*!waiting", "-o", recording, "--", program.toString(), file);
  }

  private Spawned start(List<String> command) throws IOException {
    return Spawned.start(folder, "said", command);
  }

  /**
   * Presses Ctrl+C in a terminal where a program is being traced.
   *
   * @param after what the shell does when ntrail has ended, which it prints as {@code status=N}
   */
  private JsonReader interrupt(String after, String... arguments) throws Exception {
    assumeTrue(SCRIPT.available(), SCRIPT.missing());
    Path program = Spawned.program("interrupted.c");
    List<String> command =
        Cli.command("trace", "-f", "*!working", "-o", "calls.ntr", "--", program.toString());
    command.addAll(List.of(arguments));
    String line = command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    Spawned process =
        start(
            List.of(
                SCRIPT.path(),
                "-qec",
                "trap : INT; " + line + "; echo status=$?; " + after,
                "/dev/null"));
    try {
      process.awaitText(TRACING);
      process.process().getOutputStream().write(3);
      process.process().getOutputStream().flush();
      // A program that has no handler may have ended before ntrail hears of Ctrl+C.
      boolean endsToo = arguments.length == 0;
      process.awaitText("status=");
      Await.until("the number", () -> STATUS.matcher(process.said()).find());
      assertTrue(
          process.said().contains("status=130") || endsToo && process.said().contains("status=0"),
          process.said());
      Files.createFile(folder.resolve("goes-on"));
      if (arguments.length > 0) {
        Await.until("it ends", () -> Files.exists(folder.resolve("end")));
        assertTrue(
            process.said().contains("restored 1 function; the program continues"), process.said());
      }
      process.end();
    } finally {
      process.close();
    }
    Cli.Result flat = Cli.run("calls", folder.resolve("calls.ntr"), "--flat", "--format", "json");
    assertEquals(0, flat.exit(), flat.err());
    assertEquals("", flat.err(), "it is complete");
    assertTrue(flat.json().get("entries").number() > 0, flat.out());
    return flat.json();
  }

  @Test
  void programWithAHandlerOfCtrlCContinuesUntraced() throws Exception {
    JsonReader flat =
        interrupt(
            "n=0; while [ ! -e end ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n+1)); done",
            "goes-on",
            "end");
    // The call that was on its way returned past its slot.
    assertEquals(
        flat.get("entries").number(), flat.get("exits").number() + flat.get("open").number());
    assertTrue(Files.exists(folder.resolve("end")));
  }

  @Test
  void programWithoutAHandlerOfCtrlCEndsAndItsRecordingIsWhole() throws Exception {
    interrupt("true");
  }

  @Test
  void anIgnoredCtrlCIsIgnoredAndTheReportSaysHowToStop() throws Exception {
    Path program = Spawned.program("waits.c");
    Spawned process =
        Spawned.startWithoutInterrupt(folder, "said", waiting("calls.ntr", program, "goes-on"));
    try {
      process.awaitText("tracing; Ctrl+C is ignored here, kill " + process.process().pid());
      signal("INT", process);
      Path file = folder.resolve("calls.ntr");
      long before = Files.size(file);
      Await.until("it records on", () -> Files.size(file) > before);
      signal("TERM", process);
      assertEquals(143, process.end(), process.said());
      assertTrue(
          process.said().contains("restored 1 function; the program continues"), process.said());
    } finally {
      Files.createFile(folder.resolve("goes-on"));
      process.close();
    }
    assertEquals(0, Cli.run("calls", folder.resolve("calls.ntr"), "--flat").exit());
  }

  @Test
  void aTraceLeavesNoTemporaryFileHoweverItEnds() throws Exception {
    Path program = Spawned.program("waits.c");
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    for (String signal : List.of("INT", "TERM", "KILL")) {
      List<String> command = new ArrayList<>(waiting("calls.ntr", program, "goes-on" + signal));
      command.add(1, "-Djava.io.tmpdir=" + temporary);
      try (Spawned process = Spawned.start(folder, "said" + signal, command)) {
        process.awaitText(TRACING);
        assertTrue(
            !sessions(process).isEmpty()
                && sessions(process).stream().allMatch(line -> line.endsWith("(deleted)")),
            () -> "its session has a name");
        signal(signal, process);
        process.end();
        assertEquals(List.of(), names(temporary), signal);
      } finally {
        Files.createFile(folder.resolve("goes-on" + signal));
      }
    }
  }

  private static List<String> names(Path place) throws IOException {
    try (Stream<Path> files = Files.list(place)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Returns the sessions that a process has mapped, as the system lists them. */
  private static List<String> sessions(Spawned process) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + process.process().pid() + "/maps")).stream()
        .filter(line -> line.contains(".session"))
        .toList();
  }

  private static void signal(String name, Spawned process) throws Exception {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.process().pid())).start();
    assertEquals(0, kill.waitFor());
  }

  @Test
  void whenTheFileCannotBeWrittenTheCodeIsPutBack() throws Exception {
    assumeTrue(FIFO.available(), FIFO.missing());
    Path program = Spawned.program("waits.c");
    Path fifo = folder.resolve("calls.fifo");
    assertEquals(0, new ProcessBuilder(FIFO.path(), fifo.toString()).start().waitFor());
    Spawned process = start(waiting(fifo.toString(), program, "goes-on"));
    ByteArrayOutputStream recording = new ByteArrayOutputStream();
    try {
      // Whoever reads the recording goes away in the middle.
      try (InputStream in = Files.newInputStream(fifo)) {
        while (recording.size() < 1500) {
          recording.write(in.read());
        }
      }
      assertEquals(3, process.end(), process.said());
      assertTrue(
          process.said().contains("restored 1 function; the program continues"), process.said());
      assertTrue(
          process.said().contains("the file could not be written: Broken pipe"), process.said());
    } finally {
      Files.createFile(folder.resolve("goes-on"));
      process.close();
    }
    Path file = Files.write(folder.resolve("calls.ntr"), recording.toByteArray());
    Cli.Result flat = Cli.run("calls", file, "--flat", "--format", "json");
    assertTrue(flat.json().get("entries").number() > 0, flat.out() + flat.err());
  }

  @Test
  void fileThatCannotBeBegunIsAFailureAndTheProgramDoesNotRun() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "there is no /dev/full");
    Path program = Spawned.program("waits.c");
    Files.createFile(folder.resolve("goes-on"));
    Spawned process = start(waiting("/dev/full", program, "goes-on"));
    try {
      assertEquals(1, process.end(), process.said());
    } finally {
      process.close();
    }
    String said = process.said();
    assertTrue(said.contains("/dev/full could not be written: No space left"), said);
    assertTrue(!said.contains("waited"), "it ran: " + said);
  }

  /** A program that runs until a file is there, in a folder of its own, by a name of its own. */
  private Spawned running(Path built, String name) throws Exception {
    Path program = Files.copy(built, folder.resolve(name));
    String loader = Wine.shared().loader().toString();
    List<String> watch = List.of(loader, Spawned.program("watch.c").toString(), name);
    Spawned running =
        Spawned.start(folder, "output", List.of(loader, program.toString(), "goes-on"));
    try (Spawned watcher = Spawned.start(folder, "watched", watch)) {
      watcher.awaitText("watching");
    }
    return running;
  }

  @Test
  void whenTheDiskIsFullTheCodeIsPutBackAndWhatWasWrittenCanBeRead() throws Exception {
    Path built = Spawned.program("halves.c");
    Files.createFile(folder.resolve("there"));
    Wine.Outcome expected =
        Wine.shared().run(folder, new byte[0], Duration.ofMinutes(1), built.toString(), "there");
    Path file = folder.resolve("calls.ntr");
    List<String> command =
        Cli.command("trace", "-p", "full.exe", "-f", "full!*", "--buffers", "16", "-o", "" + file);
    String line = command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    try (Spawned program = running(built, "full.exe");
        // No file may have more than two megabytes.
        Spawned ntrail = start(List.of("bash", "-c", "ulimit -f 2048; exec " + line))) {
      assertEquals(3, ntrail.end(), ntrail.said());
      assertTrue(ntrail.said().contains("the program continues"), ntrail.said());
      assertTrue(
          ntrail.said().contains("the file could not be written: File too large"), ntrail.said());
      Files.createFile(folder.resolve("goes-on"));
      assertEquals(expected.exitCode(), program.end(), program.said());
      assertEquals(expected.text(), program.said());
    }
    Cli.Result flat = Cli.run("calls", file, "--flat", "--format", "json");
    assertEquals(3, flat.exit(), flat.err());
    assertTrue(flat.json().get("entries").number() > 10_000, flat.out() + flat.err());
    assertEquals(Set.of(3), Set.of(Cli.run("info", file).exit()));
  }

  @Test
  void whenTheProgramIsKilledItsRecordingIsWhole() throws Exception {
    Path file = folder.resolve("calls.ntr");
    try (Spawned program = running(Spawned.program("halves.c"), "dies.exe");
        Spawned ntrail =
            start(Cli.command("trace", "-p", "dies.exe", "-f", "dies!*", "-o", "" + file))) {
      ntrail.awaitText(TRACING);
      Await.until("a megabyte", () -> Files.exists(file) && Files.size(file) > 1 << 20);
      program.process().destroyForcibly();
      assertEquals(0, ntrail.end(), ntrail.said());
    }
    Cli.Result flat = Cli.run("calls", file, "--flat", "--format", "json");
    assertEquals(0, flat.exit(), flat.err());
    assertTrue(flat.json().get("entries").number() > 10_000, flat.out());
  }
}
