package io.ntrail.live.etw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.etl.groups.KernelGroups;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentConnection;
import io.ntrail.live.agent.PlayedLibrary;
import io.ntrail.live.consumer.EventConsumer;
import io.ntrail.live.etw.EnableParameters.Filter;
import io.ntrail.live.etw.SessionProperties.Buffers;
import io.ntrail.testkit.LittleEndian;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All calls that recording makes, each with each of its arguments broken once on the way to the
 * agent: nothing of it may go unnoticed, or the tests of the calls that are made right would prove
 * nothing.
 */
class BrokenArgumentsTest {
  private static final String KEY = "HKEY_LOCAL_MACHINE\\SOFTWARE\\ntrail-test";

  /** Calls of sessions with their arguments: the library that plays Windows' has to refuse each. */
  private static final Map<String, Integer> SESSIONS =
      Map.ofEntries(
          Map.entry("StartTraceW", 3),
          Map.entry("ControlTraceW", 4),
          Map.entry("QueryAllTracesW", 3),
          Map.entry("TraceSetInformation", 4),
          Map.entry("TraceQueryInformation", 5),
          Map.entry("EnableTraceEx2", 8),
          Map.entry("EnumerateTraceGuidsEx", 6),
          Map.entry("EtwSetMark", 3),
          Map.entry("OpenTraceW", 1),
          Map.entry("CloseTrace", 1),
          Map.entry("TdhEnumerateProviders", 2),
          Map.entry("OpenProcessToken", 3),
          Map.entry("LookupPrivilegeValueW", 3),
          Map.entry("AdjustTokenPrivileges", 6));

  /**
   * Calls to the system itself, with the arguments without which they fail; the others are zeros
   * that have to be, or flags. What only frees memory or keys, or waits for an end, has none; a
   * thread that begins elsewhere ends the agent, and has a test of its own.
   */
  private static final Map<String, List<Integer>> SYSTEM =
      Map.ofEntries(
          Map.entry("kernel32.dll!CloseHandle", List.of(0)),
          Map.entry("kernel32.dll!CreateThread", List.of()),
          Map.entry("kernel32.dll!GetSystemTimePreciseAsFileTime", List.of(0)),
          Map.entry("kernel32.dll!QueryPerformanceCounter", List.of(0)),
          Map.entry("kernel32.dll!QueryPerformanceFrequency", List.of(0)),
          Map.entry("kernel32.dll!VirtualAlloc", List.of(1, 2, 3)),
          Map.entry("kernel32.dll!VirtualFree", List.of()),
          Map.entry("kernel32.dll!WaitForSingleObject", List.of()),
          Map.entry("advapi32.dll!RegGetValueW", List.of(0, 1, 2, 5, 6)),
          Map.entry("advapi32.dll!RegCreateKeyExW", List.of(0, 1, 2, 3, 5, 7, 8)),
          Map.entry("advapi32.dll!RegSetValueExW", List.of(0, 1, 4, 5)),
          Map.entry("advapi32.dll!RegDeleteValueW", List.of(0, 1)),
          Map.entry("advapi32.dll!RegDeleteTreeW", List.of(0, 1)),
          Map.entry("advapi32.dll!RegCloseKey", List.of()));

  @TempDir private Path folder;

  /** Connection on which an argument of a call can be broken. */
  private static final class Breaking extends OutputStream implements AgentConnection {
    private static final int CALLS = 3;

    private final AgentConnection real;
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private final TreeSet<Long> called = new TreeSet<>();
    private long function;
    private int argument;

    Breaking(AgentConnection real) {
      this.real = real;
    }

    /** Breaks an argument of a function from now on; address 0: none. */
    void breaks(long address, int its) {
      function = address;
      argument = its;
    }

    @Override
    public OutputStream toAgent() {
      return this;
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      waiting.write(bytes, from, length);
      byte[] all = waiting.toByteArray();
      int at = 0;
      while (all.length - at >= 8 && all.length - at - 8 >= LittleEndian.getU32(all, at)) {
        int end = at + 8 + (int) LittleEndian.getU32(all, at);
        if ((LittleEndian.getU32(all, at + 4) & 0xFFFF) == CALLS) {
          change(all, at + 8);
        }
        real.toAgent().write(all, at, end - at);
        at = end;
      }
      waiting.reset();
      waiting.write(all, at, all.length - at);
    }

