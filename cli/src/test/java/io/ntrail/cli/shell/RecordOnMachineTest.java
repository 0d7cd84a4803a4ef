package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.record.RecordCommand;
import io.ntrail.cli.record.RecordMachine;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ntrail record} with the Windows that a library under Wine plays. Wine says that it is
 * Windows 7, which has the one session of the kernel.
 */
class RecordOnMachineTest {
  private static final String START = "record start --kernel cpu --stacks Profile --etl ";

  @TempDir private Path folder;

  private record Result(int exit, String out, String err) {}

  private static String windows(Path file) {
    return "Z:" + file.toAbsolutePath().normalize().toString().replace('/', '\\');
  }

  private Result run(String line) throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path source =
        TestData.projectRoot().resolve("live/src/test/resources/io/ntrail/live/etw/standin.c");
    Path library =
        WindowsCompiler.MINGW_C.build(List.of(source), "-shared", "-O1", "-Wl,--kill-at");
    Map<String, String> environment = new HashMap<>(Wine.shared().environment());
    environment.put("NTRAIL_STANDIN", windows(folder.resolve("sessions")));
    RecordMachine machine =
        new RecordMachine(
            Optional.of(new AgentHost.Wine(Wine.shared().loader(), environment)),
            windows(library),
            Path::of);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Commands.Entry record =
        new Commands.Entry("record", "", false, () -> new RecordCommand(machine));
    int exit;
    try (Terminal terminal = Terminal.of(out, err)) {
      exit = CommandRunner.run(record, line.split(" ", -1), terminal);
    }
    return new Result(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  private CannotGoOn refused(String line) {
    return assertThrows(CannotGoOn.class, () -> run(line));
  }

  private void json(String line) throws IOException {
    Result result = run(line + " --format json");
    assertEquals(0, result.exit(), result.err());
    JsonReader json = JsonReader.parse(result.out());
    assertEquals(List.of(), JsonSchema.named("record").strictFindings(json));
  }

  @Test
  void aRecordingIsStartedWatchedAndStopped() throws IOException {
    Result started = run(START + "C:\\rec\\shop.etl");
    assertEquals(0, started.exit(), started.err());
    assertTrue(
        started.out().startsWith("recording to C:\\rec\\shop.etl: session NT Kernel Logger, "));
    assertTrue(started.out().contains("stop with: ntrail record stop\n"), started.out());
    Files.writeString(folder.resolve("sessions.fail"), "lost-events 17\nlost-buffers 3\n");
    Result status = run("record status");
    String row = status.out().lines().skip(1).findFirst().orElse("").strip();
    assertEquals(
        "NT Kernel Logger kernel 17 3 5 of 64 62 C:\\rec\\shop.etl", row.replaceAll(" +", " "));
    Result stopped = run("record stop");
    assertTrue(
        stopped.out().contains("wrote C:\\rec\\shop.etl: 17 events and 3 buffers lost"),
        stopped.out());
    assertEquals("no session runs\n", run("record list").out());
    CannotGoOn again = refused("record stop");
    assertEquals("ntrail record list", again.nextStep());
    assertFalse(Files.exists(folder.resolve("sessions.why")));
  }

  @Test
  void aSessionInTheWayIsNamedAndReplacedWithTakeOver() throws IOException {
    json(START + "C:\\a.etl");
    String message = refused(START + "C:\\b.etl").message();
    assertTrue(message.contains("\"NT Kernel Logger\", recording to C:\\a.etl"), message);
    Result taken = run(START + "C:\\b.etl --take-over");
    assertTrue(taken.out().contains("stopped for it: NT Kernel Logger (C:\\a.etl)"), taken.out());
    json(START + "C:\\c.etl --take-over");
    for (String word : List.of("status", "list", "stop")) {
      json("record " + word);
    }
  }

  @Test
  void missingRightsAreNotPossible() throws IOException {
    Files.writeString(folder.resolve("sessions.fail"), "StartTraceW 5\n");
    CannotGoOn refused = refused(START + "C:\\a.etl");
    assertEquals(CannotGoOn.Reason.NOT_POSSIBLE, refused.reason());
    assertTrue(
        refused.message().contains("administrator rights (StartTrace: 5, ERROR_ACCESS_DENIED)"),
        refused.message());
  }
}
