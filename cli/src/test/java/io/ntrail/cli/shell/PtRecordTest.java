package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Spawned;
import io.ntrail.cli.pt.PtCommand;
import io.ntrail.cli.pt.driver.DriverMachine;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.ipt.IptDriver.Libraries;
import io.ntrail.live.windows.WindowsVersion;
import io.ntrail.testkit.Await;
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
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ntrail pt record} with the driver that a library under Wine plays. */
class PtRecordTest {
  @TempDir private Path folder;

  private record Result(int exit, String out, String err) {}

  private static String windows(Path file) {
    return "Z:" + file.toAbsolutePath().normalize().toString().replace('/', '\\');
  }

  private static String library() throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path source =
        TestData.projectRoot().resolve("live/src/test/resources/io/ntrail/live/ipt/driver.c");
    return windows(
        WindowsCompiler.MINGW_C.build(List.of(source), "-shared", "-O1", "-Wl,--kill-at"));
  }

  private DriverMachine machine() throws IOException {
    String library = library();
    Map<String, String> environment = new HashMap<>(Wine.shared().environment());
    environment.put("NTRAIL_STANDIN", windows(folder.resolve("ipt")));
    return new DriverMachine(
        Optional.of(new AgentHost.Wine(Wine.shared().loader(), environment)),
        new Libraries(library, library),
        Optional.of(new WindowsVersion(10, 0, 19045, "", 0, 1, "")));
  }

  private Result run(String line) throws IOException {
    return run(line, _ -> {});
  }

  private Result run(String line, Consumer<Terminal> heard) throws IOException {
    DriverMachine machine = machine();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Commands.Entry pt = new Commands.Entry("pt", "", false, () -> new PtCommand(machine));
    int exit;
    try (Terminal terminal = Terminal.of(out, err)) {
      heard.accept(terminal);
      exit = CommandRunner.run(pt, line.split(" ", -1), terminal);
    }
    return new Result(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  private List<String> lines(String ending) throws IOException {
    Path file = folder.resolve("ipt." + ending);
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  private void tell(String lines) throws IOException {
    Files.writeString(folder.resolve("ipt.fail"), lines);
  }

  @Test
  void ringsOfARunningProgramAreWrittenAndCanBeDecoded() throws IOException {
    Path file = folder.resolve("a.bin");
    Result done =
        run(
            "pt record -p services --for 100ms --timing cyc --cyc 2 --buffer 16K"
                + " --filter 0x140001000-0x140001fff --stop-at 0x140003000-0x140003fff -o "
                + file);
    assertEquals(0, done.exit(), done.err());
    assertTrue(done.out().startsWith("traced services.exe ("), done.out());
    assertTrue(
        done.out()
            .contains("user code, any program, MTC every 8 ticks, CYC threshold 2, ring of 16 KiB"),
        done.out());
    assertTrue(
        done.out().contains("wrote " + file + ": 2 threads, rings of 32 KiB in all"), done.out());
    assertTrue(done.out().contains("--full -o code.dmp"), done.out());
    List<String> calls = lines("calls");
    assertEquals(List.of("service", "start 22321"), calls.subList(0, 2));
    // Each of its threads gets both ranges.
    List<String> ranges = calls.subList(2, calls.size() - 2);
    assertTrue(ranges.size() >= 2, calls.toString());
    for (int i = 0; i < ranges.size(); i++) {
      boolean isStop = i % 2 != 0;
      assertEquals(
          isStop ? "range 1 2 140003000 140003fff" : "range 0 1 140001000 140001fff",
          ranges.get(i));
    }
    assertEquals(List.of("read 32832", "stop"), calls.subList(calls.size() - 2, calls.size()));
    Cli.Result packets = Cli.run("pt", "packets", file, "-t", "4320", "--count");
    assertEquals(0, packets.exit(), packets.err());
    assertTrue(packets.out().contains("PSBEND"), packets.out());
    JsonReader json =
        JsonReader.parse(
            run("pt record -p services --for 50ms --timing none -o " + file + " --format json")
                .out());
    assertEquals(List.of(), JsonSchema.named("write").strictFindings(json));
    assertTrue(lines("calls").contains("start 40001"), lines("calls").toString());
    assertEquals(List.of(), lines("why"));
    refusals(file);
  }

  private void refusals(Path file) throws IOException {
    String start = "pt record -p services --for 50ms -o " + file;
    tell("invalid 1\n");
    Result doubted = run(start);
    assertEquals(3, doubted.exit(), doubted.out());
    assertTrue(doubted.err().contains("the driver has marked it as not valid"), doubted.err());
    long before = Files.size(file);
    tell("2 1450\n");
    String told = assertThrows(CannotGoOn.class, () -> run(start)).message();
    assertTrue(told.startsWith("the trace cannot be read (GetProcessTrace: 1450"), told);
    // The trace is ended all the same, and the file of before stays.
    assertEquals("stop", lines("calls").getLast());
    assertEquals(before, Files.size(file));
    tell("5 170\n");
    String busy = assertThrows(CannotGoOn.class, () -> run(start)).message();
    assertTrue(busy.startsWith("ipt.sys refuses (StartProcessTrace: 170"), busy);
    tell("StartServiceW 31\n");
    String none = assertThrows(CannotGoOn.class, () -> run(start)).message();
    assertTrue(none.contains("needs a processor of Intel with Processor Trace"), none);
    tell("");
    String nobody = start.replace("services", "nobody");
    String unknown = assertThrows(CannotGoOn.class, () -> run(nobody)).message();
    assertEquals("no process named nobody", unknown);
    assertEquals(List.of(), lines("why"));
  }

  @Test
  void ctrlCRightAtTheStartWritesWhatThereIsAndEndsTheTrace() throws IOException {
    Path file = folder.resolve("c.bin");
    Result done =
        run(
            "pt record -p services --for 600s -o " + file,
            terminal -> terminal.interruption().interruptAt(1));
    assertEquals(0, done.exit(), done.err());
    assertTrue(done.out().contains("wrote " + file + ": 2 threads"), done.out());
    assertEquals(List.of("service", "start 40311", "read 131136", "stop"), lines("calls"));
    assertEquals(List.of(), lines("why"));
  }

  @Test
  void aSignalOfCtrlCWritesWhatThereIsAndEndsTheTrace() throws Exception {
    Path file = folder.resolve("s.bin");
    String library = library();
    List<String> command =
        Cli.command(
            PlayedPtRecord.class,
            List.of(Wine.shared().loader().toString(), library, windows(folder.resolve("ipt"))),
            "pt",
            "record",
            "-p",
            "services",
            "--for",
            "600s",
            "-o",
            file.toString());
    try (Spawned process = Spawned.start(folder, "said", command)) {
      Await.until("the driver traces", () -> lines("calls").contains("start 40311"));
      String id = Long.toString(process.process().pid());
      assertEquals(0, new ProcessBuilder("kill", "-INT", id).start().waitFor());
      assertEquals(130, process.end(), process.said());
      assertTrue(process.said().contains("wrote " + file + ": 2 threads"), process.said());
    }
    assertEquals(List.of("service", "start 40311", "read 131136", "stop"), lines("calls"));
    assertEquals(List.of(), lines("why"));
    assertEquals(0, Cli.run("pt", "packets", file, "-t", "4320", "--count").exit());
  }

  @ParameterizedTest
  @CsvSource({
    "-o a.bin, pt record needs one running program",
    "-p a, pt record needs a file",
    "-p a -o a.bin --buffer 5K, '--buffer takes a power of two, 4K to 128M, not 5K'",
    "-p a -o a.bin --mtc 16, '--mtc takes 0 to 15, not 16'",
    "-p a -o a.bin --for 1h, '--for takes a time, not 1h'",
    "-p a -o a.bin --for 0s, '--for takes a time, not 0s'",
    "-p a -o a.bin --cyc 1, --cyc is of packets that --timing leaves out",
    "-p a -o a.bin --timing none --mtc 1, --mtc is of packets that --timing leaves out",
    "-p a -o a.bin -t 5, pt record traces all threads",
    "-p a -o a.bin --ring 4, --ring is of pt recipe",
    "-p a -o a.bin --calls, --calls is of questions about a stream",
    "a.bin -p a -o a.bin, 'pt record reads no file, but a.bin was named'",
    "-p a -o a.bin --filter 0x2-0x1, --filter 0x2-0x1 ends before it begins",
  })
  void whatTheDriverDoesNotHaveIsRefusedBeforeItIsAsked(String options, String told) {
    UsageError refused = assertThrows(UsageError.class, () -> run("pt record " + options));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.startsWith(told), message);
  }

  @Test
  void otherQuestionsHaveNoneOfItsOptions() throws IOException {
    Cli.Result flow = Cli.run("pt", "flow", "a.pt", "--for", "1s");
    assertEquals(2, flow.exit());
    assertTrue(flow.err().contains("--for is of pt record"), flow.err());
    assertFalse(Files.exists(folder.resolve("ipt.calls")));
  }

  @Test
  void recordingNeedsWindows() throws IOException {
    Cli.Result here = Cli.run("pt", "record", "-p", "a", "-o", folder.resolve("a.bin"));
    assertEquals(4, here.exit(), here.err());
    assertTrue(here.err().contains("recording Processor Trace needs Windows"), here.err());
  }
}
