package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Spawned;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ntrail trace --children}: its report of each process, and the contents of its recording.
 */
class ChildProcessReportTest {
  @TempDir private Path folder;

  /** A shell that starts a program, which starts itself, between other things. */
  private List<String> command(Path program) {
    return List.of("cmd", "/c", "echo one& " + program.getFileName() + " chain 1& exit 6");
  }

  private String traced(Path program, String format) throws Exception {
    List<String> words =
        new ArrayList<>(
            Cli.command(
                "trace",
                "--children",
                "-f",
                "family*!stepped",
                "-f",
                "family*!begins",
                "-o",
                folder.resolve("calls.ntr").toString(),
                "--format",
                format,
                "--report",
                folder.resolve("report").toString(),
                "--"));
    words.addAll(command(program));
    // The shell finds the program where it stands.
    Spawned process =
        Spawned.start(program.resolveSibling(""), folder.resolve("said").toString(), words);
    try {
      assertEquals(6, process.end(), process.said());
      return process.said();
    } finally {
      process.close();
    }
  }

  private static long number(JsonReader json, String name) {
    return json.get(name).number();
  }

  @Test
  void eachProcessIsReportedWithItsOwnCounts() throws Exception {
    Path program = Spawned.program("family.c");
    String said = traced(program, "json");
    assertEquals("one\r\nlast\r\nchain 1: 20\r\n", said);
    JsonReader report = JsonReader.parse(Files.readString(folder.resolve("report")));
    assertEquals(List.of(), JsonSchema.named("trace").findings(report));
    List<JsonReader> processes = report.get("processes").array();
    assertEquals(
        List.of(6L, 21L, 20L), processes.stream().map(one -> number(one, "exitCode")).toList());
    assertEquals(
        List.of(0L, 1L, 2L), processes.stream().map(one -> number(one, "entries")).toList());
    assertEquals(number(processes.get(0), "pid"), number(processes.get(1), "parent"));
    assertEquals(number(processes.get(1), "pid"), number(processes.get(2), "parent"));
    assertEquals(List.of(), report.get("untracedChildren").array());
    assertEquals(3, number(report, "entries"));
    assertEquals(3, number(report, "exits"));
  }

  @Test
  void callsAreListedByProcess() throws Exception {
    Path program = Spawned.program("family.c");
    traced(program, "text");
    String report = Files.readString(folder.resolve("report"));
    assertTrue(report.contains("cmd.exe") && report.contains("exit code"), report);
    Path recording = folder.resolve("calls.ntr");
    Cli.Result calls = Cli.run("calls", recording);
    assertEquals(0, calls.exit(), calls.err());
    assertEquals(2, calls.out().split("\"main\"", -1).length - 1, calls.out());
    Cli.Result info = Cli.run("info", recording);
    // Nothing was selected in the shell.
    assertTrue(info.out().contains("2 threads in 2 processes"), info.out());
  }
}