    private void change(byte[] request, int begin) {
      long count = LittleEndian.getU32(request, begin);
      int at = begin + 8;
      for (long i = 0; i < count; i++) {
        long address = word(request, at);
        int arguments = (int) LittleEndian.getU32(request, at + 8);
        called.add(address);
        int its = at + 16 + 8 * argument;
        if (address == function) {
          boolean isZero = word(request, its) == 0;
          byte[] broken = new BytesBuilder(8).u64(isZero ? 4 : 0).toArray();
          System.arraycopy(broken, 0, request, its, 8);
        }
        at += 16 + 8 * arguments;
      }
    }

    private static long word(byte[] bytes, int at) {
      return LittleEndian.getU32(bytes, at) | LittleEndian.getU32(bytes, at + 4) << 32;
    }

    @Override
    public void flush() throws IOException {
      real.toAgent().flush();
    }

    @Override
    public InputStream fromAgent() {
      return real.fromAgent();
    }

    @Override
    public void answered() {
      real.answered();
    }

    @Override
    public boolean hasEnded() {
      return real.hasEnded();
    }

    @Override
    public void kill() {
      real.kill();
    }

    @Override
    public String epitaph() {
      return real.epitaph();
    }

    @Override
    public void close() {
      real.close();
    }
  }

  private static List<StackEvent> events(String... names) {
    StackEvents known = new StackEvents();
    List<StackEvent> events = new ArrayList<>();
    for (String name : names) {
      events.add(known.named(name).orElseThrow());
    }
    return events;
  }

  private static KernelRequest request(String name, String file, int mode, int mebibytes) {
    KernelRequest.More more =
        new KernelRequest.More(
            List.of(TraceSetting.interval(0, 2500), TraceSetting.sampledCounters(List.of(10))),
            List.of(
                TraceSetting.counters(List.of(2)),
                TraceSetting.counterEvents(events("CSwitch")),
                TraceSetting.branches(1),
                TraceSetting.branchEvents(events("CSwitch")),
                TraceSetting.stackCaching(0, 0)),
            List.of());
    return new KernelRequest(
        name,
        file,
        new Buffers(1024, 64, 64),
        mode,
        mebibytes,
        new KernelGroups().named("cpu").orElseThrow(),
        events("Profile"),
        file.isEmpty() ? KernelRequest.More.NOTHING : more);
  }

  /** Records in all ways; returns what is seen of it. */
  private static String record(Agent agent, String library) {
    SessionControl control = new SessionControl(agent, library, library);
    KernelRecorder kernel = new KernelRecorder(control, KernelSessionKind.SYSTEM_LOGGER);
    List<String> seen = new ArrayList<>();
    seen.add(control.registered().names() + " " + control.sources().size());
    kernel.start(request("ntrail", "C:\\k.etl", SessionMode.CIRCULAR, 64), false);
    kernel.start(request("memory", "", SessionMode.BUFFERING, 0), false);
    ProviderRequest runtime =
        new ProviderRequest(
            ".NET",
            ClrRundown.RUNTIME,
            5,
            0xC039,
            EnableParameters.STACKS,
            List.of(Filter.processes(List.of(7))));
    ProviderSessionRequest providers =
        new ProviderSessionRequest(
            "ntrail-user", "C:\\u.etl", new Buffers(256, 4, 8), 1, 10, List.of(runtime));
    new ProviderRecorder(control).start(providers, false, List.of());
    SessionState user = kernel.status("ntrail-user");
    seen.add(user.file() + " " + control.isEnabled(user.handle(), ClrRundown.RUNTIME));
    kernel.mark("ntrail", "here");
    seen.add(kernel.flush("ntrail") + " " + kernel.rundown(kernel.status("memory")));
    kernel.snapshot("memory", "C:\\m.etl");
    seen.add(consume(agent, control, library));
    seen.add(kernel.all().sessions().stream().map(SessionState::name).toList().toString());
    for (String name : List.of("ntrail", "memory", "ntrail-user")) {
      seen.add(kernel.stop(name).name());
    }
    // A token that is left open is seen here.
    control.enablePrivilege(SessionControl.PROFILE_PRIVILEGE);
    seen.add(kernel.all().total() + " left");
    return String.join("\n", seen);
  }

  /** Takes an event of a session that has no file, until Windows hands out no more. */
  private static String consume(Agent agent, SessionControl control, String library) {
    SessionProperties live =
        new SessionProperties(
            "live",
            "",
            Guid.ZERO,
            new Buffers(64, 4, 8),
            SessionMode.REAL_TIME,
            0,
            1,
            0,
            Optional.empty(),
            OptionalLong.empty());
    SessionFailure.check("StartTrace", control.start(live).error());
    List<String> seen = new ArrayList<>();
    try (EventConsumer consumer = EventConsumer.open(agent, library, "live")) {
      seen.add(consumer.session().name() + " " + consumer.session().clockType());
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
      boolean hasEnded = false;
      while (!hasEnded && System.nanoTime() < end) {
        EventConsumer.State state = consumer.read(event -> seen.add(event.length() + " bytes"));
        hasEnded = state.hasEnded();
      }
      seen.add(hasEnded ? "ended" : "hangs");
    } finally {
      control.stop("live");
    }
    return seen.toString();
  }

