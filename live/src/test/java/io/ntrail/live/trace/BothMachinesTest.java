package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.AgentStart;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.windows.StandardHandles;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs of 32 and of 64 bits on a system that runs both: each is traced by the agent of its own
 * machine type, and they are in one recording where one starts the other.
 */
final class BothMachinesTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Set<String> EXPORTED = Set.of("begins", "stepped");

  /** Two functions that the program exports, and all of the C runtime below it. */
  private record Choice() implements TracePlan.Selection {
    @Override
    public boolean mayWant(TargetModule module) {
      return module.name().endsWith(".exe") || isRuntime(module);
    }

    private static boolean isRuntime(TargetModule module) {
      return module.stem().toLowerCase(Locale.ROOT).equals("msvcrt");
    }

    @Override
    public boolean wants(TargetModule module, String name) {
      return isRuntime(module) || EXPORTED.contains(name);
    }

    @Override
    public boolean excludes(TargetModule module, String name) {
      return false;
    }
  }

  @TempDir private Path folder;

  @BeforeEach
  void needsBoth() {
    assumeTrue(Wine.availableWow64(), Wine.missingWow64());
  }

  private static AgentHost.Wine host() {
    Wine wine = Wine.sharedWow64();
    return new AgentHost.Wine(wine.loader(), wine.environment());
  }

  private static Path family(int machine) throws IOException {
    return machine == MachineType.I386
        ? Machine.X86.build(List.of(), "family.c")
        : Programs.build("family.c");
  }

  /** Returns its name on a drive: under another one Wine starts nothing else from it. */
  private static String onDrive(Path program) {
    return "Z:" + program.toString().replace('/', '\\');
  }

  private static long calls(RecorderStatistics its) {
    assertEquals(0, its.allDropped(), its::toString);
    assertEquals(
        its.captured().entries(),
        its.captured().exits() + its.captured().unwinds() + its.openCalls(),
        its::toString);
    return its.captured().entries();
  }

  private static long returned(CallTable calls, String function) {
    CallTable.Row row = calls.byFunction().get(function);
    return row == null ? 0 : row.returned;
  }

  @ParameterizedTest
  @ValueSource(ints = {MachineType.AMD64, MachineType.I386})
  void programsThatStartThoseOfTheOtherMachineTypeAreTracedWithThem(int machine) throws Exception {
    Path other = family(machine == MachineType.I386 ? MachineType.AMD64 : MachineType.I386);
    String program = onDrive(family(machine));
    List<String> words =
        List.of(program, "runs", onDrive(other), "runs %s \"leaf 3 5\"".formatted(program));
    Path out = folder.resolve("out");
    Path recording = folder.resolve("calls.ntr");
    TraceSettings how =
        new TraceSettings(recording, 2, BufferSettings.fixed(64, true), 64, 0, 0, "test");
    TracePlan.Selection choice = new Choice();
    TracedProcessTree family;
    OptionalInt exit = OptionalInt.empty();
    long entries = 0;
    try (Tracing tracing = Tracing.in(Wine.sharedWow64(), machine, folder);
        TraceTarget its =
            TraceTarget.start(
                host(),
                AgentStart.on(host(), machine, LIMIT),
                words,
                calls -> tracing.writing(calls, out));
        TracedProcessTree all =
            TracedProcessTree.withChildren(its, TraceRun.prepare(its, how), choice)) {
      all.begin(its.plan(choice));
      long end = System.nanoTime() + LIMIT.toNanos();
      while (exit.isEmpty()) {
        exit = all.await(20);
        assertTrue(System.nanoTime() - end < 0, "it did not end");
      }
      all.finish(exit);
      family = all;
      entries = calls(all.own());
    }
    assertEquals(
        "leaf 3\r\nit ended with 5\r\nit ended with 15\r\n",
        Files.readString(out, StandardCharsets.ISO_8859_1));
    assertEquals(OptionalInt.of(15), exit);
    assertEquals(List.of(), family.untraced());
    assertEquals(List.of(), family.remarks());
    assertEquals(
        List.of(15, 5),
        family.children().stream().map(child -> child.exitCode().getAsInt()).toList());
    for (TracedChild child : family.children()) {
      assertTrue(child.selfTest().passed(), child.selfTest()::why);
      assertEquals(0, child.lateNanos());
      assertTrue(child.patched() > 500, child::toString);
      entries += calls(child.statistics());
    }
    CallTable table = CallTable.read(recording);
    assertEquals("[]", table.gaps());
    assertEquals(entries, table.byFunction().values().stream().mapToLong(row -> row.entries).sum());
    assertEquals(3, returned(table, "begins"), () -> "" + table.byFunction());
    assertEquals(3, returned(table, "stepped"), () -> "" + table.byFunction());
  }

  @Test
  void agentsOfTheOtherMachineTypeAreRefused() throws Exception {
    for (int machine : List.of(MachineType.AMD64, MachineType.I386)) {
      int other = machine == MachineType.I386 ? MachineType.AMD64 : MachineType.I386;
      List<String> words = List.of(family(machine).toString(), "leaf", "1", "1");
      CannotGoOn refused =
          assertThrows(
              CannotGoOn.class,
              () ->
                  TraceTarget.start(
                          host(),
                          AgentStart.on(host(), other, LIMIT),
                          words,
                          _ -> StandardHandles.NONE)
                      .close());
      assertEquals(
          machine == MachineType.I386
              ? "this is not an x64 program (x86)"
              : "this is not an x86 program (x64)",
          refused.message());
    }
  }
}
