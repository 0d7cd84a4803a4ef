package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.recovery.CrashRecovery;
import io.ntrail.live.recovery.DetachResult;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.testkit.Slice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tracing leaves a program that continues to run as it found it. */
final class DetachTest {
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");
  private static final String REST = "parked\r\n15\r\n25\r\n35\r\n3000\r\n0\r\n0\r\n";

  /** Calls of each thread of a storm. */
  private static final String CALLS = Integer.toString(Slice.count(20_000, 6_000));

  private static final int PAGE = 0x1000;
  private static final int NO_ACCESS = 1;

  private static void await(Path out, String text) throws IOException {
    long end = System.nanoTime() + 30_000_000_000L;
    while (!Files.readString(out, StandardCharsets.ISO_8859_1).contains(text)) {
      assertTrue(System.nanoTime() < end, () -> "the program does not say " + text);
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Waits until the threads that are busy are traced. */
  private static void awaitBusy(SessionFile session) {
    long end = System.nanoTime() + 30_000_000_000L;
    while (session.threadsBegun() < 2) {
      assertTrue(System.nanoTime() < end, "the program calls nothing that is traced");
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static OptionalInt end(TargetProcess target) {
    for (int i = 0; i < 300; i++) {
      OptionalInt exit = target.await(100);
      if (exit.isPresent()) {
        return exit;
      }
    }
    target.kill(97);
    return OptionalInt.empty();
  }

  private static byte[] code(TargetMemory memory, TargetModule module) {
    return memory.readUpTo(module.base() + 0x1000, 0x8000);
  }

  private static void withParked(Path folder, Path file, Tracing.Work work) throws IOException {
    try (Programs programs = new Programs(folder)) {
      Tracing tracing = programs.tracing();
      Path[] out = {folder.resolve("out1")};
      tracing.start(
          programs.line(Programs.build("parked.cpp"), tracing.name(file)),
          (target, session, name) -> {
            try {
              work.on(target, session, name);
            } finally {
              if (!Files.exists(file)) {
                Files.createFile(file);
              }
            }
            assertEquals(OptionalInt.of(42), end(target));
          });
      assertEquals(REST, Files.readString(out[0], StandardCharsets.ISO_8859_1));
    }
  }

  private static Tracer armed(
      Programs programs,
      TargetProcess target,
      SessionFile session,
      String name,
      BiPredicate<TargetModule, String> wanted) {
    return armed(target, session, name, programs.tracing().plan(target, wanted));
  }

  private static Tracer armed(
      TargetProcess target, SessionFile session, String name, List<PlannedFunction> plan) {
    return armed(target, session, name, plan, 4096);
  }

  private static Tracer armed(
      TargetProcess target,
      SessionFile session,
      String name,
      List<PlannedFunction> plan,
      int stacks) {
    CrashRecovery.settle(target);
    Tracer tracer = new Tracer(target, session, name, stacks);
    UnwindSelfTest test = tracer.selfTest();
    assertTrue(test.passed(), test.why());
    tracer.prepare(plan, true);
    tracer.arm();
    return tracer;
  }

  /**
   * Checks the places of return addresses, of which a tail call shares that of its caller: of each
   * of four parked threads two, of each of two busy ones the first and up to two calls, of the
   * first thread that of main and those of whatever called it.
   */
  private static void assertRepaired(DetachResult detached) {
    int places = 4 * 2 + 2;
    assertTrue(detached.repairedFrames() > places, detached::toString);
    assertTrue(detached.repairedFrames() < places + 8, detached::toString);
  }

  @Test
  void framesOfParkedThreadsAreRepairedAndAllMemoryIsGivenBack(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("go");
    try (Programs programs = new Programs(folder.resolve("plan"))) {
      withParked(
          folder,
          file,
          (target, session, name) -> {
            TargetModule module = target.modules().getFirst();
            byte[] before = code(target.memory(), module);
            Tracer tracer =
                armed(programs, target, session, name, (m, f) -> m.name().endsWith(".exe"));
            target.resumeMain();
            await(folder.resolve("out1"), "parked");
            DetachResult detached = tracer.detach().orElseThrow();
            assertRepaired(detached);
            assertArrayEquals(before, code(target.memory(), module));
            // Of 64 areas and more, all but those of which words lie about on stacks.
            assertTrue(detached.blocksLeft() < 16, detached::toString);
          });
    }
  }

  /** Makes inaccessible whatever stayed in the target because a word may refer to it. */
  private static void makeInaccessible(Tracer tracer, TargetMemory memory) {
    List<TracingMemory.Block> blocks = new ArrayList<>(tracer.patcher().blocks());
    blocks.add(tracer.memory().runtimeBlock());
    blocks.addAll(tracer.memory().areaBlocks());
    for (TracingMemory.Block block : blocks) {
      for (long page = block.begin(); page < block.begin() + block.size(); page += PAGE) {
        try {
          memory.protect(page, PAGE, NO_ACCESS);
        } catch (CannotGoOn e) {
          // It was given back.
        }
      }
    }
  }

  @Test
  void noThreadReturnsIntoTracingAfterwards(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("go");
    try (Programs programs = new Programs(folder.resolve("plan"))) {
      withParked(
          folder,
          file,
          (target, session, name) -> {
            target.resumeMain();
            await(folder.resolve("out1"), "parked");
            Tracer tracer =
                armed(programs, target, session, name, (m, f) -> m.name().endsWith(".exe"));
            awaitBusy(session);
            assertTrue(tracer.detach().isPresent());
            makeInaccessible(tracer, target.memory());
          });
      Path second = Files.createDirectories(folder.resolve("second"));
      Path go = second.resolve("go");
      withParked(
          second,
          go,
          (target, session, name) -> {
            Tracer tracer =
                armed(programs, target, session, name, (m, f) -> m.name().endsWith(".exe"));
            target.resumeMain();
            // Their calls began traced, and end untraced.
            await(second.resolve("out1"), "parked");
            DetachResult detached = tracer.detach().orElseThrow();
            assertRepaired(detached);
            makeInaccessible(tracer, target.memory());
          });
    }
  }

  /** Threads do so that begin while detaching waits for its first stop. */
  @Test
  void threadsThatBeginWhenNoNewCallIsRecordedHaveNothingToRepair(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("go");
    try (Programs programs = new Programs(folder.resolve("plan"))) {
      withParked(
          folder,
          file,
          (target, session, name) -> {
            List<PlannedFunction> plan =
                programs.tracing().plan(target, (m, f) -> m.name().endsWith(".exe"));
            Tracer tracer = armed(target, session, name, plan, 8);
            session.enable(false);
            target.resumeMain();
            await(folder.resolve("out1"), "parked");
            DetachResult detached = tracer.detach().orElseThrow();
            assertEquals(0, detached.repairedFrames(), detached::toString);
            makeInaccessible(tracer, target.memory());
          });
    }
  }

  @Test
  void detachedProgramsCanBeTracedAgain(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("go");
    try (Programs programs = new Programs(folder.resolve("plan"))) {
      withParked(
          folder,
          file,
          (target, session, name) -> {
            target.resumeMain();
            await(folder.resolve("out1"), "parked");
            for (int round = 0; round < Slice.count(5, 2); round++) {
              try (SessionFile own = SessionFile.create(32, 64)) {
                Tracer tracer =
                    armed(
                        programs,
                        target,
                        own,
                        programs.tracing().name(own.path()),
                        (m, f) ->
                            m.name().endsWith(".exe")
                                || Tracing.SYSTEM.contains(m.stem().toLowerCase(Locale.ROOT)));
                awaitBusy(own);
                DetachResult detached = tracer.detach().orElseThrow();
                assertTrue(detached.blocksLeft() < 16, detached::toString);
              }
            }
          });
    }
  }

  /**
   * More rounds than a program has words of threads for, if each kept its two: in each of them a
   * word of a stack looks like an address of the session until it is over.
   */
  @Test
  void leftoversOfASessionAreFreedByTheNextOne(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("go");
    try (Programs programs = new Programs(folder.resolve("plan"))) {
      withParked(
          folder,
          file,
          (target, session, name) -> {
            target.resumeMain();
            await(folder.resolve("out1"), "parked");
            TargetMemory memory = target.memory();
            List<PlannedFunction> plan =
                programs.tracing().plan(target, (m, f) -> m.name().endsWith(".exe"));
            long kept = memory.read(RunningThreadsTest.export(target, "kept"), 8).i64(0);
            for (int round = 0; round < 34; round++) {
              try (SessionFile own = SessionFile.create(32, 64)) {
                Tracer tracer = armed(target, own, programs.tracing().name(own.path()), plan, 16);
                awaitBusy(own);
                long area = tracer.memory().areaBlocks().getFirst().begin();
                memory.write(kept, new BytesBuilder(8).u64(area).toArray());
                DetachResult detached = tracer.detach().orElseThrow();
                assertFalse(detached.removed(), detached::toString);
                assertTrue(detached.blocksLeft() < 16, detached::toString);
                memory.write(kept, new byte[8]);
              }
            }
          });
    }
  }

  /** Attaches, waits a moment, detaches, until the program has ended. */
  private static int rounds(Programs programs, TargetProcess target, Random random)
      throws IOException {
    Tracing tracing = programs.tracing();
    List<List<PlannedFunction>> plans =
        List.of(
            tracing.plan(target, (m, f) -> m.name().endsWith(".exe")),
            tracing.plan(
                target,
                (m, f) ->
                    m.name().endsWith(".exe")
                        || Tracing.SYSTEM.contains(m.stem().toLowerCase(Locale.ROOT))));
    target.resumeMain();
    int rounds = 0;
    while (target.exitCode().isEmpty()) {
      try (SessionFile own = SessionFile.create(32 << random.nextInt(3), 32)) {
        Tracer tracer =
            armed(target, own, tracing.name(own.path()), plans.get(rounds % plans.size()));
        for (int i = random.nextInt(5); i >= 0; i--) {
          LockSupport.parkNanos(random.nextInt(30_000_000));
          tracer.topUp();
        }
        tracer.detach();
        rounds++;
      } catch (CannotGoOn | AssertionError e) {
        if (target.await(5000).isEmpty()) {
          throw e;
        }
      }
    }
    return rounds;
  }

  @Test
  void programInAStormThatIsAttachedAndDetachedAllTheTimeComesToTheSameResult(@TempDir Path folder)
      throws IOException {
    Path program = Programs.build("storm.cpp");
    long end = System.nanoTime() + (LONG ? 600_000_000_000L : 0);
    int seed = 0;
    int rounds = 0;
    do {
      seed++;
      Path own = Files.createDirectories(folder.resolve("storm" + seed));
      try (Programs programs = new Programs(own)) {
        String[] arguments = {Integer.toString(seed), "12", CALLS, "4"};
        String expected = programs.untraced(program, "", arguments).text();
        Random random = new Random(seed);
        int[] done = new int[1];
        Path out =
            programs
                .tracing()
                .start(
                    programs.line(program, arguments),
                    (target, session, name) -> {
                      done[0] = rounds(programs, target, random);
                      assertEquals(OptionalInt.of(3), end(target));
                    });
        assertEquals(expected, Files.readString(out, StandardCharsets.ISO_8859_1));
        rounds += done[0];
      }
    } while (System.nanoTime() < end);
    System.out.println(rounds + " times attached and detached");
    assertTrue(rounds > 0);
  }
}
