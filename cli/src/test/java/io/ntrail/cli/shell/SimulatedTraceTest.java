package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.trace.TraceCommand;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.simulation.SimulatedWindows;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A trace of a program that a simulated system runs, as the start cache is trained with: it must
 * come as far as the end of the program, or the cache learns less than it could.
 */
final class SimulatedTraceTest {
  @TempDir Path folder;

  @Test
  void theTraceIsSetUpAndEndsWithTheProgram() throws IOException {
    Path recording = folder.resolve("practice.ntr");
    String report = trace(true, "-o", recording.toString());
    assertTrue(report.contains("patched 1 of 1 matching functions"), report);
    assertFalse(report.contains("self-test failed"), report);
    assertTrue(report.contains("wrote " + recording), report);
    assertTrue(Files.size(recording) > 0);
  }

  @Test
  void librariesThatAreLoadedLaterAreTracedWhetherTheyWereFoundBeforeOrNot() throws IOException {
    Path recording = folder.resolve("practice.ntr");
    String report =
        trace(true, "-f", SimulatedWindows.LATER, "-o", recording.toString(), "--strict");
    assertTrue(report.contains("loading of 2 libraries took longer"), report);
    assertTrue(report.contains("functions traced                  3"), report);
  }

  @Test
  void aFunctionThatCouldNotBePatchedIsListedWithItsReason() throws IOException {
    // Nothing runs there that could write the jump.
    String report = trace(false, "-o", folder.resolve("practice.ntr").toString(), "--why");
    assertTrue(report.contains("kernel32!CreateFileW  no      "), report);
  }

  private String trace(boolean answering, String... options) throws IOException {
    SimulatedWindows windows = new SimulatedWindows(folder, answering);
    AgentHost host = windows.host();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Commands.Entry trace = new Commands.Entry("trace", "", false, () -> new TraceCommand(host));
    List<String> words = new ArrayList<>(List.of("trace", "-f", SimulatedWindows.FUNCTION));
    words.addAll(List.of(options));
    words.addAll(List.of("--", windows.program().toString()));
    int code;
    try (Terminal terminal = Terminal.of(out, err)) {
      code = CommandRunner.run(trace, words.toArray(String[]::new), terminal);
    }
    String report = err.toString(StandardCharsets.UTF_8);
    assertEquals(0, code, report);
    return report;
  }
}
