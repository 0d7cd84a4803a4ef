package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.record.RecordCommand;
import io.ntrail.cli.record.RecordMachine;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.etw.ClrRundown;
import io.ntrail.live.windows.WindowsVersion;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code ntrail record} with the Windows that a library under Wine plays. Wine says that it is
 * Windows 7, which has the one session of the kernel.
 */
class RecordOnMachineTest {
  private static final String START = "record start --kernel cpu --stacks Profile --etl ";

  @TempDir private Path folder;

  private Optional<WindowsVersion> played = Optional.empty();

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
            windows(library),
            Path::of,
            played);
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

  private static WindowsVersion version(int major, int minor, int build) {
    return new WindowsVersion(major, minor, build, "", 0, 1, "");
  }

  private List<String> calls() throws IOException {
    return Files.readAllLines(folder.resolve("sessions.calls"));
  }

  @Test
  void allThatASessionCanRecordBecomesCallsOfWindows11() throws IOException {
    played = Optional.of(version(10, 0, 22621));
    String all =
        "record start --kernel cpu+pmc --stacks Profile --interval 0.25ms"
            + " --counters TotalIssues+BranchMispredictions:CSwitch+ReadyThread"
            + " --sample cachemisses=65536 --branches Profile --branches-without kernel+jumps"
            + " --stack-cache 1M --provider SystemSchedulerProvider:0x101"
            + " --provider microsoft-windows-dns-client:0xF:warning:stack:id=3006"
            + " --dotnet --etl C:\\rec\\shop.etl";
    Result started = run(all);
    assertEquals(0, started.exit(), started.err());
    // Order and bytes: evntrace.h and the order of TraceEvent; sessions are numbered from the end.
    assertEquals(
        List.of(
            "StartTrace 7 00000000-0000-0000-0000-000000000000 1024 64 256 1024 2000002 7 ntrail"
                + " C:\\rec\\shop.kernel.etl",
            "TraceSetInformation 5 0 00000000c4090000",
            "TraceSetInformation 5 0 0a00000000000100",
            "TraceSetInformation 6 0 0a000000",
            "TraceSetInformation 3 7 b4bf1dce7e13a64d87b03f59aa102cbc2e00000000000000",
            "TraceSetInformation 4 7 0700000002040000" + "00".repeat(24),
            "TraceSetInformation 9 7 020000000b000000",
            "TraceSetInformation 8 7 d1a86f3d05fed0119dda00c04fd7ba7c2400000000000000"
                + "d1a86f3d05fed0119dda00c04fd7ba7c3200000000000000",
            "TraceSetInformation 20 7 81000000",
            "TraceSetInformation 21 7 2e0f0000",
            "TraceSetInformation 24 7 010000000000100000000000",
            "EnableTraceEx2 7 599a2a76-4d91-4910-9ac7-7d33f2e97a6c 5 101 0",
            "StartTrace 6 00000000-0000-0000-0000-000000000000 256 32 128 1024 2 0 ntrail-user"
                + " C:\\rec\\shop.user.etl",
            "EnableTraceEx2 6 1c95126e-7eea-49a9-a3fe-a378b03ddb4d 3 f 4 80000200:01000100be0b",
            "EnableTraceEx2 6 e13c0d23-ccbc-4e12-931b-d9cc2eee27e4 5 c039 0"),
        calls());
    json(all + " --take-over");
    assertEquals(3, run("record status").out().lines().count());
    // What the played Windows did not write cannot be merged.
    String files = "files stay: C:\\rec\\shop.kernel.etl, C:\\rec\\shop.user.etl";
    String stopped = refused("record stop").message();
    assertTrue(stopped.endsWith(files), stopped);
    assertEquals(
        "EnableTraceEx2 6 a669021c-c450-4609-a035-5af59af4df18 5 20138 0", calls().getLast());
    assertEquals("no session runs\n", run("record list").out());
    assertFalse(Files.exists(folder.resolve("sessions.why")));
  }

  @Test
  void aProviderAloneHasASessionWithoutTheKernel() throws IOException {
    json("record start --log sequential --provider Microsoft-Windows-DNS-Client --etl C:\\d.etl");
    assertEquals(
        "StartTrace 7 00000000-0000-0000-0000-000000000000 256 32 128 1024 1 0 ntrail-user"
            + " C:\\d.etl",
        calls().getFirst());
    json("record stop");
  }

  @Test
  void whatTheMachineDoesNotHaveIsRefusedBeforeAnythingStarts() throws IOException {
    CannotGoOn unknown = refused(START + "C:\\a.etl --provider Microsoft-Windows-DNS-Clients");
    assertEquals("--provider Microsoft-Windows-DNS-Client", unknown.nextStep());
    String old = refused(START + "C:\\a.etl --interval 1ms").message();
    assertTrue(old.contains("need Windows 8 or later; this is version 6.1"), old);
    played = Optional.of(version(10, 0, 19045));
    String system = refused(START + "C:\\a.etl --provider SystemCpuProvider").message();
    assertTrue(system.contains("SystemCpuProvider needs Windows 11"), system);
    CannotGoOn counter = refused(START + "C:\\a.etl --counters CacheMiss");
    assertTrue(counter.message().contains("TotalIssues, BranchInstructions"), counter.message());
    CannotGoOn often = refused(START + "C:\\a.etl --sample CacheMisses=10");
    assertTrue(often.message().contains("every 4096 to 2147483647 events, not 10"));
    assertEquals("no session runs\n", run("record list").out());
  }

  @Test
  void aSecondSessionThatFailsTakesTheFirstWithIt() throws IOException {
    Files.writeString(folder.resolve("sessions.fail"), "EnableTraceEx2 1450\n");
    String message = refused(START + "C:\\a.etl --dotnet").message();
    assertTrue(message.contains("; provider e13c0d23-"), message);
    assertEquals("no session runs\n", run("record list").out());
  }

  @Test
  void aProfileOfWprBecomesTheCallsOfTheOptionsThatSayIt() throws IOException {
    played = Optional.of(version(10, 0, 22621));
    Path file = folder.resolve("all.wprp");
    Files.writeString(
        file,
        """
        <WindowsPerformanceRecorder Version="1.0"><Profiles>
        <SystemCollector Id="S" Name="NT Kernel Logger">
          <BufferSize Value="512"/><Buffers Value="80"/></SystemCollector>
        <EventCollector Id="E" Name="Events"><BufferSize Value="64"/><Buffers Value="40"/>
        </EventCollector>
        <Profile Id="All.Verbose.File" Name="All" LoggingMode="File" DetailLevel="Verbose">
        <Collectors><SystemCollectorId Value="S"><SystemProvider Id="P"><Keywords>
          <Keyword Value="ProcessThread"/><Keyword Value="Loader"/><Keyword Value="CSwitch"/>
          <Keyword Value="NewInWindows12"/></Keywords>
          <Stacks><Stack Value="CSwitch"/><CustomStack Value="0x0532"/></Stacks></SystemProvider>
          <HardwareCounter Id="H"><Counters><Counter Value="TotalIssues"/></Counters>
            <Events><Event Value="CSwitch"/></Events><LastBranch>
            <Events><Event Value="CSwitch"/></Events><LastBranchFilters>
            <LastBranchFilterOut Value="Kernel"/><LastBranchFilterOut Value="NearReturns"/>
            </LastBranchFilters></LastBranch></HardwareCounter></SystemCollectorId>
        <EventCollectorId Value="E"><EventProviders>
          <EventProvider Id="D" Name="Microsoft-Windows-DNS-Client" Level="4" Stack="true">
            <Keywords><Keyword Value="0xF"/></Keywords><EventFilters FilterIn="false">
            <EventId Value="3006"/></EventFilters></EventProvider>
          <EventProvider Id="N" Name="New-In-Windows-12"/></EventProviders>
        </EventCollectorId></Collectors></Profile></Profiles></WindowsPerformanceRecorder>
        """);
    Result started = run("record start --profile " + file + "!All --max-size 64M --etl C:\\w.etl");
    assertEquals(0, started.exit(), started.err());
    assertTrue(started.out().contains("- Not recorded: keyword NewInWindows12"), started.out());
    assertTrue(started.out().contains("- Not recorded: provider New-In-Windows-12"), started.out());
    assertEquals(
        List.of(
            "StartTrace 7 00000000-0000-0000-0000-000000000000 512 80 256 64 2000001 7 ntrail"
                + " C:\\w.kernel.etl",
            "TraceSetInformation 3 7 d1a86f3d05fed0119dda00c04fd7ba7c2400000000000000"
                + "d1a86f3d05fed0119dda00c04fd7ba7c3200000000000000",
            "TraceSetInformation 4 7 0700000004" + "00".repeat(27),
            "TraceSetInformation 9 7 02000000",
            "TraceSetInformation 8 7 d1a86f3d05fed0119dda00c04fd7ba7c2400000000000000",
            "TraceSetInformation 20 7 21000000",
            "TraceSetInformation 21 7 24050000",
            "StartTrace 6 00000000-0000-0000-0000-000000000000 64 40 128 64 1 0 ntrail-user"
                + " C:\\w.user.etl",
            "EnableTraceEx2 6 1c95126e-7eea-49a9-a3fe-a378b03ddb4d 4 f 4 80000200:00000100be0b"),
        calls());
    json("record start --profile " + file + " --take-over --etl C:\\w.etl");
    String both = "record start --profile a.wprp --kernel cpu --etl C:\\w.etl";
    UsageError refused = assertThrows(UsageError.class, () -> run(both));
    assertEquals("--profile says what is recorded: without --kernel", refused.getMessage());
    String stopped = refused("record stop").message();
    assertTrue(stopped.endsWith("files stay: C:\\w.kernel.etl, C:\\w.user.etl"), stopped);
    assertFalse(Files.exists(folder.resolve("sessions.why")));
  }

  @Test
  void heapsTagsAndStatesAreRecordedAndTheRegistryIsAsBefore() throws IOException {
    played = Optional.of(version(10, 0, 22621));
    String all =
        "record start --kernel POOL+heap --pool-tags Ntff+Job+Nt*+?m --heap shop.exe"
            + " --heap-stacks HeapAlloc+HeapFree"
            + " --provider Microsoft-Windows-DNS-Client:0xF:4:state=0x118:state-at-start"
            + " --etl C:\\w.etl";
    Result started = run(all);
    assertEquals(0, started.exit(), started.err());
    assertTrue(
        started
            .out()
            .contains("session ntrail-heap, heaps of shop.exe from its next start, at most"),
        started.out());
    String dns = " 1c95126e-7eea-49a9-a3fe-a378b03ddb4d 4 ";
    assertEquals(
        List.of(
            "StartTrace 7 00000000-0000-0000-0000-000000000000 1024 64 256 1024 2000002 7 ntrail"
                + " C:\\w.kernel.etl",
            "NtSetSystemInformation 10 7 4e7466664a6f62204e743f3f3f6d2020",
            "TraceSetInformation 4 7 0700000040000000" + "00".repeat(24),
            "StartTrace 6 00000000-0000-0000-0000-000000000000 256 32 128 1024 2 0 ntrail-user"
                + " C:\\w.user.etl",
            "EnableTraceEx2 6" + dns + "f 0",
            "EnableTraceEx2 capture 6" + dns + "f",
            "StartTrace 5 222962ab-6180-4b88-a825-346b75f2a24a 1024 64 256 1024 2 80ff0488"
                + " 0600020002000200000000000300030021100000"
                + "24100000"
                + " ntrail-heap C:\\w.heap.etl"),
        calls());
    Path wprp = folder.resolve("heap.wprp");
    Files.writeString(
        wprp,
        """
        <WindowsPerformanceRecorder Version="1.0"><Profiles>
        <SystemCollector Id="S" Name="NT Kernel Logger"/><HeapEventCollector Id="H" Name="Heaps"/>
        <HardwareCounter Id="PT"><ProcessorTrace><Events><Event Value="CSwitch"/></Events>
          </ProcessorTrace></HardwareCounter>
        <Profile Id="M.Verbose.File" Name="M" LoggingMode="File" DetailLevel="Verbose"><Collectors>
          <HeapEventCollectorId Value="H"><HeapEventProviders><HeapEventProvider Id="P">
          <HeapProcessIds><HeapProcessId Value="2314"/></HeapProcessIds></HeapEventProvider>
          </HeapEventProviders></HeapEventCollectorId></Collectors></Profile>
        <Profile Id="PT.Verbose.File" Name="PT" LoggingMode="File" DetailLevel="Verbose"><Collectors>
          <SystemCollectorId Value="S"><HardwareCounterId Value="PT"/></SystemCollectorId>
          </Collectors></Profile></Profiles></WindowsPerformanceRecorder>
        """);
    Files.delete(folder.resolve("sessions.calls"));
    json("record start --profile " + wprp + "!M --take-over --etl C:\\h.etl");
    assertTrue(
        calls().getLast().contains(" 0600020002000200" + "0a090000" + "030003002110000022100000 "),
        calls().toString());
    CannotGoOn traced = refused("record start --profile " + wprp + "!PT --etl C:\\p.etl");
    assertEquals(
        "wpr -start \"" + wprp + "!PT.Verbose.File\" -filemode, then wpr -stop shop.etl",
        traced.nextStep());
    // Only the session of heaps was taken over; the others are stopped with what they noted.
    json("record stop ntrail-heap");
    refused("record stop");
    assertEquals("EnableTraceEx2 capture 6" + dns + "118", calls().getLast());
    assertEquals("no session runs\n", run("record list").out());
    assertFalse(Files.exists(folder.resolve("sessions.why")));
    String image =
        "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"
            + "\\Image File Execution Options\\shop.exe";
    assertEquals(1, registry("query", image, "/v", "TracingFlags"));
  }

  @Test
  void aBootByAProfileIsSetUpWithProvidersOfThisMachineAndCancelled() throws IOException {
    Path wprp = folder.resolve("boot.wprp");
    Files.writeString(
        wprp,
        """
        <WindowsPerformanceRecorder Version="1.0"><Profiles>
        <SystemCollector Id="S" Name="NT Kernel Logger"/><EventCollector Id="E" Name="Events"/>
        <Profile Id="B.Verbose.File" Name="B" LoggingMode="File" DetailLevel="Verbose"><Collectors>
          <SystemCollectorId Value="S"><SystemProvider Id="P"><Keywords>
            <Keyword Value="CSwitch"/></Keywords></SystemProvider></SystemCollectorId>
          <EventCollectorId Value="E"><EventProviders>
            <EventProvider Id="D" Name="Microsoft-Windows-DNS-Client"/></EventProviders>
          </EventCollectorId></Collectors></Profile></Profiles></WindowsPerformanceRecorder>
        """);
    String boot = "record boot --profile " + wprp + " --logger autologger --etl C:\\b.etl";
    json(boot);
    String key = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\WMI\\Autologger\\ntrail-boot-user";
    String provider = key + "\\{1c95126e-7eea-49a9-a3fe-a378b03ddb4d}";
    assertEquals(0, registry("query", provider, "/v", "MatchAnyKeyword"));
    assertEquals(0, registry("query", key, "/v", "FileName"));
    assertTrue(refused(boot).message().endsWith("to C:\\b.kernel.etl"));
    json("record boot --cancel --logger autologger");
    assertEquals(1, registry("query", key));
  }

  private int registry(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("reg"));
    command.addAll(List.of(words));
    return Wine.shared()
        .run(folder, new byte[0], Duration.ofMinutes(1), command.toArray(String[]::new))
        .exitCode();
  }

  @ParameterizedTest
  @CsvSource({
    "--kernel POOL --pool-tags a*b, '--pool-tags takes tags of 1 to 4 characters, of which any may be'",
    "--kernel POOL --pool-tags abcd*, '--pool-tags takes tags of 1 to 4 characters, of which any may be'",
    "--kernel POOL --pool-tags a+b+c+d+e, --pool-tags names 5 tags",
    "--heap 1+2+3+4+5+6+7+8+9, --heap names 9 processes",
    "--heap shop, '--heap takes ids of processes, or the name of a program''s file, not shop'",
    "--heap 1 --heap-stacks HeapAlok, no event of heaps with stacks is named HeapAlok",
    "--kernel cpu --heap-stacks HeapAlloc, --heap-stacks needs --heap",
  })
  void memoryThatWindowsCannotRecordIsRefused(String options, String told) {
    UsageError refused =
        assertThrows(UsageError.class, () -> run("record start " + options + " --etl C:\\a.etl"));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.startsWith(told), message);
  }

  /** Published command line or caller: our options, and the calls that its source makes. */
  private record Witness(String who, String options, List<String> calls) {}

  private static final String PERF_INFO = "b4bf1dce7e13a64d87b03f59aa102cbc";
  private static final String SAMPLE = PERF_INFO + "2e00000000000000";
  private static final String SWITCH = "d1a86f3d05fed0119dda00c04fd7ba7c2400000000000000";
  private static final String READY = "d1a86f3d05fed0119dda00c04fd7ba7c3200000000000000";
  private static final String DISK = "d4a86f3d05fed0119dda00c04fd7ba7c";
  private static final String FILE = "39dccb903e4ad11184f40000f80464e3";

  private static String mask(String... words) {
    return String.join("", words) + "00000000".repeat(8 - words.length);
  }

  @Test
  void theCallsArePublicCallersOwn() throws IOException {
    played = Optional.of(version(10, 0, 22621));
    String zero = "00000000";
    List<Witness> witnesses =
        List.of(
            new Witness(
                "UIforETW: -on Latency+POWER+... -stackwalk PROFILE+CSWITCH+READYTHREAD",
                "--kernel Latency+POWER+DISPATCHER+FILE_IO+FILE_IO_INIT+VIRT_ALLOC+MEMINFO"
                    + "+MEMINFO_WS --stacks PROFILE+CSWITCH+READYTHREAD",
                List.of(
                    "3 " + SAMPLE + SWITCH + READY,
                    "4 " + mask("07230006", "86c28800", zero, zero, "00800000"))),
            new Witness(
                "Chromium: -on Latency+... -stackwalk ...+DiskReadInit",
                "--kernel Latency+POWER+DISPATCHER+DISK_IO_INIT+FILE_IO+FILE_IO_INIT+VIRT_ALLOC"
                    + "+MEMINFO --stacks PROFILE+CSWITCH+READYTHREAD+DiskReadInit",
                List.of(
                    "3 " + SAMPLE + SWITCH + READY + DISK + "0c00000000000000",
                    "4 " + mask("07270006", "86c20800", zero, zero, "00800000"))),
            new Witness(
                "pmctrace of Molly Rocket: counters with system calls",
                "--kernel SYSCALL --counters 2+11:SyscallEnter+SyscallExit",
                List.of(
                    "4 " + mask(zero, zero, "40000000"),
                    "9 020000000b000000",
                    "8 " + PERF_INFO + "3300000000000000" + PERF_INFO + "3400000000000000")),
            new Witness(
                "Defrag Tools: xperf -on ... -stackwalk Profile+CSwitch+ReadyThread",
                "--kernel PROC_THREAD+LOADER+PROFILE+INTERRUPT+DPC+DISPATCHER+CSWITCH"
                    + " --stacks Profile+CSwitch+ReadyThread",
                List.of("3 " + SAMPLE + SWITCH + READY, "4 " + mask("07000000", "86420000"))),
            new Witness(
                "High CPU: xperf -on ... -MaxFile 1024 -FileMode Circular",
                "--kernel PROC_THREAD+LOADER+PROFILE+INTERRUPT+DPC --stacks Profile --max-size 1G",
                List.of("3 " + SAMPLE, "4 " + mask("07000000", "82400000"))),
            new Witness(
                "xperf ... -SetProfInt 3000, with stacks of disks and maps",
                "--kernel PROC_THREAD+LOADER+PROFILE+CSWITCH+DISPATCHER+DISK_IO+VAMAP+HARD_FAULTS"
                    + " --stacks PROFILE+CSWITCH+READYTHREAD+DiskReadInit+DiskWriteInit+MapFile"
                    + "+UnMapFile --interval 0.3ms",
                List.of(
                    "5 00000000b80b0000",
                    "3 "
                        + SAMPLE
                        + SWITCH
                        + READY
                        + DISK
                        + "0c00000000000000"
                        + DISK
                        + "0d00000000000000"
                        + FILE
                        + "2500000000000000"
                        + FILE
                        + "2600000000000000",
                    "4 " + mask("07a30000", "06020000"))),
            new Witness(
                "PerfView: kernel keywords Default, of which stacks of samples",
                "--kernel DISK_IO+DISK_IO_INIT+LOADER+HARD_FAULTS+NETWORKTRACE+PROC_THREAD"
                    + "+PERF_COUNTER+PROFILE --stacks Profile",
                List.of("3 " + SAMPLE, "4 " + mask("0f270100", "02000000"))),
            new Witness(
                "Orbit with krabs: interval of 1 ms, stacks of samples",
                "--kernel cpu --stacks Profile --interval 1ms",
                List.of("5 0000000010270000", "3 " + SAMPLE, "4 " + mask("07000000", "02000000"))),
            new Witness(
                "Tracy: stacks of samples, switches logged",
                "--kernel CSWITCH+DISPATCHER+PROC_THREAD+PROFILE --stacks Profile",
                List.of("3 " + SAMPLE, "4 " + mask("03000000", "06020000"))),
            new Witness(
                "FileWriter: LastBranch of WPR, and the same of tracelog -Lbr",
                "--kernel CSWITCH+PROC_THREAD+LOADER+PROFILE --branches PROFILE+CSWITCH"
                    + " --branches-without conditional+calls+indirect-calls+indirect-jumps+far+kernel",
                List.of(
                    "4 " + mask("07000000", "06000000"), "20 5d010000", "21 2e0f000024050000")));
    for (Witness witness : witnesses) {
      Files.deleteIfExists(folder.resolve("sessions.calls"));
      Result started = run("record start " + witness.options() + " --take-over --etl C:\\w.etl");
      assertEquals(0, started.exit(), started.err());
      List<String> settings =
          calls().stream()
              .filter(line -> line.startsWith("TraceSetInformation"))
              .map(line -> line.replaceFirst("\\w+ (\\d+) \\w+ ", "$1 "))
              .toList();
      assertEquals(witness.calls(), settings, witness.who());
      assertTrue(calls().getFirst().contains(" 1024 64 256 1024 2000002 "), calls().getFirst());
    }
    assertEquals(10, witnesses.size());
    assertFalse(Files.exists(folder.resolve("sessions.why")));
  }

  @Test
  void theStartOnVistaIsXperfsOwn() throws IOException {
    played = Optional.of(version(6, 0, 6002));
    Result started =
        run(
            "record start --kernel PROC_THREAD+LOADER+PROFILE --stacks Profile+CSwitch+ReadyThread"
                + " --log sequential --etl C:\\w.etl");
    assertEquals(0, started.exit(), started.err());
    // One call, with all in an extension at 0x488: a mask of nine words, a filter of four.
    assertEquals(
        List.of(
            "StartTrace 7 9e814aad-3204-11d2-9a82-006008a86939 1024 64 256 1024 1 80ff0488 0e000200"
                + "09000100"
                + mask("07000000", "02000000")
                + "04000300"
                + "2e0f00002405000032050000"
                + " NT Kernel Logger C:\\w.etl"),
        calls());
    assertFalse(Files.exists(folder.resolve("sessions.why")));
  }

  @Test
  void theSessionsInMemoryAreThoseThatUiForEtwStarts() throws IOException {
    played = Optional.of(version(10, 0, 22621));
    // -buffersize 1024 -minbuffers 600 -maxbuffers 600 -buffering; Win32k by its keywords.
    Result started =
        run(
            "record start --kernel Latency+POWER --stacks PROFILE --flight-recorder --max-size 600M"
                + " --provider 8c416c79-d49b-4f01-a467-e56d3aa8234c:0xfdffffffefffffff");
    assertEquals(0, started.exit(), started.err());
    List<String> calls = calls();
    assertTrue(calls.getFirst().endsWith(" 1024 600 600 0 2000400 2307 ntrail "), calls.getFirst());
    assertTrue(calls.get(3).endsWith(" 256 2400 2400 0 400 0 ntrail-user "), calls.get(3));
    assertEquals(
        "EnableTraceEx2 6 8c416c79-d49b-4f01-a467-e56d3aa8234c 5 fdffffffefffffff 0",
        calls.getLast());
    assertFalse(Files.exists(folder.resolve("sessions.why")));
  }

  @Test
  void whatWindowsWouldQuietlyReplaceIsRefused() throws IOException {
    CannotGoOn twice =
        refused(START + "C:\\a.etl --dotnet --provider " + ClrRundown.RUNTIME + ":1");
    assertTrue(twice.message().contains("is named twice"), twice.message());
    for (String provider :
        List.of("DNS:id=1:id!=2", "DNS:pid=5000000000", "DNS:exe=" + "shop.exe+".repeat(60))) {
      String line = START + "C:\\a.etl --provider " + provider;
      assertThrows(UsageError.class, () -> run(line), provider);
    }
    played = Optional.of(version(10, 0, 22621));
    Result unlogged = run("record start --kernel disk --counters 2 --etl C:\\a.etl");
    assertTrue(
        unlogged.out().contains("- No counters of CSwitch: it is logged with --kernel CSWITCH."),
        unlogged.out());
    String longPath = "C:\\" + "n".repeat(1100) + ".etl";
    UsageError tooLong =
        assertThrows(UsageError.class, () -> run(START + longPath + " --take-over"));
    assertTrue(String.valueOf(tooLong.getMessage()).endsWith("not of 1,107"));
  }
}
