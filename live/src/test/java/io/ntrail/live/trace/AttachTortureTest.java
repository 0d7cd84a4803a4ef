package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.ntr.EventTally;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentConnection;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.SkipReason;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.recovery.DetachResult;
import io.ntrail.live.session.BufferMemory;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.target.TargetModule;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Programs that do everything at once are attached to and detached again and again, and never
 * notice; what was recorded adds up.
 *
 * <p>-Dntrail.torture=SECONDS: for so long, else a few rounds of one program, or ten minutes with
 * -Dntrail.long=true. -Dntrail.seed=N: the course of things that was printed with this number.
 */
final class AttachTortureTest {
  private static final long SECONDS =
      Long.getLong("ntrail.torture", Boolean.getBoolean("ntrail.long") ? 600 : 0);

  /** However little time there is. */
  private static final int FEWEST_PROGRAMS = Slice.count(2, 1);

  private static final int FEWEST_ROUNDS = Slice.count(4, 2);

  private static final long SEED = Long.getLong("ntrail.seed", System.nanoTime() & 0xFFFF);

  /** Of so many rounds, one ends with the death of the agent. */
  private static final int DEATHS = 12;

  private static final int MAX_MILLIS = 1500;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /**
   * Each of them keeps two of the 64 words of threads as long as anything looks like an address of
   * it, which may be for ever: a program can be attached to about thirty times then.
   */
  private static final int MAX_ROUNDS = 25;

  /**
   * Of each of them something stays in the address space of a 32-bit program, too: up to 64 MiB of
   * the session, and as much of areas.
   */
  private static final int MAX_ROUNDS_32 = 8;

  /** Limit of the buffers in bytes where they grow. */
  private static final long MOST_BUFFERS = 256L << 20;

  private static final long MOST_BUFFERS_32 = 64L << 20;

  /** The more of it, the less is lost. */
  private static final List<Integer> PAUSES = List.of(40, 200);

  private final Random random = new Random(SEED);
  private final Map<String, Long> sums = new TreeMap<>();

  private void count(String what, long more) {
    sums.merge(what, more, Long::sum);
  }

  /** All functions of the modules of a round. */
  private record Choice(String what, boolean program, boolean libraries, List<String> system)
      implements TracePlan.Selection {
    @Override
    public boolean mayWant(TargetModule module) {
      String stem = module.stem().toLowerCase(Locale.ROOT);
      return module.name().endsWith(".exe")
          ? program
          : module.path().toLowerCase(Locale.ROOT).startsWith("c:\\windows")
              ? system.contains(stem)
              : libraries;
    }

    @Override
    public boolean wants(TargetModule module, String name) {
      return true;
    }

    @Override
    public boolean excludes(TargetModule module, String name) {
      return false;
    }
  }

  private Choice choice() {
    List<String> all = Tracing.SYSTEM.stream().sorted().toList();
    return switch (random.nextInt(6)) {
      case 0 -> new Choice("program", true, false, List.of());
      case 1 -> new Choice("libraries", false, true, List.of());
      case 2 -> new Choice("program and libraries", true, true, List.of());
      case 3 -> new Choice("kernelbase and program", true, true, List.of("kernelbase"));
      case 4 -> new Choice("ntdll", random.nextBoolean(), true, List.of("ntdll"));
      default -> new Choice("everything", true, true, all);
    };
  }

  /** After it the program can be traced as before, also where the controller could not end. */
  private void round(Programs programs, Path recording, Torture torture, boolean roomy)
      throws IOException {
    Wine wine = programs.wine();
    AgentHost host = new AgentHost.Wine(wine.loader(), wine.environment());
    Choice choice = roomy ? new Choice("program", true, false, List.of()) : choice();
    int arguments = List.of(0, 4, 12).get(random.nextInt(3));
    boolean is32 = programs.machine() == Machine.X86;
    int all = is32 ? 1024 : 2048;
    int chunks = roomy ? all : List.of(8, 512, all).get(random.nextInt(3));
    int threads = roomy ? 1024 : List.of(16, 128, 1024).get(random.nextInt(3));
    boolean waits = !roomy && random.nextBoolean();
    BufferSettings buffers =
        random.nextBoolean()
            ? BufferSettings.fixed(chunks, waits)
            : BufferSettings.growing(
                chunks, BufferMemory.of(is32 ? MOST_BUFFERS_32 : MOST_BUFFERS), waits);
    TraceSettings how = new TraceSettings(recording, arguments, buffers, threads, 0, 0, "test");
    long until = roomy ? 0 : random.nextInt(MAX_MILLIS) * 1_000_000L;
    boolean dies = !roomy && random.nextInt(DEATHS) == 0;
    String what = choice.what + ", " + how + (dies ? ", the agent dies" : "");
    AgentConnection connection = host.start(programs.machine().type());
    List<RecorderStatistics> statistics = new ArrayList<>();
    try (TraceTarget target =
            TraceTarget.attach(host, Agent.on(connection, PATIENCE), "" + torture.pid());
        TraceRun run = TraceRun.prepare(target, how)) {
      assertTrue(run.selfTest().passed(), run.selfTest()::why);
      TracePlan plan = target.plan(choice);
      assertEquals(List.of(), changed(plan), what);
      run.begin(plan);
      long end = System.nanoTime() + until;
      do {
        assertEquals(OptionalInt.empty(), run.await(20), torture::told);
      } while (System.nanoTime() < end);
      if (dies) {
        connection.kill();
        assertThrows(CannotGoOn.class, () -> run.await(20));
        run.abandon();
        statistics.add(run.statistics());
      } else {
        assertEquals(OptionalInt.empty(), run.disarm(), torture::told);
        statistics.add(run.finish(OptionalInt.empty()));
        DetachResult left = run.detachment().orElseThrow();
        count("frames repaired", left.repairedFrames());
        count(left.removed() ? "removed" : "something stayed", 1);
      }
    } catch (CannotGoOn e) {
      // Without its agent a target cannot be closed either.
      if (!dies || statistics.isEmpty()) {
        throw e;
      }
    }
    check(recording, statistics.getFirst(), dies, what);
    count(dies ? "deaths of the agent" : "detached", 1);
    count(choice.what, 1);
  }

