package io.ntrail.live.etw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.etl.groups.KernelGroups;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.etw.EnableParameters.Filter;
import io.ntrail.live.etw.SessionControl.Reply;
import io.ntrail.live.etw.SessionProperties.Buffers;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sessions of the kernel, started and stopped through an agent and a library that plays advapi32:
 * it checks arguments by the declarations of the C compiler's headers.
 */
class KernelRecorderTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir private Path folder;

  /** Sizes of pointers: each has a compiler and a Wine. */
  enum Bits {
    /** 64-bit code. */
    X64,
    /** 32-bit code on a system for that alone. */
    X86
  }

  private Path state() {
    return folder.resolve("sessions");
  }

  private String wrong() throws IOException {
    Path why = folder.resolve("sessions.why");
    return Files.exists(why) ? Files.readString(why) : "";
  }

  private void tell(String lines) throws IOException {
    Files.writeString(folder.resolve("sessions.fail"), lines);
  }

  /** Runs an agent of its own for a question: sessions are there for the next one. */
  private void with(Bits bits, Consumer<SessionControl> question) {
    withAgent(
        bits, (agent, library) -> question.accept(new SessionControl(agent, library, library)));
  }

  private void withAgent(Bits bits, BiConsumer<Agent, String> question) {
    boolean is64 = bits == Bits.X64;
    WindowsCompiler compiler = is64 ? WindowsCompiler.MINGW_C : WindowsCompiler.MINGW_C_32;
    assumeTrue(
        is64 ? Wine.available() : Wine.available32(), is64 ? Wine.missing() : Wine.missing32());
    assumeTrue(compiler.available(), compiler.missing());
    Wine wine = is64 ? Wine.shared() : Wine.shared32();
    Map<String, String> environment = new HashMap<>(wine.environment());
    environment.put("NTRAIL_STANDIN", windows(state()));
    AgentHost host = new AgentHost.Wine(wine.loader(), environment);
    try (Agent agent =
        Agent.on(host.start(is64 ? MachineType.AMD64 : MachineType.I386), PATIENCE)) {
      String library = windows(library(compiler));
      question.accept(agent, library);
    }
  }

  private static Path library(WindowsCompiler compiler) {
    try {
      Path source =
          Path.of(
              Objects.requireNonNull(KernelRecorderTest.class.getResource("standin.c")).toURI());
      return compiler.build(List.of(source), "-shared", "-O1", "-Wl,--kill-at");
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String windows(Path file) {
    return "Z:" + file.toAbsolutePath().normalize().toString().replace('/', '\\');
  }

  private static KernelRequest request(String file) {
    StackEvents events = new StackEvents();
    List<StackEvent> stacks =
        Stream.of("Profile", "CSwitch", "ImageLoad")
            .map(name -> events.named(name).orElseThrow())
            .toList();
    return new KernelRequest(
        "ntrail",
        file,
        new Buffers(1024, 64, 256),
        SessionMode.CIRCULAR,
        2048,
        new KernelGroups().named("cpu").orElseThrow(),
        stacks,
        new KernelRequest.More(List.of(TraceSetting.interval(0, 10_000)), List.of(), List.of()));
  }

  private static CannotGoOn failure(KernelRecorder recorder) {
    KernelRequest request = request("C:\\b.etl");
    return assertThrows(CannotGoOn.class, () -> recorder.start(request, false));
  }

  @ParameterizedTest
  @EnumSource
  void aSessionIsFoundAndStoppedByNameAfterTheProcessThatStartedItHasEnded(Bits bits)
      throws IOException {
    with(
        bits,
        control -> {
          var started =
              new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER)
                  .start(request("C:\\rec\\k.etl"), false);
          assertEquals(0x7, started.state().handle() >>> 32);
          assertTrue(started.replaced().isEmpty());
        });
    tell("lost-events 17\nlost-buffers 3\n");
    with(
        bits,
        control -> {
          KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER);
          SessionState state = recorder.status("ntrail");
          assertEquals("C:\\rec\\k.etl", state.file());
          assertEquals(new SessionState.Lost(17, 3, 0), state.lost());
          assertEquals(5, state.used());
          assertEquals(2048, state.mebibytes());
          assertEquals(0x0200_0002, state.mode());
          assertEquals(List.of(state), recorder.all().sessions());
          assertEquals(state, recorder.stop("ntrail"));
          assertEquals(0, recorder.all().total());
          CannotGoOn none = assertThrows(CannotGoOn.class, () -> recorder.stop("ntrail"));
          assertTrue(none.message().startsWith("no session of this name runs"), none.message());
        });
    assertEquals("", wrong());
  }

  @ParameterizedTest
  @EnumSource
  void eachVersionOfWindowsIsAskedInItsForm(Bits bits) throws IOException {
    with(
        bits,
        control -> {
          for (KernelSessionKind kind : KernelSessionKind.values()) {
            KernelRecorder recorder = new KernelRecorder(control, kind);
            recorder.start(request("C:\\k.etl"), false);
            String name = kind == KernelSessionKind.SYSTEM_LOGGER ? "ntrail" : "NT Kernel Logger";
            assertEquals(name, recorder.all().sessions().getFirst().name());
            assertTrue(recorder.stop(name).isKernel());
          }
        });
    assertEquals("", wrong());
  }

  @ParameterizedTest
  @EnumSource
  void aMarkGoesToTheSessionThatIsMeant(Bits bits) throws IOException {
    with(
        bits,
        control -> {
          KernelRecorder one = new KernelRecorder(control, KernelSessionKind.KERNEL_LOGGER);
          KernelRecorder own = new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER);
          // The kernel's one session is that without a handle; it does not run yet.
          assertEquals(4201, control.mark(0, "nowhere"));
          own.start(request("C:\\own.etl"), false);
          assertEquals("ntrail", own.mark("ntrail", "to ntrail's").name());
          one.start(request("C:\\one.etl"), false);
          one.mark(SessionState.KERNEL_NAME, "to the kernel's");
        });
    assertEquals(
        List.of("to ntrail's", "to the kernel's"),
        Files.readAllLines(folder.resolve("sessions.marks")));
    assertEquals("", wrong());
  }

  @ParameterizedTest
  @EnumSource
  void memoryIsWrittenToTheFileThatIsNamedAndOnlyOfASessionInMemory(Bits bits) throws IOException {
    with(
        bits,
        control -> {
          KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER);
          KernelRequest file = request("C:\\k.etl");
          KernelRequest memory =
              new KernelRequest(
                  "memory",
                  "",
                  new Buffers(1024, 128, 128),
                  SessionMode.BUFFERING,
                  0,
                  file.groups(),
                  List.of(),
                  KernelRequest.More.NOTHING);
          recorder.start(file, false);
          recorder.start(memory, false);
          assertTrue(recorder.rundown(recorder.status("memory")));
          assertTrue(recorder.snapshot("memory", "C:\\s.etl").isInMemory());
          CannotGoOn refused =
              assertThrows(CannotGoOn.class, () -> recorder.snapshot("ntrail", "C:\\s.etl"));
          assertTrue(refused.message().endsWith("it records to C:\\k.etl"), refused.message());
          assertEquals(KernelRecorder.Flushed.GOES_ON, recorder.flush("ntrail"));
          assertEquals(KernelRecorder.Flushed.NONE, recorder.flush("other"));
          assertEquals(Optional.empty(), recorder.find("other"));
        });
    assertEquals("", wrong());
  }

  @Test
  void versionsChooseTheForm() {
    assertEquals(KernelSessionKind.EXTENSION, KernelSessionKind.of(6, 0));
    assertEquals(KernelSessionKind.KERNEL_LOGGER, KernelSessionKind.of(6, 1));
    assertEquals(KernelSessionKind.SYSTEM_LOGGER, KernelSessionKind.of(6, 2));
    assertEquals(KernelSessionKind.SYSTEM_LOGGER, KernelSessionKind.of(10, 0));
    assertThrows(CannotGoOn.class, () -> KernelSessionKind.of(5, 1));
  }

  @Test
  void aSessionInTheWayIsNamedAndTakenOverOnlyIfThatIsAsked() throws IOException {
    with(
        Bits.X64,
        control -> {
          KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.KERNEL_LOGGER);
          recorder.start(request("C:\\a.etl"), false);
          CannotGoOn refused = failure(recorder);
          assertEquals(
              "a session of this name runs already (StartTrace: 183, ERROR_ALREADY_EXISTS):"
                  + " \"NT Kernel Logger\", recording to C:\\a.etl",
              refused.message());
          assertTrue(refused.nextStep().contains("--take-over"), refused.nextStep());
          assertEquals("C:\\a.etl", recorder.status(recorder.session("any")).file());
          var second = recorder.start(request("C:\\b.etl"), true);
          assertEquals("C:\\a.etl", second.replaced().orElseThrow().file());
          assertEquals("C:\\b.etl", recorder.status(recorder.session("any")).file());
        });
    assertEquals("", wrong());
  }

  @Test
  void aMissingPrivilegeIsNamed() throws IOException {
    tell("AdjustTokenPrivileges 1300\n");
    with(
        Bits.X64,
        control -> {
          CannotGoOn refused =
              failure(new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER));
          assertEquals(CannotGoOn.Reason.NOT_POSSIBLE, refused.reason());
          assertTrue(refused.message().contains("SeSystemProfilePrivilege"), refused.message());
          assertTrue(refused.message().contains("ERROR_NOT_ALL_ASSIGNED"), refused.message());
        });
  }

  @Test
  void anErrorIsToldWithTheCallAndWhatHelps() throws IOException {
    with(
        Bits.X64,
        control -> {
          KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER);
          for (int code : SessionFailureTest.CODES) {
            fail("StartTraceW " + code + "\n");
            CannotGoOn refused = failure(recorder);
            assertTrue(refused.message().contains("StartTrace: " + code), refused.message());
            assertFalse(refused.nextStep().isEmpty(), refused.message());
            boolean isOfRights = code == 5 || code == 1300 || code == 1313 || code == 1314;
            assertEquals(isOfRights, refused.reason() == CannotGoOn.Reason.NOT_POSSIBLE);
          }
        });
  }

  private void fail(String lines) {
    try {
      tell(lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatIsTakenOverMayTakeAMomentToEnd() throws IOException {
    tell("lingers 3\n");
    with(
        Bits.X64,
        control -> {
          KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.KERNEL_LOGGER);
          recorder.start(request("C:\\a.etl"), false);
          recorder.start(request("C:\\b.etl"), true);
          assertEquals("C:\\b.etl", recorder.status(SessionState.KERNEL_NAME).file());
        });
    assertEquals("", wrong());
  }

  @Test
  void aStopWhoseAnswerHasNoRoomIsOne() throws IOException {
    tell("stop 234\n");
    with(
        Bits.X64,
        control -> {
          KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER);
          recorder.start(request("C:\\a.etl"), false);
          recorder.stop("ntrail");
          assertEquals(0, recorder.all().total());
        });
    assertEquals("", wrong());
  }

  @Test
  void aSessionThatCannotBeSetUpIsNotLeftBehind() throws IOException {
    tell("TraceSetInformation 1450\n");
    with(
        Bits.X64,
        control -> {
          KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER);
          assertTrue(failure(recorder).message().contains("TraceSetInformation: 1450"));
          assertEquals(0, recorder.all().total());
        });
  }

  @Test
  void aSessionThatCannotBeSetUpNorStoppedIsNamedWithTheWayToStopIt() throws IOException {
    tell("TraceSetInformation 1450\nstop 1450\n");
    with(
        Bits.X64,
        control -> {
          KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.KERNEL_LOGGER);
          CannotGoOn refused = failure(recorder);
          assertTrue(
              refused
                  .message()
                  .endsWith("; \"NT Kernel Logger\" runs on, as it could not be stopped"),
              refused.message());
          assertEquals("ntrail record stop \"NT Kernel Logger\"", refused.nextStep());
        });
  }

  @Test
  void aSessionThatWasStoppedForOneThatFailsIsNamed() throws IOException {
    with(
        Bits.X64,
        control ->
            new KernelRecorder(control, KernelSessionKind.KERNEL_LOGGER)
                .start(request("C:\\a.etl"), false));
    tell("TraceSetInformation 1450\n");
    with(
        Bits.X64,
        control -> {
          KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.KERNEL_LOGGER);
          CannotGoOn refused =
              assertThrows(CannotGoOn.class, () -> recorder.start(request("C:\\b.etl"), true));
          assertTrue(
              refused.message().endsWith("; \"NT Kernel Logger\" was stopped for it"),
              refused.message());
        });
  }

  @ParameterizedTest
  @EnumSource
  void aProviderIsEnabledWithItsFilter(Bits bits) throws IOException {
    Guid runtime = Guid.parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    with(
        bits,
        control -> {
          SessionProperties own =
              new SessionProperties(
                  "user",
                  "C:\\u.etl",
                  Guid.ZERO,
                  new Buffers(256, 4, 16),
                  SessionMode.SEQUENTIAL,
                  100,
                  0,
                  0,
                  Optional.empty(),
                  OptionalLong.empty());
          Reply reply = control.start(own);
          assertEquals(0, reply.error());
          EnableParameters parameters =
              new EnableParameters(
                  EnableParameters.STACKS, Guid.ZERO, List.of(Filter.processes(List.of(4312))));
          long handle = reply.state().handle();
          assertEquals(0, control.enable(handle, runtime, 4, 0x40_0000_0098L, parameters));
          assertEquals(4201, control.enable(1, runtime, 4, 0x40_0000_0098L, parameters));
        });
    assertEquals("", wrong());
  }

  private List<String> calls() throws IOException {
    return Files.readAllLines(folder.resolve("sessions.calls"));
  }

  private static ProviderSessionRequest providers(ProviderRequest... requests) {
    return new ProviderSessionRequest(
        "ntrail-user",
        "C:\\u.etl",
        new Buffers(256, 4, 16),
        SessionMode.SEQUENTIAL,
        100,
        List.of(requests));
  }

  @Test
  void aFailedStartOfProvidersTellsOfTheKernelSessionThatCouldNotBeStopped() throws IOException {
    tell("EnableTraceEx2 1450\nstop 1450\n");
    with(
        Bits.X64,
        control -> {
          Started kernel =
              new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER)
                  .start(request("C:\\k.etl"), false);
          ProviderRequest one = new ProviderRequest("DNS", Guid.ZERO, 4, 1, 0, List.of());
          CannotGoOn refused =
              assertThrows(
                  CannotGoOn.class,
                  () ->
                      new ProviderRecorder(control).start(providers(one), false, List.of(kernel)));
          assertTrue(
              refused.message().endsWith("; \"ntrail\" runs on, as it could not be stopped"),
              refused.message());
          assertEquals("ntrail record stop \"ntrail\"", refused.nextStep());
        });
  }

  @ParameterizedTest
  @EnumSource
  void providersAreFoundByNameAndEnabledWithLevelKeywordsStacksAndFilters(Bits bits)
      throws IOException {
    with(
        bits,
        control -> {
          RegisteredProviders known = control.registered();
          Guid dns = Objects.requireNonNull(known.named("microsoft-windows-dns-CLIENT"));
          assertEquals(3, known.names().size());
          assertEquals(null, known.named("Microsoft-Windows-DNS"));
          ProviderRequest request =
              new ProviderRequest(
                  "DNS",
                  dns,
                  4,
                  0x8000_0000_0000_0001L,
                  EnableParameters.STACKS,
                  List.of(Filter.events(true, List.of(3006, 3008)), Filter.processes(List.of(7))));
          new ProviderRecorder(control).start(providers(request), false, List.of());
        });
    assertEquals(
        "EnableTraceEx2 0 1c95126e-7eea-49a9-a3fe-a378b03ddb4d 4 8000000000000001 4"
            + " 80000200:01000200be0bc00b 80000004:07000000",
        calls().getLast().replaceFirst("EnableTraceEx2 .", "EnableTraceEx2 0"));
    assertEquals("", wrong());
  }

  @ParameterizedTest
  @EnumSource
  void aSessionWithDotNetIsRunDownBeforeItEnds(Bits bits) throws IOException {
    with(
        bits,
        control -> {
          ClrRundown rundown =
              new ClrRundown(control, Duration.ofMillis(5), Duration.ofSeconds(20));
          KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER);
          ProviderRequest clr =
              new ProviderRequest(".NET", ClrRundown.RUNTIME, 5, 0xC039, 0, List.of());
          ProviderRequest other =
              new ProviderRequest(
                  "DNS", EventSourceName.guid("Microsoft-Windows-Store"), 5, -1, 0, List.of());
          new ProviderRecorder(control).start(providers(other), false, List.of());
          SessionState without = recorder.status("ntrail-user");
          assertEquals(ClrRundown.Outcome.NOT_RECORDED, rundown.before(without));
          recorder.stop("ntrail-user");
          new ProviderRecorder(control).start(providers(other, clr), false, List.of());
          SessionState before = recorder.status("ntrail-user");
          assertEquals(ClrRundown.Outcome.COMPLETE, rundown.before(before));
          assertEquals(before.written() + 3, recorder.status("ntrail-user").written());
          ClrRundown hasty = new ClrRundown(control, Duration.ofMillis(5), Duration.ZERO);
          assertEquals(ClrRundown.Outcome.CUT_SHORT, hasty.before(before));
        });
    List<String> calls = calls();
    assertTrue(
        calls.contains(calls.getLast())
            && calls.getLast().endsWith("a669021c-c450-4609-a035-5af59af4df18 5 20138 0"),
        calls.getLast());
    assertTrue(
        calls.stream().anyMatch(line -> line.contains("9c2a37f3-e5fd-5cae-bcd1-43dafeee1ff0")));
    assertEquals("", wrong());
  }

  @ParameterizedTest
  @EnumSource
  void countersAreThoseOfTheMachine(Bits bits) throws IOException {
    with(
        bits,
        control ->
            assertEquals(
                List.of(
                    new ProfileSource("Timer", 0, 1221, 10_000_000),
                    new ProfileSource("TotalIssues", 2, 4096, 2_147_483_647),
                    new ProfileSource("BranchInstructions", 6, 4096, 2_147_483_647),
                    new ProfileSource("CacheMisses", 10, 4096, 2_147_483_647),
                    new ProfileSource("BranchMispredictions", 11, 4096, 2_147_483_647)),
                control.sources()));
    assertEquals("", wrong());
  }

  @ParameterizedTest
  @EnumSource
  void settingsAndSystemProvidersOfNewerVersionsAreMadeInOrder(Bits bits) throws IOException {
    StackEvents events = new StackEvents();
    List<StackEvent> switches = List.of(events.named("CSwitch").orElseThrow());
    with(
        bits,
        control -> {
          KernelRequest good = request("C:\\k.etl");
          KernelRequest.More more =
              new KernelRequest.More(
                  List.of(
                      TraceSetting.interval(0, 2500),
                      TraceSetting.interval(10, 65_536),
                      TraceSetting.sampledCounters(List.of(10))),
                  List.of(
                      TraceSetting.counters(List.of(2, 11)),
                      TraceSetting.counterEvents(switches),
                      TraceSetting.branches(0x42),
                      TraceSetting.branchEvents(switches),
                      TraceSetting.stackCaching(0x100000, 0)),
                  List.of(
                      new ProviderRequest(
                          "SystemSchedulerProvider",
                          SystemProviders.named("systemschedulerPROVIDER").orElseThrow(),
                          5,
                          0x101,
                          0,
                          List.of())));
          new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER)
              .start(
                  new KernelRequest(
                      good.name(),
                      good.file(),
                      good.buffers(),
                      good.mode(),
                      good.mebibytes(),
                      good.groups(),
                      good.stacks(),
                      more),
                  false);
        });
    List<String> settings =
        calls().stream().map(line -> line.replaceFirst("(Set\\w+ \\d+|Ex2) \\w+ ", "$1 ")).toList();
    assertEquals(
        List.of(
            "TraceSetInformation 5 00000000c4090000",
            "TraceSetInformation 5 0a00000000000100",
            "TraceSetInformation 6 0a000000",
            "TraceSetInformation 9 020000000b000000",
            "TraceSetInformation 8 d1a86f3d05fed0119dda00c04fd7ba7c2400000000000000",
            "TraceSetInformation 20 42000000",
            "TraceSetInformation 21 24050000",
            "TraceSetInformation 24 010000000000100000000000",
            "EnableTraceEx2 599a2a76-4d91-4910-9ac7-7d33f2e97a6c 5 101 0"),
        settings.stream()
            .filter(line -> !line.startsWith("StartTrace") && !line.matches("\\w+ [34] .*"))
            .toList());
    assertEquals("", wrong());
  }

  /** Calls that only ask: each argument is broken once. */
  @ParameterizedTest
  @CsvSource({
    "TdhEnumerateProviders, 1 0, 87",
    "TraceQueryInformation, 1 7 1 4096 1, 87",
    "TraceQueryInformation, 0 8 1 4096 1, 87",
    "TraceQueryInformation, 0 7 1 8 1, 24",
    "TraceQueryInformation, 0 7 1 4096 0, 87",
    "EnumerateTraceGuidsEx, 0 1 16 1 4096 1, 87",
    "EnumerateTraceGuidsEx, 1 0 16 1 4096 1, 87",
    "EnumerateTraceGuidsEx, 1 1 15 1 4096 1, 87",
    "EnumerateTraceGuidsEx, 1 1 16 1 4096 0, 87",
  })
  void aBrokenArgumentOfAQuestionIsRefused(String function, String words, int error) {
    withAgent(
        Bits.X64,
        (agent, library) -> {
          // 1 behind the first argument is an address.
          long[] arguments = Stream.of(words.split(" ", -1)).mapToLong(Long::parseLong).toArray();
          boolean isQuery = function.startsWith("TraceQuery");
          for (int i = isQuery || function.startsWith("Enumerate") ? 1 : 0;
              i < arguments.length;
              i++) {
            arguments[i] = arguments[i] == 1 ? agent.scratch() : arguments[i];
          }
          long address = agent.resolve(library, function);
          assertEquals(error, agent.call(AgentCall.of(address, arguments)).asInt());
        });
  }

  /** Without this the checks of the library could be dead. */
  @Test
  void theLibraryRefusesWhatIsWrong() throws IOException {
    with(
        Bits.X64,
        control -> {
          assertEquals(0, control.enablePrivilege(SessionControl.PROFILE_PRIVILEGE));
          KernelRequest good = request("C:\\k.etl");
          KernelRequest ringWithoutSize =
              new KernelRequest(
                  good.name(),
                  good.file(),
                  good.buffers(),
                  SessionMode.CIRCULAR,
                  0,
                  good.groups(),
                  good.stacks(),
                  KernelRequest.More.NOTHING);
          Reply refused =
              control.start(KernelSessionKind.SYSTEM_LOGGER.properties(ringWithoutSize));
          assertEquals(87, refused.error());
          Reply started = control.start(KernelSessionKind.SYSTEM_LOGGER.properties(good));
          long handle = started.state().handle();
          assertEquals(87, control.set(handle, new TraceSetting(3, new byte[23])));
          assertEquals(87, control.set(handle, new TraceSetting(3, new byte[24])));
          assertEquals(87, control.set(handle, new TraceSetting(4, new byte[28])));
          assertEquals(87, control.set(handle, TraceSetting.interval(0, 5000)));
          for (TraceSetting bad :
              List.of(
                  new TraceSetting(6, new byte[4]),
                  new TraceSetting(6, new byte[3]),
                  new TraceSetting(8, new byte[23]),
                  new TraceSetting(8, new byte[5 * 24]),
                  new TraceSetting(9, new byte[] {77, 0, 0, 0}),
                  new TraceSetting(20, new byte[] {0, 8, 0, 0}),
                  new TraceSetting(21, new byte[] {5, 0, 0, 0}),
                  new TraceSetting(24, new byte[12]),
                  new TraceSetting(99, new byte[4]))) {
            assertEquals(87, control.set(handle, bad), bad.infoClass() + " class");
          }
          assertEquals(87, control.set(0, TraceSetting.interval(3, 65_536)));
          assertEquals(87, control.set(0, TraceSetting.sampledCounters(List.of(0))));
          assertEquals(87, control.set(handle, TraceSetting.sampledCounters(List.of(10))));
          EnableParameters parameters = new EnableParameters(0, Guid.ZERO, List.of());
          Guid any = ClrRundown.RUNTIME;
          assertEquals(87, control.enable(handle, SessionState.KERNEL, 4, 1, parameters));
          assertEquals(87, control.enable(handle, any, 0, 1, parameters));
          assertEquals(87, control.enable(handle, any, 4, 0, parameters));
          assertEquals(
              87, control.enable(handle, any, 4, 1, new EnableParameters(0x1000, any, List.of())));
          for (Filter bad :
              List.of(
                  new Filter(0x8000_0004, new byte[3]),
                  new Filter(0x8000_0008, new byte[] {'a', 0}),
                  new Filter(0x8000_0200, new byte[] {2, 0, 0, 0}),
                  new Filter(0x8000_0200, new byte[] {1, 0, 1, 0}),
                  new Filter(0x8000_0001, new byte[4]))) {
            assertEquals(
                87,
                control.enable(
                    handle, any, 4, 1, new EnableParameters(0, Guid.ZERO, List.of(bad))));
          }
          assertEquals(1313, control.enablePrivilege("SeShutdownPrivilege"));
        });
    assertFalse(wrong().isEmpty());
  }
}
