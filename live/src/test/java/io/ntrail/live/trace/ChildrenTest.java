package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.UntracedModule;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs that traced programs start: they are traced from their first instruction on, into the
 * same recording, and all of them say and do what they say and do untraced.
 */
final class ChildrenTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path folder;
  private Programs programs;
  private Path program;
  private Path go;
  private Agent agent;
  private Path out;

  @BeforeEach
  void begin() throws IOException {
    programs = new Programs(folder);
    program = Programs.build("family.c");
    go = folder.resolve("go");
    out = folder.resolve("out");
    agent = Agent.on(host().start(), LIMIT);
  }

  @AfterEach
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  private static final TracePlan.Selection NAMED = new Named(true);

  /** The entry point, and the functions that are exported. */
  private record Named(boolean mayStop) implements TracePlan.Selection {
    @Override
    public boolean mayWant(TargetModule module) {
      return module.name().endsWith(".exe");
    }

    @Override
    public boolean wants(TargetModule module, String name) {
      return List.of("mainCRTStartup", "begins", "stepped").contains(name);
    }

    @Override
    public boolean excludes(TargetModule module, String name) {
      return false;
    }
  }

  /** Result of a trace. */
  private record Traced(
      int exitCode,
      String text,
      List<TracedChild> children,
      List<UntracedChild> untraced,
      RecorderStatistics own,
      RecorderStatistics all,
      Path recording) {
    TracedChild only() {
      assertEquals(1, children.size(), children::toString);
      return children.getFirst();
    }

    List<TracedProcess> processes() throws IOException {
      InputFile input = InputFile.of(Files.readAllBytes(recording), "test.ntr");
      try (NtrFile file = NtrFile.open(input, new Gaps())) {
        return file.processes().values().stream()
            .sorted(Comparator.comparingLong(TracedProcess::number))
            .toList();
      }
    }
  }

  private AgentHost host() {
    Wine wine = programs.wine();
    return new AgentHost.Wine(wine.loader(), wine.environment());
  }

  /** Something that is done while programs are traced; false as long as it has to be done again. */
  @FunctionalInterface
  private interface Meanwhile {
    boolean isDone(TracedProcessTree family) throws IOException;
  }

  private Traced traced(String... arguments) throws IOException {
    return traced(_ -> true, arguments);
  }

  private Traced traced(Meanwhile meanwhile, String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of(program.toString()));
    words.addAll(List.of(arguments));
    return traced(
        TraceTarget.start(host(), agent, words, calls -> programs.tracing().writing(calls, out)),
        meanwhile);
  }

  private Traced traced(TraceTarget its, Meanwhile meanwhile) throws IOException {
    Path recording = folder.resolve("calls.ntr");
    TraceSettings how =
        new TraceSettings(recording, 0, BufferSettings.fixed(64, false), 256, 0, 0, "test");
    try (its;
        TracedProcessTree all =
            TracedProcessTree.withChildren(its, TraceRun.prepare(its, how), NAMED)) {
      all.begin(its.plan(NAMED));
      OptionalInt exit = OptionalInt.empty();
      long end = System.nanoTime() + LIMIT.toNanos();
      boolean done = false;
      while (exit.isEmpty()) {
        exit = all.await(20);
        done = done || meanwhile.isDone(all);
        if (System.nanoTime() - end > 0) {
          its.process().kill(98);
          throw new AssertionError("the program did not end in " + LIMIT + ": " + said());
        }
      }
      assertTrue(done, () -> "traced %s, untraced %s".formatted(all.children(), all.untraced()));
      all.finish(exit);
      return traced(all, exit.getAsInt(), recording);
    }
  }

  private Traced traced(TracedProcessTree family, int exit, Path recording) throws IOException {
    RecorderStatistics statistics = family.first().statistics();
    assertEquals(0, statistics.allDropped(), statistics::toString);
    assertEquals(0, statistics.unknownFunctions(), statistics::toString);
    assertEquals(List.of(), statistics.remarks());
    assertEquals(List.of(), family.remarks());
    Traced traced =
        new Traced(
            exit,
            said(),
            family.children(),
            family.untraced(),
            family.own(),
            statistics,
            recording);
    mustAddUp(traced);
    return traced;
  }

  private String said() throws IOException {
    return Files.readString(out, StandardCharsets.ISO_8859_1);
  }

  /** Each call of each process has an end or is open; all are in the file, and so are all names. */
  private static void mustAddUp(Traced traced) throws IOException {
    long entries = balanced(traced.own);
    for (TracedChild child : traced.children) {
      entries += balanced(child.statistics());
      assertTrue(child.selfTest().passed(), child.selfTest()::why);
    }
    assertEquals(entries, traced.all.captured().entries());
    CallTable calls = CallTable.read(traced.recording);
    assertEquals("[]", calls.gaps());
    assertEquals(entries, calls.byFunction().values().stream().mapToLong(row -> row.entries).sum());
    assertTrue(
        Set.of("mainCRTStartup", "begins", "stepped").containsAll(calls.byFunction().keySet()),
        () -> "" + calls.byFunction());
    Set<Integer> pids = traced.children.stream().map(TracedChild::pid).collect(Collectors.toSet());
    for (TracedProcess process : traced.processes().subList(1, 1 + traced.children.size())) {
      assertTrue(pids.contains((int) process.pid()), process::toString);
    }
  }

  private static long balanced(RecorderStatistics one) {
    assertEquals(
        one.captured().entries(),
        one.captured().exits() + one.captured().unwinds() + one.openCalls(),
        one::toString);
    assertEquals(0, one.allDropped(), one::toString);
    return one.captured().entries();
  }

  private void sameAsUntraced(Traced traced, String... arguments) throws IOException {
    Wine.Outcome expected = programs.untraced(program, "", arguments);
    assertEquals(expected.text(), traced.text());
    assertEquals(expected.exitCode(), traced.exitCode() & 0xFF);
  }

  /** A leaf that was traced from its very beginning. */
  private static void isLeaf(TracedChild child, int steps, int exitCode) {
    assertEquals(0, child.lateNanos());
    assertEquals(OptionalInt.of(exitCode), child.exitCode());
    assertEquals(1 + 1 + steps, child.statistics().captured().entries());
    // The entry point does not return.
    assertEquals(1, child.statistics().openCalls());
    assertEquals(3, child.patched());
  }

  @Test
  void childIsTracedFromItsFirstInstructionOn() throws IOException {
    Traced traced = traced("many", "1");
    sameAsUntraced(traced, "many", "1");
    isLeaf(traced.only(), 3, 0);
    assertTrue(traced.only().commandLine().endsWith("leaf 3 0"), traced.only().commandLine());
    assertEquals(traced.processes().getFirst().pid(), traced.only().parent());
    TracedProcess process = traced.processes().getLast();
    assertEquals(traced.only().pid(), process.pid());
    assertTrue(process.began() != 0 && process.ended() > process.began(), process::toString);
    assertEquals(2, CallTable.read(traced.recording).threads());
  }

  @Test
  void childrenOfChildrenAreTraced() throws IOException {
    Traced traced = traced("chain", "3");
    sameAsUntraced(traced, "chain", "3");
    assertEquals(
        List.of(22, 21, 20),
        traced.children.stream().map(child -> child.exitCode().getAsInt()).toList());
    for (int i = 0; i + 1 < 3; i++) {
      assertEquals(traced.children.get(i).pid(), traced.children.get(i + 1).parent());
    }
  }

  @Test
  void manyChildrenLeaveNothing() throws IOException {
    int many = Slice.count(50, 8);
    List<Long> handles = new ArrayList<>();
    Traced traced =
        traced(
            family -> {
              if (handles.isEmpty() && !family.children().isEmpty()) {
                handles.add(handlesOfAgent());
              }
              if (family.children().size() < many - 1) {
                return false;
              }
              handles.add(handlesOfAgent());
              return true;
            },
            "many",
            "" + many);
    sameAsUntraced(traced, "many", "" + many);
    assertEquals(many, traced.children.size());
    for (int i = 0; i < many; i++) {
      isLeaf(traced.children.get(i), 3, i);
    }
    // One child may live when they are counted: process, thread, job.
    assertTrue(Math.abs(handles.getLast() - handles.getFirst()) <= 5, handles::toString);
  }

  private long handlesOfAgent() {
    WindowsApi calls = new WindowsApi(agent);
    calls.must("handles", "kernel32!GetProcessHandleCount", -1, agent.scratch());
    return agent.peek(agent.scratch(), 4).u32(0);
  }

  @Test
  void childrenOfSeveralThreadsAtOnceAreTraced() throws IOException {
    Traced traced = traced("crowd", "8");
    sameAsUntraced(traced, "crowd", "8");
    assertEquals(8, traced.children.size(), () -> "untraced: " + traced.untraced);
    traced.children.forEach(child -> isLeaf(child, 3, 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void childThatIsCreatedSuspendedStaysSoUntilItIsResumed(String times) throws IOException {
    Traced traced = traced("suspended", times);
    sameAsUntraced(traced, "suspended", times);
    isLeaf(traced.only(), 5, 33);
  }

  @Test
  void childThatIsNeverResumedIsNotTouched() throws IOException {
    Traced traced = traced("unborn", "");
    sameAsUntraced(traced, "unborn", "");
    assertEquals(List.of(), traced.children);
    assertEquals(List.of(), traced.untraced);
  }

  @Test
  void childThatIsKilledLeavesItsCalls() throws IOException {
    Traced traced = traced("killed", "");
    sameAsUntraced(traced, "killed", "");
    assertEquals(OptionalInt.of(77), traced.only().exitCode());
    assertTrue(traced.only().statistics().captured().entries() > 2);
  }

  @Test
  void traceEndsWithTheLastChild() throws IOException {
    Path file = go;
    String name = programs.tracing().name(file);
    Traced traced =
        traced(
            family -> {
              if (!family.hasFirstEnded() || family.livingChildren() == 0) {
                return false;
              }
              Files.createFile(file);
              return true;
            },
            "orphan",
            name);
    assertEquals(12, traced.exitCode());
    assertEquals(OptionalInt.of(14), traced.only().exitCode());
    assertTrue(traced.text().endsWith("there\r\n"), traced::text);
  }

  @Test
  void childOfAProgramThatRanBeforeIsTraced() throws IOException {
    int[] pid = new int[1];
    out =
        programs
            .tracing()
            .start(
                // As a drive has it: under the other name Wine starts nothing else from it.
                "\"Z:%s\" after %s"
                    .formatted(program.toString().replace('/', '\\'), programs.tracing().name(go)),
                (started, session, name) -> {
                  pid[0] = started.pid();
                  started.resumeMain();
                });
    Traced traced =
        traced(
            TraceTarget.attach(host(), agent, "" + pid[0]),
            _ -> {
              Files.createFile(go);
              return true;
            });
    assertEquals("last\r\nchain 1: 20\r\nafter: 21\r\n", traced.text());
    assertEquals(16, traced.exitCode());
    assertEquals(2, traced.children.size());
    traced.children.forEach(child -> assertEquals(0, child.lateNanos()));
  }

  @Test
  void childThatCannotBeTracedContinuesAndIsNamed() throws IOException {
    Path built = Programs.build("entryless.c");
    Path entryless = Files.copy(built, folder.resolve("entryless.exe"));
    try (RandomAccessFile file = new RandomAccessFile(entryless.toFile(), "rw")) {
      byte[] four = new byte[4];
      file.seek(0x3C);
      file.readFully(four);
      file.seek(ByteBuffer.wrap(four).order(ByteOrder.LITTLE_ENDIAN).getInt() + 0x28L);
      file.writeInt(0);
    }
    String name = programs.tracing().name(entryless);
    Traced traced = traced("runs", name);
    sameAsUntraced(traced, "runs", name);
    assertTrue(traced.text().contains("early"), traced::text);
    assertTrue(traced.text().contains("ended with 43"), traced::text);
    assertEquals(List.of(), traced.children);
    assertEquals(1, traced.untraced.size());
    UntracedChild named = traced.untraced.getFirst();
    assertEquals("entryless.exe", named.program());
    assertTrue(named.why().contains("no native entry point"), named::why);
  }

  @Test
  void childThatWasNotHeldIsTracedLateAndWhatIsMissingIsNamed() throws IOException {
    Path end = folder.resolve("end");
    int[] pid = new int[1];
    out =
        programs
            .tracing()
            .start(
                "\"Z:%s\" later %s %s"
                    .formatted(
                        program.toString().replace('/', '\\'),
                        programs.tracing().name(go),
                        programs.tracing().name(end)),
                (started, session, name) -> {
                  pid[0] = started.pid();
                  started.resumeMain();
                });
    // Without suspending threads nothing holds a child of a running program.
    TracePlan.Selection running = new Named(false);
    Path recording = folder.resolve("calls.ntr");
    TraceSettings how =
        new TraceSettings(recording, 0, BufferSettings.fixed(64, false), 256, 0, 0, "test");
    try (TraceTarget its = TraceTarget.attach(host(), agent, "" + pid[0]);
        TracedProcessTree all =
            TracedProcessTree.withChildren(its, TraceRun.prepare(its, how), running)) {
      all.begin(its.plan(running));
      Files.createFile(go);
      OptionalInt exit = OptionalInt.empty();
      long limit = System.nanoTime() + LIMIT.toNanos();
      while (exit.isEmpty()) {
        exit = all.await(20);
        if (all.livingChildren() == 1 && !Files.exists(end)) {
          Files.createFile(end);
        }
        assertTrue(System.nanoTime() - limit < 0, "no child");
      }
      all.finish(exit);
      assertEquals(OptionalInt.of(17), exit);
      TracedChild child = all.children().getFirst();
      assertTrue(child.lateNanos() > 0);
      UntracedModule missing = all.first().untraced().getFirst();
      assertEquals(List.of(missing), all.first().untraced());
      assertTrue(missing.module().endsWith("\\" + program.getFileName()), missing::module);
      assertEquals("its process was traced late", missing.why());
      long nanos = all.first().nanos(missing.to()) - all.first().nanos(missing.from());
      // Each of the two traces has measured the frequency of the clock for itself.
      assertEquals((double) nanos, (double) child.lateNanos(), nanos / 100.0 + 1_000);
      InputFile input = InputFile.of(Files.readAllBytes(recording), "test.ntr");
      try (NtrFile file = NtrFile.open(input, new Gaps())) {
        assertEquals(List.of(missing), List.copyOf(file.untraced().values()));
      }
    }
  }

  @Test
  void whenTracingEndsLivingChildrenAreRestoredAndContinue() throws IOException {
    List<String> words = List.of(program.toString(), "waits", programs.tracing().name(go));
    Path recording = folder.resolve("calls.ntr");
    TraceSettings how =
        new TraceSettings(recording, 0, BufferSettings.fixed(64, false), 256, 0, 0, "test");
    try (TraceTarget its =
            TraceTarget.start(
                host(), agent, words, calls -> programs.tracing().writing(calls, out));
        TracedProcessTree all =
            TracedProcessTree.withChildren(its, TraceRun.prepare(its, how), NAMED)) {
      all.begin(its.plan(NAMED));
      long end = System.nanoTime() + LIMIT.toNanos();
      while (!said().contains("ready")) {
        assertEquals(OptionalInt.empty(), all.await(20));
        assertTrue(System.nanoTime() - end < 0, "no child");
      }
      assertEquals(OptionalInt.empty(), all.disarm());
      all.finish(OptionalInt.empty());
      Traced traced = traced(all, 0, recording);
      assertEquals(OptionalInt.empty(), traced.only().exitCode());
      assertTrue(traced.only().detachment().isPresent());
      Files.createFile(go);
      OptionalInt exit = OptionalInt.empty();
      while (exit.isEmpty()) {
        exit = its.process().await(1000);
      }
      assertEquals(OptionalInt.of(13), exit);
      assertEquals("ready\r\nthere\r\nwaited: 14\r\n", said());
    }
  }
}
