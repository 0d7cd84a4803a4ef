package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.UntracedModule;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.target.TargetModule;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Libraries that a program loads and unloads while it is traced: each call is recorded, from the
 * first one of the entry point on, and the program says what it says untraced.
 */
final class ModuleTrackerTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path folder;
  private Programs programs;
  private Path program;
  private Path go;

  @BeforeEach
  void begin() throws IOException {
    programs = new Programs(folder);
    program = Programs.build("loads.c");
    go = folder.resolve("go");
  }

  @AfterEach
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  /** A library of this name in the test's folder. */
  private Path library(String name) throws IOException {
    Path built = Programs.build(List.of("-shared"), "library.c");
    return Files.copy(built, folder.resolve(name + ".dll"));
  }

  private static Path throwing() throws IOException {
    return Programs.build(List.of("-shared"), "throwing.cpp");
  }

  /** All functions that have names, but those of the system's libraries. */
  private static final TracePlan.Selection NAMED =
      new TracePlan.Selection() {
        @Override
        public boolean mayWant(TargetModule module) {
          return !module.path().toLowerCase(Locale.ROOT).startsWith("c:\\windows");
        }

        @Override
        public boolean wants(TargetModule module, String name) {
          return List.of("begins", "stepped", "doubled", "deeper", "caught").contains(name);
        }

        @Override
        public boolean excludes(TargetModule module, String name) {
          return false;
        }
      };

  /** Result of a trace. */
  private record Traced(
      int exitCode, String text, TracePlan plan, RecorderStatistics statistics, Path recording) {
    CallTable.Row calls(String name) throws IOException {
      CallTable calls = CallTable.read(recording);
      assertEquals("[]", calls.gaps());
      CallTable.Row row = calls.byFunction().get(name);
      assertNotNull(row, () -> name + " of " + calls.byFunction());
      assertEquals(row.entries, row.exits + row.unwinds, row::toString);
      return row;
    }

    List<UntracedModule> untraced() throws IOException {
      InputFile input = InputFile.of(Files.readAllBytes(recording), "test.ntr");
      try (NtrFile file = NtrFile.open(input, new Gaps())) {
        return List.copyOf(file.untraced().values());
      }
    }

    List<TracedModule> modules() throws IOException {
      InputFile input = InputFile.of(Files.readAllBytes(recording), "test.ntr");
      try (NtrFile file = NtrFile.open(input, new Gaps())) {
        return file.modules().values().stream()
            .sorted(Comparator.comparingLong(TracedModule::number))
            .toList();
      }
    }
  }

  private String[] arguments(String how, int rounds, int threads, Path... libraries) {
    List<String> words = new ArrayList<>(List.of(how, "" + rounds, "" + threads));
    words.add(programs.tracing().name(go));
    for (Path library : libraries) {
      words.add(programs.tracing().name(library));
    }
    return words.toArray(String[]::new);
  }

  /** Starts the program with tracing. */
  private Traced started(String... arguments) throws IOException {
    Wine wine = programs.wine();
    AgentHost host = new AgentHost.Wine(wine.loader(), wine.environment());
    Agent agent = Agent.on(host.start(), LIMIT);
    Path out = folder.resolve("out");
    List<String> words = new ArrayList<>(List.of(program.toString()));
    words.addAll(List.of(arguments));
    TraceTarget target =
        TraceTarget.start(host, agent, words, calls -> programs.tracing().writing(calls, out));
    return traced(target, out);
  }

  /** Lets the program run, and attaches to it then. */
  private Traced attached(String... arguments) throws IOException {
    Path out = folder.resolve("out1");
    return traced(running(arguments), out);
  }

  private TraceTarget running(String... arguments) throws IOException {
    Wine wine = programs.wine();
    AgentHost host = new AgentHost.Wine(wine.loader(), wine.environment());
    int[] pid = new int[1];
    Path out =
        programs
            .tracing()
            .start(
                programs.line(program, arguments),
                (target, session, name) -> {
                  pid[0] = target.pid();
                  target.resumeMain();
                });
    assertEquals(folder.resolve("out1"), out);
    return TraceTarget.attach(host, "" + pid[0]);
  }

  private Traced traced(TraceTarget target, Path out) throws IOException {
    return traced(target, out, NAMED, go);
  }

  private Traced traced(TraceTarget target, Path out, TracePlan.Selection choice, Path go)
      throws IOException {
    Path recording = folder.resolve("calls.ntr");
    TraceSettings how =
        new TraceSettings(recording, 0, BufferSettings.fixed(256, false), 256, 0, 0, "test");
    try (target;
        TraceRun run = TraceRun.prepare(target, how)) {
      run.begin(target.plan(choice));
      Files.createFile(go);
      OptionalInt exit = OptionalInt.empty();
      long end = System.nanoTime() + LIMIT.toNanos();
      while (exit.isEmpty()) {
        exit = run.await(20);
        if (System.nanoTime() - end > 0) {
          target.process().kill(98);
          throw new AssertionError("the program did not end in " + LIMIT + ": " + read(out));
        }
      }
      RecorderStatistics statistics = run.finish(exit);
      assertEquals(0, statistics.allDropped(), statistics::toString);
      assertEquals(0, statistics.unknownFunctions(), statistics::toString);
      assertEquals(List.of(), statistics.remarks());
      return new Traced(exit.getAsInt(), read(out), run.plan(), statistics, recording);
    }
  }

  private static String read(Path out) throws IOException {
    return Files.readString(out, StandardCharsets.ISO_8859_1);
  }

  /** Checks that output and exit code are those without tracing. */
  private void sameAsUntraced(Traced traced, String... arguments) throws IOException {
    Wine.Outcome expected = untraced(arguments);
    assertEquals(expected.text(), traced.text());
    assertEquals(expected.exitCode(), traced.exitCode() & 0xFF);
  }

  /**
   * Runs the program alone. Where one thread throws while others load and unload libraries, Wine
   * itself may crash in its list of modules (docs/live.md), which says nothing of tracing: it runs
   * again then.
   */
  private Wine.Outcome untraced(String... arguments) throws IOException {
    Wine.Outcome outcome = programs.untraced(program, "", arguments);
    for (int again = 0; again < 4 && outcome.text().contains("Unhandled exception"); again++) {
      outcome = programs.untraced(program, "", arguments);
    }
    return outcome;
  }

  @Test
  void theFirstCallOfAnEntryPointIsTraced() throws IOException {
    String[] arguments = arguments("stay", 1, 1, library("one"));
    Traced traced = started(arguments);
    sameAsUntraced(traced, arguments);
    assertEquals(3 + 2, traced.calls("stepped").entries);
    assertEquals(1, traced.calls("doubled").entries);
    assertEquals(1, traced.calls("begins").entries);
    TracedModule module = traced.modules().getLast();
    assertTrue(module.path().endsWith("one.dll"), module::path);
    assertTrue(module.loaded() != 0, module::toString);
    assertEquals(0, module.unloaded(), module::toString);
  }

  @Test
  void theFirstCallIsTracedInAProgramThatRanBefore() throws IOException {
    String[] arguments = arguments("stay", 1, 1, library("one"));
    Traced traced = attached(arguments);
    sameAsUntraced(traced, arguments);
    assertEquals(3 + 2, traced.calls("stepped").entries);
    assertEquals(1, traced.calls("doubled").entries);
  }

  @Test
  void aLibraryMayGoWhileItIsPlannedAndIsTracedWhenItComesAgain() throws IOException {
    String[] arguments = arguments("again", 1, 1, library("one"));
    TraceTarget target = running(arguments);
    while (!read(folder.resolve("out1")).contains("ready")) {
      LockSupport.parkNanos(1_000_000);
    }
    TracePlan.Selection letsGo =
        new TracePlan.Selection() {
          @Override
          public boolean mayWant(TargetModule module) {
            if (module.name().equals("one.dll") && !Files.exists(go)) {
              create(go);
              while (target.process().modules().contains(module)) {
                LockSupport.parkNanos(1_000_000);
              }
            }
            return NAMED.mayWant(module);
          }

          @Override
          public boolean wants(TargetModule module, String name) {
            return NAMED.wants(module, name);
          }

          @Override
          public boolean excludes(TargetModule module, String name) {
            return NAMED.excludes(module, name);
          }
        };
    Path second = folder.resolve("go2");
    Traced traced = traced(target, folder.resolve("out1"), letsGo, second);
    sameAsUntraced(traced, arguments);
    assertEquals(3 + 2 + 1, traced.calls("stepped").entries);
    assertEquals(1, traced.calls("doubled").entries);
  }

  /** The selection {@link #NAMED}, with something that happens when the library is planned. */
  private static TracePlan.Selection when(Path library, Runnable happens) {
    return new TracePlan.Selection() {
      private boolean happened;

      @Override
      public boolean mayWant(TargetModule module) {
        if (module.name().equals(library.getFileName().toString()) && !happened) {
          happened = true;
          happens.run();
        }
        return NAMED.mayWant(module);
      }

      @Override
      public boolean wants(TargetModule module, String name) {
        return NAMED.wants(module, name);
      }

      @Override
      public boolean excludes(TargetModule module, String name) {
        return NAMED.excludes(module, name);
      }
    };
  }

  private static void pause(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Stops this JVM, with its heartbeat, for longer than the target waits for one. */
  private static void stopTracer() {
    long pid = ProcessHandle.current().pid();
    String stop = "kill -STOP " + pid + "; sleep 3; kill -CONT " + pid;
    try {
      Process process = new ProcessBuilder("sh", "-c", stop).start();
      assertEquals(0, process.waitFor());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aLibraryIsTracedFromItsEntryPointOnHoweverLongItsPlanTakes() throws IOException {
    Path one = library("one");
    TracePlan.Selection slow = when(one, () -> pause(Duration.ofMillis(3500)));
    Path out = folder.resolve("out1");
    Traced traced = traced(running(arguments("stay", 1, 1, one)), out, slow, go);
    assertEquals(3 + 2, traced.calls("stepped").entries);
    assertEquals(List.of(), traced.untraced());
  }

  @Test
  void aLibraryThatWasNotAwaitedIsInTheRecordingAsUntraced() throws IOException {
    Path one = library("one");
    TracePlan.Selection stopped = when(one, ModuleTrackerTest::stopTracer);
    Path out = folder.resolve("out1");
    Traced traced = traced(running(arguments("stay", 1, 1, one)), out, stopped, go);
    List<UntracedModule> all = traced.untraced();
    assertEquals(1, all.size(), all::toString);
    UntracedModule untraced = all.getFirst();
    assertTrue(untraced.module().endsWith("one.dll"), untraced::toString);
    assertTrue(untraced.from() != 0 && untraced.process() == 1, untraced::toString);
    assertEquals("its loading went on before it was patched", untraced.why());
  }

  @Test
  void aLibraryWhoseProgramEndsWhileItIsPlannedIsInTheRecordingAsUntraced() throws IOException {
    TraceTarget target = running(arguments("stay", 1, 1, library("one")));
    TracePlan.Selection ends =
        new TracePlan.Selection() {
          @Override
          public boolean mayWant(TargetModule module) {
            return NAMED.mayWant(module);
          }

          @Override
          public boolean wants(TargetModule module, String name) {
            if (module.name().equals("one.dll") && target.process().exitCode().isEmpty()) {
              target.process().kill(7);
            }
            return NAMED.wants(module, name);
          }

          @Override
          public boolean excludes(TargetModule module, String name) {
            return NAMED.excludes(module, name);
          }
        };
    Traced traced = traced(target, folder.resolve("out1"), ends, go);
    assertEquals(7, traced.exitCode());
    List<UntracedModule> all = traced.untraced();
    assertEquals(1, all.size(), all::toString);
    assertTrue(all.getFirst().module().endsWith("one.dll"), all::toString);
  }

  private static void create(Path file) {
    try {
      Files.createFile(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aLibraryThatComesAndGoesManyTimesIsTracedEachTime() throws IOException {
    int times = Slice.count(1000, 200);
    String[] arguments = arguments("loop", times, 1, library("one"));
    Traced traced = started(arguments);
    sameAsUntraced(traced, arguments);
    assertEquals(times * (3L + 2 + 1), traced.calls("stepped").entries);
    assertEquals(times, traced.calls("doubled").entries);
    // The program and the library, whose memory is used again.
    assertEquals(2, traced.modules().size(), () -> "" + traced.plan().modules());
    assertTrue(traced.modules().getLast().unloaded() != 0);
    assertEquals(3, traced.plan().patched());
  }

  @Test
  void anotherLibraryAtTheSamePlaceIsAnotherModule() throws IOException {
    Path one = library("one");
    Path two = library("two");
    String[] arguments = arguments("loop", 100, 1, one, two);
    Traced traced = started(arguments);
    sameAsUntraced(traced, arguments);
    List<TracedModule> modules = traced.modules();
    assertEquals(3, modules.size(), modules::toString);
    assertEquals(modules.get(1).base(), modules.get(2).base());
    assertEquals(100 * (3 + 2 + 1), traced.calls("stepped").entries);
  }

  @Test
  void anEntryPointMayLoadAnotherLibrary() throws IOException {
    Path one = library("one");
    Path two = library("two");
    String[] arguments = arguments("nest", 1, 1, one, two);
    Traced traced = started(arguments);
    sameAsUntraced(traced, arguments);
    assertEquals(2 * 3 + 2 + 1, traced.calls("stepped").entries);
  }

  @Test
  void manyThreadsLoadAndUnload() throws IOException {
    String[] arguments = arguments("loop", 100, 4, library("one"), library("two"));
    Traced traced = started(arguments);
    sameAsUntraced(traced, arguments);
    assertEquals(400, traced.calls("doubled").entries);
    // Three calls when it comes, one when it goes, whichever thread caused it.
    long rest = traced.calls("stepped").entries - 400 * 2;
    assertTrue(rest > 0 && rest % 4 == 0, "" + rest);
  }

  @Test
  void manyThreadsLoadAndUnloadInAProgramThatRanBefore() throws IOException {
    String[] arguments = arguments("loop", 100, 4, library("one"), library("two"));
    Traced traced = attached(arguments);
    sameAsUntraced(traced, arguments);
    assertEquals(400, traced.calls("doubled").entries);
  }

  @Test
  void aLibraryThrowsWhileOthersComeAndGo() throws IOException {
    String[] arguments = arguments("throw", 100, 4, throwing(), library("one"), library("two"));
    Traced traced = started(arguments);
    sameAsUntraced(traced, arguments);
    assertEquals(2000, traced.calls("caught").entries);
    assertEquals(2000, traced.calls("caught").exits);
    // i % 8 deep, and one more for the function that throws.
    assertEquals(2000 / 8 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8), traced.calls("deeper").unwinds);
    assertEquals(300, traced.calls("doubled").entries);
  }
}
