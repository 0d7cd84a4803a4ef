package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that {@code ntrail trace -p} cannot trace: messages and exit codes. */
class TraceRefusedTest {
  private static final long SECONDS = 120;

  @TempDir private Path folder;

  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(Process::destroyForcibly);
  }

  private record Outcome(int exit, String said) {}

  /** Starts a program with its output in a file: a suspended program would keep a pipe open. */
  private Process start(String out, List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(out).toFile());
    builder.environment().putAll(Wine.shared().environment());
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private String said(String out) throws IOException {
    return Files.readString(folder.resolve(out), StandardCharsets.ISO_8859_1);
  }

  private static int exit(Process process) throws InterruptedException {
    assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "it does not end");
    return process.exitValue();
  }

  private Outcome trace(String... more) throws Exception {
    assumeTrue(Wine.available(), Wine.missing());
    List<String> words = new ArrayList<>(List.of("trace", "-f", "*!waiting", "-o", "calls.ntr"));
    words.addAll(List.of(more));
    int exit = exit(start("said", Cli.command(words.toArray(String[]::new))));
    return new Outcome(exit, said("said"));
  }

  /** Starts a program that takes something, and waits until a file is there. */
  private Process scarce(String name, String mode, String out) throws Exception {
    assumeTrue(Wine.available(), Wine.missing());
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path source = TestData.projectRoot().resolve("live/src/test/programs/scarce.c");
    Path program = folder.resolve(name);
    if (!Files.exists(program)) {
      Files.copy(WindowsCompiler.MINGW_C.build(List.of(source), "-O2"), program);
    }
    Process process =
        start(out, List.of(Wine.shared().loader().toString(), program.toString(), mode, "go"));
    Await.until(
        name + " is ready",
        () -> {
          assertTrue(process.isAlive(), "it ended");
          return said(out).contains("ready");
        });
    return process;
  }

  private void goesOn(Process process) throws Exception {
    if (!Files.exists(folder.resolve("go"))) {
      Files.createFile(folder.resolve("go"));
    }
    assertEquals(42, exit(process));
  }

  private static void says(Outcome outcome, int exit, String what, String next) {
    assertEquals(exit, outcome.exit, outcome.said);
    assertTrue(outcome.said.contains("ntrail: " + what), outcome.said);
    assertTrue(outcome.said.contains("\ntry: " + next), outcome.said);
  }

  @Test
  void aProgramThatIsNotThere() throws Exception {
    says(trace("-p", "nobody"), 1, "no process named nobody", "one of these: ");
  }

  @Test
  void severalProgramsOfOneName() throws Exception {
    Process first = scarce("refused-two.exe", "nothing", "first");
    Process second = scarce("refused-two.exe", "nothing", "second");
    says(
        trace("-p", "refused-two"),
        1,
        "2 processes are named refused-two: refused-two.exe (",
        "-p ");
    goesOn(first);
    goesOn(second);
  }

  @Test
  void aProgramThatUsesAllSlotsOfTheThreadBlock() throws Exception {
    Process process = scarce("refused-slots.exe", "slots", "out");
    says(trace("-p", "refused-slots"), 1, "no free TLS slots below 64", "start the program");
    goesOn(process);
    assertEquals("ready\r\nslots, next slot 64\r\n", said("out"));
  }

  @Test
  void aProgramWithoutFreeMemoryNearItsCode() throws Exception {
    Process process = scarce("refused-near.exe", "near", "out");
    says(trace("-p", "refused-near"), 1, "no free memory within 2 GiB", "start the program");
    goesOn(process);
  }

  @Test
  void aTraceThatDoesNotBeginLeavesTheOldRecording() throws Exception {
    Path old = Files.writeString(folder.resolve("calls.ntr"), "old");
    Process process = scarce("refused-old.exe", "near", "out");
    says(trace("-p", "refused-old"), 1, "no free memory within 2 GiB", "start the program");
    goesOn(process);
    assertEquals("old", Files.readString(old));
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.filter(file -> file.toString().endsWith(".part")).toList());
    }
  }

  @Test
  void theTracedProgramIsNotOverwrittenByItsRecording() throws Exception {
    Process process = scarce("refused-self.exe", "nothing", "out");
    byte[] before = Files.readAllBytes(folder.resolve("refused-self.exe"));
    says(
        trace("-p", "refused-self", "-o", "refused-self.exe"),
        2,
        "cannot write refused-self.exe: the same command reads it",
        "-o another.file");
    goesOn(process);
    assertArrayEquals(before, Files.readAllBytes(folder.resolve("refused-self.exe")));
  }

  @Test
  void whatThisSystemCannotDoHasAnExitCodeOfItsOwn() throws Exception {
    assumeTrue(!System.getProperty("os.name").startsWith("Windows"), "this is Windows");
    says(trace("--on", "local", "-p", "any"), 4, "not a Windows machine", "--on wine");
  }
}
