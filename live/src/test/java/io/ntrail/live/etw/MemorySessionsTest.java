package io.ntrail.live.etw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.PlayedLibrary;
import io.ntrail.live.etw.SessionMemo.State;
import io.ntrail.live.etw.SessionProperties.Buffers;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sessions of heaps, tags of the pool and states of providers, asked of a library that plays
 * Windows'; the registry is Wine's.
 */
class MemorySessionsTest {
  private static final String IMAGES =
      "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"
          + "\\Image File Execution Options\\";
  private static final Guid DNS = Guid.parse("1c95126e-7eea-49a9-a3fe-a378b03ddb4d");
  private static final Buffers BUFFERS = new Buffers(1024, 64, 256);

  @TempDir private Path folder;

  private List<String> lines(String ending) throws IOException {
    Path file = folder.resolve("sessions." + ending);
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  private void tell(String lines) throws IOException {
    Files.writeString(folder.resolve("sessions.fail"), lines);
  }

  /** Calls since the last question about them. */
  private List<String> calls() throws IOException {
    List<String> lines = lines("calls");
    Files.deleteIfExists(folder.resolve("sessions.calls"));
    return lines;
  }

  @Test
  void heapsTagsAndStates() throws IOException, URISyntaxException {
    PlayedLibrary played =
        PlayedLibrary.of(KernelRecorderTest.class, "standin.c", folder.resolve("sessions"));
    String library = played.name();
    try (Agent agent = played.agent();
        MachineRegistry registry = new MachineRegistry(agent)) {
      SessionControl control = new SessionControl(agent, library, library);
      heaps(control, registry);
      tags(control);
      states(control, registry);
      assertEquals(List.of(), lines("why"));
      broken(control, agent, library);
    }
    assertEquals(
        List.of(
            "heaps without an extension",
            "item of a session of heaps",
            "processes of heaps",
            "number of processes",
            "heaps of the kernel",
            "filter of tags",
            "filter of tags",
            "filter of tags",
            "filter of tags",
            "state of what is not enabled",
            "state that is asked for",
            "state that is asked for"),
        lines("why"));
  }

  private static HeapRequest heaps(List<Integer> processes, String program) {
    List<StackEvent> stacks = List.of(new StackEvents().ofHeaps("heapalloc").orElseThrow());
    return new HeapRequest(
        "ntrail-heap", "C:\\h.etl", BUFFERS, SessionMode.CIRCULAR, 100, processes, program, stacks);
  }

  private void heaps(SessionControl control, MachineRegistry registry) throws IOException {
    HeapRecorder recorder = new HeapRecorder(control, registry);
    recorder.start(heaps(List.of(4312, 5020), ""), false, List.of());
    assertEquals(
        List.of(
            "StartTrace 7 222962ab-6180-4b88-a825-346b75f2a24a 1024 64 256 100 2 80ff0488"
                + " 06000200"
                + "03000200d81000009c130000"
                + "0200030021100000"
                + " ntrail-heap C:\\h.etl"),
        calls());
    control.stop("ntrail-heap");
    recorder.start(heaps(List.of(), "shop.exe"), false, List.of());
    assertEquals(OptionalInt.of(1), registry.find(IMAGES + "shop.exe", "TracingFlags"));
    // Another process ends it, which knows the name of the session alone.
    control.stop("ntrail-heap");
    new HeapRecorder(control, registry).ended("ntrail-heap");
    assertEquals(OptionalInt.empty(), registry.find(IMAGES + "shop.exe", "TracingFlags"));
    // One that was set by others stays.
    registry.key(IMAGES + "shop.exe").number("TracingFlags", 3);
    recorder.start(heaps(List.of(), "shop.exe"), false, List.of());
    control.stop("ntrail-heap");
    recorder.ended("ntrail-heap");
    assertEquals(OptionalInt.of(3), registry.find(IMAGES + "shop.exe", "TracingFlags"));
    registry.key(IMAGES + "shop.exe").deleteValue("TracingFlags");
    // One that fails leaves nothing, and takes the others of its recording with it.
    Started other =
        new ProviderRecorder(control, registry).start(providers(List.of()), false, List.of());
    tell("StartTraceW 1450\n");
    assertThrows(
        CannotGoOn.class,
        () -> recorder.start(heaps(List.of(), "shop.exe"), false, List.of(other)));
    tell("");
    assertEquals(OptionalInt.empty(), registry.find(IMAGES + "shop.exe", "TracingFlags"));
    assertEquals(0, control.all().total());
    calls();
  }

  private static KernelRequest pool(List<Integer> tags) {
    return new KernelRequest(
        "ntrail",
        "C:\\k.etl",
        BUFFERS,
        SessionMode.CIRCULAR,
        100,
        GroupMask.of(7).and(GroupMask.of(0x2000_0040)),
        List.of(),
        new KernelRequest.More(List.of(), List.of(), List.of(), tags));
  }

  private void tags(SessionControl control) throws IOException {
    KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER);
    recorder.start(pool(List.of(0x6674_744E, 0x2062_6F4A)), false);
    assertEquals(
        List.of(
            "NtSetSystemInformation 10 7 4e7474664a6f6220",
            "TraceSetInformation 4 7 0700000040000000" + "00".repeat(24)),
        calls().subList(1, 3));
    recorder.stop("ntrail");
    tell("NtSetSystemInformation " + 0xC000_0061L + "\n");
    CannotGoOn refused =
        assertThrows(CannotGoOn.class, () -> recorder.start(pool(List.of(1)), false));
    assertTrue(refused.message().contains("(NtSetSystemInformation: 1314"), refused.message());
    tell("");
    assertEquals(0, control.all().total());
    calls();
  }

