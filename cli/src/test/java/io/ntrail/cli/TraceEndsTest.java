package io.ntrail.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.ForeignTool;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How traces end before their program does. */
class TraceEndsTest {
  private static final long SECONDS = 120;
  private static final String TRACING = "tracing, Ctrl+C stops";

  /** It gives a program a terminal; part of every Debian. */
  private static final ForeignTool SCRIPT = ForeignTool.of("script", "script");

  private static final ForeignTool FIFO = ForeignTool.of("mkfifo", "mkfifo");

  @TempDir private Path folder;

  private static Path program(String source) throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path file = TestData.projectRoot().resolve("live/src/test/programs").resolve(source);
    return WindowsCompiler.MINGW_C.build(List.of(file), "-O2");
  }

  /** What it says goes into a file: the system's own programs would keep a pipe open. */
  private Process start(List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("said").toFile());
    builder.environment().putAll(Wine.shared().environment());
    return builder.start();
  }

  private String said() throws IOException {
    return Files.readString(folder.resolve("said"), StandardCharsets.ISO_8859_1);
  }

  /** Waits until a process has said something. */
  private void awaitText(Process process, String text) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!said().contains(text)) {
      if (System.nanoTime() > end || !process.isAlive() && !said().contains(text)) {
        throw new AssertionError("it did not say \"" + text + "\": " + said());
      }
      Thread.sleep(20);
    }
  }

  private int end(Process process) throws Exception {
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("it did not end: " + said());
    }
    return process.exitValue();
  }

  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private static void awaitFile(Path file) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!Files.exists(file)) {
      assertTrue(System.nanoTime() < end, () -> "no " + file);
      Thread.sleep(20);
    }
  }

  /**
   * Presses Ctrl+C in a terminal where a program is being traced.
   *
   * @param after what the shell does when ntrail has ended, which it tells as {@code status=N}
   */
  private Json interrupt(String after, String... arguments) throws Exception {
    assumeTrue(SCRIPT.available(), SCRIPT.missing());
    Path program = program("interrupted.c");
    List<String> command =
        Cli.command("trace", "-f", "*!working", "-o", "calls.ntr", "--", program.toString());
    command.addAll(List.of(arguments));
    String line = command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    Process process =
        start(
            List.of(
                SCRIPT.path(),
                "-qec",
                "trap : INT; " + line + "; echo status=$?; " + after,
                "/dev/null"));
    try {
      awaitText(process, TRACING);
      process.getOutputStream().write(3);
      process.getOutputStream().flush();
      awaitText(process, "status=130");
      Files.createFile(folder.resolve("goes-on"));
      if (arguments.length > 0) {
        awaitFile(folder.resolve("end"));
        assertTrue(said().contains("restored 1 functions; the program goes on"), said());
      }
      end(process);
    } finally {
      kill(process);
    }
    Cli.Result flat = Cli.run("calls", folder.resolve("calls.ntr"), "--flat", "--format", "json");
    assertEquals(0, flat.exit(), flat.err());
    assertEquals("", flat.err(), "it is complete");
    assertTrue(flat.json().get("entries").number() > 0, flat.out());
    return flat.json();
  }

  @Test
  void programWithAHandlerOfCtrlCGoesOnUntraced() throws Exception {
    Json flat =
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
  void whenTheFileCannotBeWrittenTheCodeIsPutBack() throws Exception {
    assumeTrue(FIFO.available(), FIFO.missing());
    Path program = program("waits.c");
    Path fifo = folder.resolve("calls.fifo");
    assertEquals(0, new ProcessBuilder(FIFO.path(), fifo.toString()).start().waitFor());
    Process process =
        start(
            Cli.command(
                "trace",
                "-f",
                "*!waiting",
                "-o",
                fifo.toString(),
                "--",
                program.toString(),
                "goes-on"));
    ByteArrayOutputStream recording = new ByteArrayOutputStream();
    try {
      // Whoever reads the recording goes away in the middle.
      try (InputStream in = Files.newInputStream(fifo)) {
        while (recording.size() < 1500) {
          recording.write(in.read());
        }
      }
      assertEquals(3, end(process), said());
      assertTrue(said().contains("restored 1 functions; the program goes on"), said());
      assertTrue(said().contains("the file could not be written: Broken pipe"), said());
    } finally {
      Files.createFile(folder.resolve("goes-on"));
      kill(process);
    }
    Path file = Files.write(folder.resolve("calls.ntr"), recording.toByteArray());
    Cli.Result flat = Cli.run("calls", file, "--flat", "--format", "json");
    assertTrue(flat.json().get("entries").number() > 0, flat.out() + flat.err());
  }

  @Test
  void fileThatCannotBeBegunIsAFailureAndTheProgramDoesNotRun() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "there is no /dev/full");
    Path program = program("waits.c");
    Files.createFile(folder.resolve("goes-on"));
    Process process =
        start(
            Cli.command(
                "trace",
                "-f",
                "*!waiting",
                "-o",
                "/dev/full",
                "--",
                program.toString(),
                "goes-on"));
    try {
      assertEquals(1, end(process), said());
    } finally {
      kill(process);
    }
    String said = said();
    assertTrue(said.contains("/dev/full could not be written: No space left"), said);
    assertTrue(!said.contains("waited"), "it ran: " + said);
  }
}
