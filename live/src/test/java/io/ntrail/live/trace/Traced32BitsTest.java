package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentConnection;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.capture.CapturedThread;
import io.ntrail.live.capture.ProcessCapture;
import io.ntrail.live.capture.StandingProgram;
import io.ntrail.live.capture.StandingProgram.Standing;
import io.ntrail.live.recovery.CrashRecovery;
import io.ntrail.live.recovery.DetachResult;
import io.ntrail.live.recovery.SessionJournal;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x86.PdbFrameData;
import io.ntrail.programs.unwind.x86.X86Walker;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads of a 32-bit program that stand in traced functions: looked at, and given back. */
final class Traced32BitsTest {
  @TempDir Path folder;

  /** Runs a program traced, and does something when it has said a word. */
  private Tracing.Outcome run(String source, String said, BiConsumer<TargetProcess, Tracer> work)
      throws IOException {
    assumeTrue(Wine.available32(), Wine.missing32());
    WindowsCompiler compiler = WindowsCompiler.MINGW_C_32;
    assumeTrue(compiler.available(), compiler.missing());
    Path program =
        compiler.build(
            List.of(TestData.projectRoot().resolve("live/src/test/programs").resolve(source)),
            "-O2",
            "-fno-omit-frame-pointer");
    Path stop = folder.resolve("stop");
    try (Tracing tracing = Tracing.in(Wine.shared32(), MachineType.I386, folder)) {
      Tracing.Settings settings =
          new Tracing.Settings()
              .program()
              .stacks(64)
              .meanwhile((target, tracer) -> {
                try {
                  Tracing.awaitText(folder.resolve("out1"), said, Duration.ofMinutes(1));
                  work.accept(target, tracer);
                  Files.createFile(stop);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      return tracing.run(settings, "\"" + tracing.name(program) + "\" " + tracing.name(stop));
    }
  }

  private List<Standing> printed() {
    try {
      return StandingProgram.standing(
          Files.readString(folder.resolve("out1"), StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void tracedFramesHaveTheirTrueCallers() throws IOException {
    int[] slots = new int[1];
    Tracing.Outcome outcome = run("standing.c", "ready", (target, _) -> slots[0] = look(target));
    assertEquals(80, outcome.exitCode() & 0x7F, outcome.text());
    assertTrue(outcome.text().strip().endsWith("sum 1872"), outcome.text());
    assertEquals(49, slots[0], "stacks in which the system saw slots");
  }

  /** Compares all stacks; returns in how many of them the system itself saw slots. */
  private int look(TargetProcess target) {
    ProcessCapture capture = ProcessCapture.of(target, ProcessCapture.MOST_STACK);
    X86Walker walker =
        new X86Walker(
            capture.memory(),
            capture.loaded(),
            module -> new PdbFrameData(Optional.empty(), module.image()));
    Map<Integer, CapturedThread> threads =
        capture.threads().stream().collect(Collectors.toMap(CapturedThread::tid, one -> one));
    int slots = 0;
    for (Standing one : printed()) {
      CapturedThread thread = Objects.requireNonNull(threads.get(one.tid()));
      StackWalk walk =
          walker.walk(thread.registers(), new StackLimits(thread.stackLimit(), thread.stackBase()));
      List<Long> frames = walk.frames().stream().map(StackFrame::ip).toList();
      List<Long> all =
          one.callers().stream().skip(1).map(address -> address & 0xFFFF_FFFFL).toList();
      List<Long> callers =
          all.stream().filter(address -> capture.loaded().at(address).isPresent()).toList();
      slots += callers.size() < all.size() ? 1 : 0;
      String text = one + "\n" + frames.stream().map(Long::toHexString).toList();
      assertTrue(frames.containsAll(callers), text);
      // The system itself goes astray where it called the program with an APC.
      assertTrue(
          one.kind().equals("apc")
              || frames.stream().allMatch(address -> capture.loaded().at(address).isPresent()),
          text);
    }
    return slots;
  }

  @Test
  void aProgramThatContinuesHasItsReturnAddressesBack() throws IOException {
    DetachResult[] result = new DetachResult[1];
    Tracing.Outcome outcome =
        run(
            "conventions.c",
            "parked",
            (target, tracer) -> {
              // What a crash would leave is found while it is there.
              assertEquals(1, SessionJournal.frames(target).size());
              result[0] = tracer.detach().orElseThrow();
              int left = result[0].removed() ? 0 : 1;
              assertEquals(left, SessionJournal.frames(target).size(), result[0].toString());
              assertEquals(Optional.empty(), CrashRecovery.settle(target));
              assertTrue(SessionJournal.frames(target).size() <= left);
            });
    assertEquals(42, outcome.exitCode(), outcome.text());
    // Six threads 14 and up to 5, one 4 and 14; then 1,000 times twice i + 1.
    int sum = 6 * 14 + 15 + 4 + 14 + 1_001_000;
    assertTrue(outcome.text().strip().endsWith("sum " + sum), outcome.text());
    // Places of return addresses, of which a tail call shares that of its caller: of each of six
    // threads three, and up to five recursions; of the other one three, and two of its fiber that
    // sleeps; and those of the first thread.
    int places = 6 * 3 + 15 + 3 + 2;
    assertTrue(result[0].repairedFrames() > places, result[0].toString());
    assertTrue(result[0].repairedFrames() < places + 8, result[0].toString());
  }

  @Test
  void registrationsOfHandlersAreNotTouched() throws IOException {
    try (Programs programs = new Programs(Machine.X86, folder)) {
      Tracing.Outcome traced =
          programs.same(new Tracing.Settings().exports(), programs.make("chain.c"));
      assertEquals(5, traced.exitCode(), traced.text());
      CallTable calls = Programs.exact(traced);
      // 100 times one and up to seven more; ten exceptions that go on.
      assertEquals(100 + 1 + 12 * 28 + 6, calls.of("looks").returned);
      assertEquals(10, calls.of("adds").returned);
    }
  }

  @Test
  void withoutProbesOfUnwindersCallsAreFoundToBeGone() throws IOException {
    try (Programs programs = new Programs(Machine.X86, folder)) {
      for (String source : List.of("jump.c", "seh.c")) {
        Path program = programs.make(source);
        CallTable with = Programs.exact(programs.same(new Tracing.Settings().exports(), program));
        CallTable without =
            Programs.exact(
                programs.same(new Tracing.Settings().exports().withoutUnwindProbes(), program));
        assertEquals(with.byFunction().keySet(), without.byFunction().keySet());
        long unwound = 0;
        for (String function : with.byFunction().keySet()) {
          CallTable.Row known = Objects.requireNonNull(with.byFunction().get(function));
          CallTable.Row gone = Objects.requireNonNull(without.byFunction().get(function));
          String both = function + ": " + known + "; " + gone;
          assertEquals(known.entries, gone.entries, both);
          assertEquals(known.returned, gone.returned, both);
          assertEquals(0, gone.unwound, both);
          assertEquals(known.unwound + known.open, gone.inferred + gone.open, both);
          unwound += known.unwound;
        }
        assertTrue(unwound >= 24, source + ": " + unwound);
      }
    }
  }

  /** Addresses of the areas of all sessions that are known in a program. */
  private static Set<Long> areas(TraceTarget target) {
    return SessionJournal.frames(target.process()).stream()
        .flatMap(one -> one.areas().stream())
        .collect(Collectors.toSet());
  }

  @Test
  void slotsThatAnUnwinderKnowsAreNotUsedAgainWhenNtrailWasKilled() throws IOException {
    Wine wine = Machine.X86.wine();
    Path program = Machine.X86.build(List.of(), "patient.cpp");
    AgentHost host = new AgentHost.Wine(wine.loader(), wine.environment());
    Path go = folder.resolve("go");
    Path recording = folder.resolve("calls.ntr");
    TraceSettings how =
        new TraceSettings(recording, 0, BufferSettings.fixed(64, false), 16, 0, 0, "test");
    try (Tracing tracing = Tracing.in(wine, MachineType.I386, folder)) {
      int[] pid = new int[1];
      Path out =
          tracing.start(
              "\"" + tracing.name(program) + "\" " + tracing.name(go),
              (target, _, _) -> {
                pid[0] = target.pid();
                target.resumeMain();
              });
      Tracing.awaitText(out, "ready", Duration.ofMinutes(1));
      Set<Long> first = killed(host, pid[0], how);
      assertFalse(first.isEmpty());
      OptionalInt exit = OptionalInt.empty();
      try (TraceTarget target = TraceTarget.attach(host, agent(host), "" + pid[0]);
          TraceRun run = TraceRun.prepare(target, how)) {
        run.begin(target.plan(new ProgramFunctions(Set.of())));
        for (long area : first) {
          assertFalse(target.process().memory().isFree(area), Long.toHexString(area));
        }
        Set<Long> second = areas(target);
        assertFalse(first.containsAll(second), () -> first + " " + second);
        Files.createFile(go);
        while (exit.isEmpty()) {
          exit = run.await(20);
        }
        run.finish(exit);
      }
      assertEquals(45, exit.getAsInt());
      assertTrue(Files.readString(out).contains("sum 45"));
    }
    CallTable calls = CallTable.read(recording);
    for (String function : List.of("thrower", "through")) {
      CallTable.Row row = Objects.requireNonNull(calls.byFunction().get(function));
      assertEquals(10, row.entries, row::toString);
      assertEquals(10, row.unwound, row::toString);
    }
  }

  /** Traces a program that runs until the agent is killed; returns the areas that are left. */
  private static Set<Long> killed(AgentHost host, int pid, TraceSettings how) {
    AgentConnection connection = host.start(MachineType.I386);
    Set<Long> areas = new HashSet<>();
    try (TraceTarget target =
            TraceTarget.attach(host, Agent.on(connection, Duration.ofMinutes(1)), "" + pid);
        TraceRun run = TraceRun.prepare(target, how)) {
      run.begin(target.plan(new ProgramFunctions(Set.of())));
      areas.addAll(areas(target));
      connection.kill();
      assertThrows(CannotGoOn.class, () -> run.await(20));
      run.abandon();
    } catch (CannotGoOn e) {
      // Without its agent a target cannot be closed either.
      assertFalse(areas.isEmpty(), e::getMessage);
    }
    return areas;
  }

  private static Agent agent(AgentHost host) {
    return Agent.on(host.start(MachineType.I386), Duration.ofMinutes(1));
  }
}