  /** Writes, reads and deletes in the registry as a recording of a boot does. */
  private static String registry(Agent agent) {
    List<String> seen = new ArrayList<>();
    try (MachineRegistry registry = new MachineRegistry(agent)) {
      registry.deleteKey(KEY);
      registry.key(KEY).number("n", 7).string("s", "text").binary("b", new byte[] {1, 2});
      seen.add(registry.find(KEY, "n") + " " + registry.text(KEY, "s"));
      registry.deleteValue("n");
      seen.add(registry.find(KEY, "n").toString());
      registry.deleteKey(KEY);
      seen.add(registry.text(KEY, "s").toString());
    }
    return String.join("\n", seen);
  }

  /** Returns the complaint about a recording; empty if there is none. */
  private String wrong(Agent agent, String library, String right) throws IOException {
    for (String suffix : List.of("", ".why", ".marks", ".calls")) {
      Files.deleteIfExists(folder.resolve("sessions" + suffix));
    }
    Files.writeString(folder.resolve("sessions.events"), "empty 0\ngone 0\n");
    try {
      String seen = record(agent, library) + "\n" + registry(agent);
      if (!right.isEmpty() && !seen.equals(right)) {
        return "another result: " + seen;
      }
      Path why = folder.resolve("sessions.why");
      return Files.exists(why) ? Files.readString(why) : right.isEmpty() ? seen : "";
    } catch (CannotGoOn e) {
      return e.message();
    }
  }

  @Test
  void noBrokenArgumentOfACallGoesUnnoticed() throws IOException, URISyntaxException {
    PlayedLibrary played =
        PlayedLibrary.of(KernelRecorderTest.class, "standin.c", folder.resolve("sessions"));
    String library = played.name();
    Breaking breaking = new Breaking(played.connection());
    try (Agent agent = Agent.on(breaking, Duration.ofSeconds(30))) {
      Map<Long, String> names = new LinkedHashMap<>();
      Map<Long, List<Integer>> arguments = new LinkedHashMap<>();
      SESSIONS.forEach((name, count) -> {
        long address = agent.resolve(library, name);
        names.put(address, name);
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          all.add(i);
        }
        arguments.put(address, all);
      });
      SYSTEM.forEach((name, some) -> {
        String[] parts = name.split("!", 2);
        long address = agent.resolve(parts[0], parts[1]);
        names.put(address, name);
        arguments.put(address, some);
      });
      String right = wrong(agent, library, "");
      assertTrue(right.endsWith("Optional.empty"), right);
      assertEquals(new TreeSet<>(names.keySet()), breaking.called, "other calls than listed");
      assertEquals("", wrong(agent, library, right));
      List<String> unnoticed = new ArrayList<>();
      for (Map.Entry<Long, String> call : names.entrySet()) {
        assertNotEquals(0, call.getKey(), call.getValue());
        for (int argument : arguments.getOrDefault(call.getKey(), List.of())) {
          breaking.breaks(call.getKey(), argument);
          if (wrong(agent, library, right).isEmpty()) {
            unnoticed.add(call.getValue() + " argument " + argument);
          }
          breaking.breaks(0, 0);
        }
        // The next ones must not be refused for what these left.
        assertEquals("", wrong(agent, library, right), call.getValue());
      }
      assertEquals(List.of(), unnoticed);
    }
  }

  @Test
  void aThreadOfAConsumerThatBeginsElsewhereGoesNotUnnoticed()
      throws IOException, URISyntaxException {
    PlayedLibrary played =
        PlayedLibrary.of(KernelRecorderTest.class, "standin.c", folder.resolve("sessions"));
    for (int argument : List.of(2, 3)) {
      Files.deleteIfExists(folder.resolve("sessions"));
      Files.writeString(folder.resolve("sessions.events"), "empty 0\ngone 0\n");
      Breaking breaking = new Breaking(played.connection());
      try (Agent agent = Agent.on(breaking, Duration.ofSeconds(30))) {
        SessionControl control = new SessionControl(agent, played.name(), played.name());
        breaking.breaks(agent.resolve("kernel32.dll", "CreateThread"), argument);
        assertThrows(CannotGoOn.class, () -> consume(agent, control, played.name()));
      }
    }
  }
}
