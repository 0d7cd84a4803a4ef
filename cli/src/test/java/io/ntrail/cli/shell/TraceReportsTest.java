package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The reports of traces fit their schema, whatever the options; a simulated system runs them. */
final class TraceReportsTest {
  @TempDir private Path folder;

  static List<String> calls() {
    return List.of(
        "trace -f kernel32!CreateFileW",
        "trace -f kernel32!* --exclude kernel32!CreateFileW",
        "trace -f kernel32!CreateFileW --plan",
        "trace -f kernel32!CreateFileW --plan --why",
        "trace -f kernel32!CreateFileW --why",
        "trace -f kernel32!CreateFileW --no-stop",
        "trace -f kernel32!CreateFileW -y .",
        "trace -f kernel32!CreateFileW --args 2",
        "trace -f kernel32!CreateFileW --threads 9",
        "trace -f kernel32!CreateFileW --buffers 99",
        "trace -f kernel32!CreateFileW --buffer-memory 64M",
        "trace -f kernel32!CreateFileW --when-full drop",
        "trace -f kernel32!CreateFileW --when-full wait",
        "trace -f kernel32!CreateFileW --summary",
        "trace -f kernel32!CreateFileW --summary=counts",
        "trace -f kernel32!CreateFileW --throttle 100",
        "trace -f kernel32!CreateFileW --stacks 10",
        "trace -f kernel32!CreateFileW --max-size 1M",
        "trace -f kernel32!CreateFileW --ring 1M",
        "trace -f kernel32!CreateFileW --children");
  }

  @ParameterizedTest
  @MethodSource("calls")
  void theReportFitsItsSchema(String call) throws IOException {
    SimulatedWindows windows = new SimulatedWindows(folder, true);
    AgentHost host = windows.host();
    Commands.Entry trace = new Commands.Entry("trace", "", false, () -> new TraceCommand(host));
    Path report = folder.resolve("report.json");
    List<String> words = new ArrayList<>(List.of(call.split(" ", -1)));
    words.replaceAll(word -> word.equals(".") ? folder.toString() : word);
    words.addAll(List.of("-o", folder.resolve("practice.ntr").toString()));
    words.addAll(List.of("--report", report.toString(), "--format", "json", "-q"));
    words.addAll(List.of("--", windows.program().toString()));
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code;
    try (Terminal terminal = Terminal.of(new ByteArrayOutputStream(), err)) {
      code = CommandRunner.run(trace, words.toArray(String[]::new), terminal);
    }
    assertEquals(0, code, err.toString(StandardCharsets.UTF_8));
    JsonReader json = JsonReader.parse(Files.readString(report));
    assertEquals(List.of(), JsonSchema.named("trace").strictFindings(json));
  }
}
