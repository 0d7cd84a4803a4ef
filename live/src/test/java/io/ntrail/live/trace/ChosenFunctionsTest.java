package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.TargetModule;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Functions that are added and taken away while the program runs. */
final class ChosenFunctionsTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Functions that can be patched while threads execute them, except the last. */
  private static final List<String> ANY = List.of("at8", "at31", "at61", "at62", "at63");

  private static final List<String> RUNNING = ANY.subList(0, 4);

  @TempDir private Path folder;
  private Programs programs;
  private Path out;
  private Path recording;

  @BeforeEach
  void begin() {
    programs = new Programs(folder);
    out = folder.resolve("out");
    recording = folder.resolve("calls.ntr");
  }

  @AfterEach
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  /** Functions of the program and of libraries that are not the system's. */
  private static TracePlan.Selection only(Set<String> functions) {
    return new TracePlan.Selection() {
      @Override
      public boolean mayWant(TargetModule module) {
        return !module.path().toLowerCase(Locale.ROOT).startsWith("c:\\windows");
      }

      @Override
      public boolean wants(TargetModule module, String name) {
        return functions.contains(name);
      }

      @Override
      public boolean excludes(TargetModule module, String name) {
        return false;
      }
    };
  }

  private static TracePlan.Selection only(String... functions) {
    return only(Set.of(functions));
  }

  /** Action while the program runs. */
  @FunctionalInterface
  private interface Meanwhile {
    void in(TraceTarget target, TraceRun run) throws IOException;
  }

  private CallTable traced(
      Path program, List<String> arguments, TracePlan.Selection first, Meanwhile meanwhile)
      throws IOException {
    Wine wine = programs.wine();
    AgentHost host = new AgentHost.Wine(wine.loader(), wine.environment());
    Agent agent = Agent.on(host.start(), LIMIT);
    List<String> words = new ArrayList<>(List.of(program.toString()));
    words.addAll(arguments);
    TraceSettings how =
        new TraceSettings(recording, 0, BufferSettings.fixed(512, false), 64, 0, 0, "test");
    try (TraceTarget target =
            TraceTarget.start(host, agent, words, calls -> programs.tracing().writing(calls, out));
        TraceRun run = TraceRun.prepare(target, how)) {
      run.begin(target.plan(first));
      meanwhile.in(target, run);
      OptionalInt exit = OptionalInt.empty();
      long end = System.nanoTime() + LIMIT.toNanos();
      while (exit.isEmpty()) {
        exit = run.await(20);
        if (System.nanoTime() - end > 0) {
          target.process().kill(98);
          throw new AssertionError("the program did not end in " + LIMIT);
        }
      }
      var statistics = run.finish(exit);
      assertEquals(0, statistics.damaged(), statistics::toString);
      assertEquals(0, statistics.unknownFunctions(), statistics::toString);
      assertEquals(List.of(), statistics.remarks());
    }
    CallTable calls = CallTable.read(recording);
    for (CallTable.Row row : calls.byFunction().values()) {
      assertEquals(
          row.entries, row.returned + row.unwound + row.open + row.inferred, row::toString);
    }
    return calls;
  }

  private static CallTable.Row of(CallTable calls, String name) {
    return calls.byFunction().getOrDefault(name, new CallTable.Row());
  }

  private String text() throws IOException {
    return Files.readString(out, StandardCharsets.ISO_8859_1).strip();
  }

  private static void rounds(TraceTarget target, TraceRun run, int count) {
    long begin = RunningThreadsTest.number(target.process(), "rounds");
    while ((RunningThreadsTest.number(target.process(), "rounds") - begin & 0xFFFF_FFFFL) < count) {
      assertEquals(OptionalInt.empty(), run.await(1));
    }
  }

  private static void stop(TraceTarget target) {
    RunningThreadsTest.set(target.process(), "stop");
  }

  private static Path straddling() throws IOException {
    return Programs.build("straddling.c", "straddle.S");
  }

  @Test
  void functionsSelectedLaterAreTracedAndDeselectedOnesAreNot() throws IOException {
    CallTable calls =
        traced(
            straddling(),
            List.of("until-stopped"),
            only("at8"),
            (target, run) -> {
              rounds(target, run, 500);
              SelectionResult more = run.choose(only("at8", "at31", "at63"));
              assertEquals(new SelectionResult(2, 0, 2, 3), more);
              rounds(target, run, 500);
              SelectionResult fewer = run.choose(only("at63"));
              assertEquals(new SelectionResult(0, 2, 0, 1), fewer);
              rounds(target, run, 500);
              SelectionResult other = run.choose(only("at61"));
              assertEquals(new SelectionResult(1, 1, 1, 1), other);
              rounds(target, run, 500);
              assertEquals(0, run.choose(only()).traced());
              rounds(target, run, 500);
              SelectionResult again = run.choose(only("at8"));
              assertEquals(new SelectionResult(1, 0, 0, 1), again);
              rounds(target, run, 500);
              stop(target);
            });
    assertEquals("wrong 0", text());
    assertEquals("[]", calls.gaps());
    long once = of(calls, "at31").calls;
    assertTrue(once >= 490, () -> calls.byFunction().toString());
    // Two stretches and those before, beside one and one.
    assertTrue(of(calls, "at8").calls > once + 980, () -> calls.byFunction().toString());
    assertTrue(of(calls, "at63").calls > once + 490, () -> calls.byFunction().toString());
    assertTrue(of(calls, "at61").calls >= 490, () -> calls.byFunction().toString());
    assertEquals(0, of(calls, "at62").calls);
  }

  @Test
  void functionsAreAddedAndTakenAwayAllTheTimeWhileThreadsExecuteThem() throws IOException {
    storm(ANY);
  }

  @Test
  void noThreadStandsStillForFunctionsThatOneStoreChanges() throws IOException {
    storm(RUNNING);
  }

  private void storm(List<String> functions) throws IOException {
    int changes = Boolean.getBoolean("ntrail.long") ? 300 : 10;
    Random random = new Random(8);
    CallTable calls =
        traced(
            straddling(),
            List.of("until-stopped"),
            only(Set.copyOf(functions)),
            (target, run) -> {
              if (functions.equals(RUNNING)) {
                // From here on no thread can be suspended.
                Tracing.replace(
                    target.process().calls().agent(),
                    "kernel32!SuspendThread",
                    new byte[] {0x0F, 0x0B});
              }
              for (int i = 0; i < changes; i++) {
                Set<String> some = new HashSet<>(functions);
                some.removeIf(_ -> random.nextBoolean());
                assertEquals(some.size(), run.choose(only(some)).traced());
                rounds(target, run, random.nextInt(20));
              }
              run.choose(only(Set.copyOf(functions)));
              rounds(target, run, 100);
              stop(target);
            });
    assertEquals("wrong 0", text());
    for (String name : functions) {
      assertTrue(of(calls, name).calls >= 90, () -> calls.byFunction().toString());
      assertEquals(0, of(calls, name).inferred, () -> calls.byFunction().toString());
    }
  }

  @Test
  void functionsOfAnUnloadedLibraryAreTracedWhenItIsLoadedAgain() throws IOException {
    Path library = Programs.build(List.of("-shared"), "library.c");
    Path one = Files.copy(library, folder.resolve("one.dll"));
    Path go = folder.resolve("go");
    List<String> arguments =
        List.of("loop", "400", "1", programs.tracing().name(go), programs.tracing().name(one));
    CallTable calls =
        traced(
            Programs.build("loads.c"),
            arguments,
            only("doubled"),
            (target, run) -> {
              Files.createFile(go);
              while (run.statistics().captured().entries() < 100) {
                assertEquals(OptionalInt.empty(), run.await(1));
              }
              run.choose(only("doubled", "stepped"));
              long now = run.statistics().captured().entries();
              while (run.statistics().captured().entries() < now + 600) {
                assertEquals(OptionalInt.empty(), run.await(1));
              }
              run.choose(only("stepped"));
            });
    assertEquals("[]", calls.gaps());
    assertTrue(of(calls, "doubled").calls >= 150, () -> calls.byFunction().toString());
    assertTrue(of(calls, "doubled").calls < 400, () -> calls.byFunction().toString());
    long each = of(calls, "stepped").calls;
    // Three when it comes, two for each call of the other function, one when it goes.
    assertTrue(each > 600 && each < 6 * 400, () -> calls.byFunction().toString());
  }
}