  /**
   * Functions whose code is not as it was before all tracing. Under Wine {@code
   * LdrFindEntryForAddress} stays changed, which may take the room of the function in front of it.
   */
  private static List<String> changed(TracePlan plan) {
    long guard =
        plan.functions().stream()
            .filter(function -> function.name().equals("LdrFindEntryForAddress"))
            .mapToLong(PlannedFunction::rva)
            .findFirst()
            .orElse(0);
    return plan.functions().stream()
        .filter(function ->
            function
                .reason()
                .filter(why -> why.kind() == SkipReason.Kind.FOREIGN_PATCH)
                .isPresent())
        .filter(function -> Math.abs(function.patch().function().end() - guard) > 16)
        .filter(function -> function.rva() != guard)
        .map(function -> function.name() + ": " + function.reason())
        .toList();
  }

  private void check(Path recording, RecorderStatistics statistics, boolean died, String what)
      throws IOException {
    CallTable calls = CallTable.read(recording);
    String all = what + ": " + statistics;
    assertEquals(0, statistics.damaged(), all);
    assertEquals(0, statistics.missing(), all);
    assertEquals(0, statistics.unreadable(), all);
    assertEquals(0, statistics.unknownFunctions(), all);
    assertEquals(List.of(), statistics.remarks(), all);
    assertEquals("[]", calls.gaps(), all);
    boolean whole = statistics.allDropped() == 0 && !died;
    long[] found = new long[5];
    found[4] = calls.targets();
    calls
        .byFunction()
        .forEach((name, row) -> {
          found[0] += row.entries;
          found[3] += row.entriesOnly;
          found[1] += row.exits;
          found[2] += row.unwinds;
          Supplier<@Nullable String> of = () -> name + ", " + row + " of " + all;
          if (whole) {
            assertTrue(row.entries >= row.exits + row.unwinds, of);
          }
          // Fibers begin in one thread and end in another.
          if (whole && name.contains("5plain")) {
            assertEquals(row.entries, row.returned + row.unwound + row.open + row.inferred, of);
            assertEquals(row.exits, row.returned, of);
          }
        });
    EventTally captured = statistics.captured();
    EventTally inFile =
        new EventTally(Arrays.stream(found).sum(), found[0], found[1], found[2], found[4]);
    if (died) {
      // The threads, which could not be suspended, were still recorded.
      assertTrue(inFile.events() >= captured.events(), all);
    } else {
      assertEquals(captured, inFile, all);
    }
    count("entries", found[0]);
    count("exits", found[1]);
    count("unwinds", found[2]);
    count("lost", statistics.lost());
    count("without loss", whole ? 1 : 0);
  }

  @ParameterizedTest
  @EnumSource
  void programsThatDoEverythingNeverNoticeThatTheyAreTraced(Machine machine, @TempDir Path folder)
      throws IOException {
    System.out.println("torture, " + machine + ": seed " + SEED + ", " + SECONDS + " s");
    long end = System.nanoTime() + SECONDS * 1_000_000_000;
    long last = System.nanoTime();
    int programsRun = 0;
    while (programsRun < FEWEST_PROGRAMS || System.nanoTime() < end) {
      programsRun++;
      int pause = PAUSES.get(programsRun % PAUSES.size());
      Path own = Files.createDirectories(folder.resolve("program" + programsRun));
      try (Programs programs = new Programs(machine, own)) {
        Torture torture = Torture.start(programs, own, SEED + programsRun, pause);
        int rounds = 0;
        int most = machine == Machine.X64 ? MAX_ROUNDS : MAX_ROUNDS_32;
        while (rounds < FEWEST_ROUNDS || rounds < most && System.nanoTime() < end) {
          // The first one is too short for the room that it has: nothing can be lost.
          round(programs, own.resolve("calls.ntr"), torture, rounds == 0);
          rounds++;
          torture.mustRun();
        }
        String did = torture.end();
        count("rounds", rounds);
        if (System.nanoTime() - last > 60_000_000_000L) {
          last = System.nanoTime();
          System.out.println(
              "torture, " + machine + ": " + programsRun + " programs, " + sums + ", " + did);
        }
      }
      delete(own);
    }
    System.out.println("torture, " + machine + ": " + programsRun + " programs, " + sums);
    assertTrue(sums.getOrDefault("without loss", 0L) > 0, sums::toString);
  }

  /** So that an hour does not fill the disk. */
  private static void delete(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