  private static ProviderSessionRequest providers(List<ProviderRequest> providers) {
    return new ProviderSessionRequest(
        "ntrail-user", "C:\\u.etl", BUFFERS, SessionMode.CIRCULAR, 100, providers);
  }

  private static ProviderRequest dns(boolean isOnly, OptionalLong atStart, OptionalLong atStop) {
    return new ProviderRequest(
        "DNS", DNS, 5, 0xF, 0, List.of(), new StateCapture(isOnly, atStart, atStop));
  }

  private void states(SessionControl control, MachineRegistry registry) throws IOException {
    ProviderRecorder recorder = new ProviderRecorder(control, registry);
    ProviderRequest both = dns(false, OptionalLong.of(0x10), OptionalLong.of(-1));
    SessionState session = recorder.start(providers(List.of(both)), false, List.of()).state();
    assertEquals(
        List.of(
            "EnableTraceEx2 7 1c95126e-7eea-49a9-a3fe-a378b03ddb4d 5 f 0",
            "EnableTraceEx2 capture 7 1c95126e-7eea-49a9-a3fe-a378b03ddb4d 5 10"),
        calls().subList(1, 3));
    assertEquals(
        List.of(new State(DNS, 5, -1, false)), SessionMemo.read(registry, "ntrail-user").states());
    assertEquals(List.of(), new StateRundown(control, registry).before(session));
    assertEquals(
        List.of("EnableTraceEx2 capture 7 1c95126e-7eea-49a9-a3fe-a378b03ddb4d 5 ffffffffffffffff"),
        calls());
    tell("capture 1460\n");
    assertEquals(
        List.of("not all of its processes answered in 10 s"),
        new StateRundown(control, registry)
            .before(session).stream().map(StateRundown.Missing::why).toList());
    control.stop("ntrail-user");
    // A late answer does not end the start.
    recorder.start(providers(List.of(both)), false, List.of());
    control.stop("ntrail-user");
    tell("capture 50\n");
    assertThrows(
        CannotGoOn.class, () -> recorder.start(providers(List.of(both)), false, List.of()));
    assertTrue(SessionMemo.read(registry, "ntrail-user").isEmpty());
    tell("");
    calls();
    // A provider for its state alone is enabled for no longer than that.
    ProviderRequest only = dns(true, OptionalLong.empty(), OptionalLong.of(2));
    SessionState quiet = recorder.start(providers(List.of(only)), false, List.of()).state();
    assertEquals(1, calls().size());
    assertEquals(List.of(), new StateRundown(control, registry).before(quiet));
    assertEquals(
        List.of(
            "EnableTraceEx2 7 1c95126e-7eea-49a9-a3fe-a378b03ddb4d 5 2 0",
            "EnableTraceEx2 capture 7 1c95126e-7eea-49a9-a3fe-a378b03ddb4d 5 2",
            "EnableTraceEx2 disable 7 1c95126e-7eea-49a9-a3fe-a378b03ddb4d"),
        calls());
    control.stop("ntrail-user");
    SessionMemo.forget(registry, "ntrail-user");
  }

  /** Makes calls of which one argument is wrong. */
  private static void broken(SessionControl control, Agent agent, String library) {
    SessionProperties heaps = heaps(List.of(1), "").properties();
    FlagExtension empty = new FlagExtension();
    record Wrong(int mode, Optional<FlagExtension> extension) {}
    for (Wrong one :
        List.of(
            new Wrong(2, Optional.empty()),
            new Wrong(2, Optional.of(empty.groups(GroupMask.of(7)))),
            new Wrong(2, Optional.of(empty.stacks(List.of()))),
            new Wrong(2, Optional.of(empty.processes(List.of()))),
            new Wrong(0x200_0002, heaps.extension()))) {
      SessionProperties properties =
          new SessionProperties(
              "h",
              "C:\\h.etl",
              heaps.guid(),
              BUFFERS,
              one.mode,
              100,
              0,
              0,
              one.extension,
              OptionalLong.empty());
      assertEquals(87, control.start(properties).error());
    }
    KernelRecorder recorder = new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER);
    SessionState kernel = recorder.start(pool(List.of()), false).state();
    assertEquals(87, control.setPoolTags(kernel.handle(), List.of()));
    assertEquals(87, control.setPoolTags(kernel.handle(), List.of(1, 2, 3, 4, 5)));
    assertEquals(87, control.setPoolTags(99, List.of(1)));
    agent.poke(
        agent.scratch() + 0x1000,
        new BytesBuilder(20).u32(9).u32(0).u64(kernel.handle()).u32(1).toArray());
    long set = agent.resolve(library, "NtSetSystemInformation");
    assertEquals(
        0xC000_000D, agent.call(AgentCall.of(set, 31, agent.scratch() + 0x1000, 20)).asInt());
    assertEquals(87, control.capture(kernel.handle(), DNS, 5, 1));
    control.enable(kernel.handle(), DNS, 5, 1, new EnableParameters(0, Guid.ZERO, List.of()));
    assertEquals(87, control.capture(kernel.handle(), DNS, 0, 1));
    assertEquals(87, control.capture(kernel.handle(), DNS, 5, 0));
    recorder.stop("ntrail");
  }
}
