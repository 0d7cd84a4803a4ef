package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.Main;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.text.Interruption;
import io.ntrail.cli.text.Terminal;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.TestData;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl+C: what is ready is printed, with how far it came, and the exit code is 130. */
class InterruptionTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");
  private static final Pattern SAID =
      Pattern.compile(
          "ntrail: stopped at (\\d+) % \\(\\S+ \\S+ of \\S+ \\S+, \\S+ \\S+ of \\S+ \\S+ read\\);"
              + " the answer covers that part only");

  @TempDir private Path folder;

  /** Runs a command that Ctrl+C interrupts when the first part of its answer is written. */
  private static Cli.Result interrupted(Object... words) {
    String[] args = List.of(words).stream().map(String::valueOf).toArray(String[]::new);
    Terminal[] terminal = new Terminal[1];
    ByteArrayOutputStream out =
        new ByteArrayOutputStream() {
          @Override
          public synchronized void write(byte[] bytes, int from, int length) {
            if (size() == 0) {
              assertTrue(terminal[0].interruption().interrupt(), "nothing can be stopped");
            }
            super.write(bytes, from, length);
          }
        };
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    terminal[0] = Terminal.of(out, err);
    int exit = Main.run(args, terminal[0]);
    return new Cli.Result(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aListThatIsStoppedIsTheBeginningOfTheWholeList() {
    List<String> whole = Cli.run("events", SAMPLE, "--format", "jsonl").lines();
    Cli.Result stopped = interrupted("events", SAMPLE, "--format", "jsonl");
    assertEquals(whole.subList(0, stopped.lines().size()), stopped.lines());
    assertTrue(stopped.lines().size() < whole.size());
    Matcher said = SAID.matcher(stopped.err().strip());
    assertTrue(said.matches(), stopped.err());
    int percent = Integer.parseInt(said.group(1));
    assertEquals(100.0 * stopped.lines().size() / whole.size(), percent, 10);
  }

  @Test
  void theJsonOfAStoppedListIsWholeAndTellsWhatIsMissing() {
    Cli.Result stopped = interrupted("events", SAMPLE, "--format", "json");
    JsonReader gap = stopped.json().get("gaps").array().getFirst();
    assertEquals("reading was stopped", gap.get("why").text());
    assertTrue(gap.get("bytes").number() > 0);
  }

  @Test
  void whatIsNotUnderWayCannotBeStopped() {
    Terminal terminal = Terminal.of(new ByteArrayOutputStream(), new ByteArrayOutputStream());
    Interruption interruption = terminal.interruption();
    int[] asked = {0};
    assertTrue(!interruption.interrupt());
    interruption.begin(() -> asked[0]++);
    assertTrue(interruption.interrupt());
    interruption.end();
    assertTrue(!interruption.interrupt());
    assertEquals(1, asked[0]);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aSignalEndsTheProcessAfterItsAnswer() throws Exception {
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.addAll(Cli.command("events", SAMPLE.toString(), "--format", "jsonl"));
    Path err = folder.resolve("err");
    Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
    // A pipe holds 64 KiB: until more of the answer is taken out, the process waits in its middle.
    try (BufferedReader answer = process.inputReader()) {
      List<String> lines = new ArrayList<>(List.of(answer.readLine()));
      assertEquals(
          0, new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor());
      Await.until("it has heard of the signal", () -> hasThread(process, "interruption"));
      answer.lines().forEach(lines::add);
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
      assertEquals(130, process.exitValue(), Files.readString(err));
      assertTrue(SAID.matcher(Files.readString(err).strip()).matches(), Files.readString(err));
      assertTrue(lines.size() < 22_503 && lines.getLast().endsWith("}"), lines.getLast());
    } finally {
      process.destroyForcibly();
    }
  }

  private static boolean hasThread(Process process, String name) throws IOException {
    try (var tasks = Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/task"))) {
      for (Path task : tasks) {
        if (Files.readString(task.resolve("comm")).strip().startsWith(name)) {
          return true;
        }
      }
      return false;
    }
  }
}
