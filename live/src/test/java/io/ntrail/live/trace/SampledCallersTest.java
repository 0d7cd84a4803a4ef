package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.formats.pe.CoffSymbols;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.target.TargetModule;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Callers of sampled calls are those that the program finds itself; in 32-bit code, where the
 * system sees slots, those that it finds untraced.
 */
final class SampledCallersTest {
  private static final int ENTRY = 2;
  private static final int ENTRY_ONLY = 10;
  private static final Set<String> ALL =
      Set.of("mark", "mark_entry", "tail", "tail_entry", "outer", "recurse", "sorts");

  @TempDir private Path folder;
  private @Nullable Programs programs;
  private Path recording;
  private Path out;

  @BeforeEach
  void begin() {
    recording = folder.resolve("calls.ntr");
    out = folder.resolve("said");
  }

  @AfterEach
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  /** Builds of the program. */
  enum Build {
    X64(Machine.X64, ""),

    /** The system's own walk of 32-bit stacks needs frame pointers. */
    X86(Machine.X86, "-fno-omit-frame-pointer"),

    /** Build without them, as compilers make it: compared by the names of functions. */
    X86_WITHOUT_FRAME_POINTERS(Machine.X86, "");

    private final Machine machine;
    private final String option;

    Build(Machine machine, String option) {
      this.machine = machine;
      this.option = option;
    }

    Path program() throws IOException {
      return machine.build(option.isEmpty() ? List.of() : List.of(option), "callers.c");
    }

    /** Returns the build whose own walk is right. */
    Build truth() {
      return this == X64 ? this : X86;
    }

    /** Returns what frames are compared by: their addresses, unless those are of another build. */
    LongFunction<String> frames(Build other) throws IOException {
      if (this == other) {
        return Long::toHexString;
      }
      try (InputFile file = InputFile.map(program(), "callers.exe")) {
        TreeMap<Long, String> names = new TreeMap<>();
        CoffSymbols.of(PeImage.ofFile(file))
            .functions()
            .forEach(one -> names.put(one.rva(), one.name()));
        return rva -> names.floorEntry(rva - 1).getValue();
      }
    }
  }

  /** Entry of a call. */
  private record Entry(long tid, long ticks, long key) {}

  private Programs programs(Machine machine) {
    Programs known = programs;
    if (known == null) {
      known = new Programs(machine, folder);
      programs = known;
    }
    return known;
  }

  private RecorderStatistics trace(
      Build build, int every, int recordBytes, Set<String> names, String... more)
      throws IOException {
    Programs its = programs(build.machine);
    Path program = build.program();
    Wine wine = its.wine();
    AgentHost host = new AgentHost.Wine(wine.loader(), wine.environment());
    Agent agent = Agent.on(host.start(its.machine().type()), Duration.ofMinutes(1));
    List<String> words = Stream.concat(Stream.of(program.toString()), Stream.of(more)).toList();
    BufferSettings buffers = BufferSettings.fixed(512, true).sampling(every);
    int arguments = recordBytes == 32 ? 0 : recordBytes == 64 ? 4 : 12;
    TraceSettings how = new TraceSettings(recording, arguments, buffers, 64, 0, 0, "test");
    try (TraceTarget target =
            TraceTarget.start(host, agent, words, calls -> its.tracing().writing(calls, out));
        TraceRun run = TraceRun.prepare(target, how)) {
      TracePlan plan = plan(target, names);
      assertEquals(names.size(), plan.patched(), plan::toString);
      run.begin(plan);
      OptionalInt exit = OptionalInt.empty();
      while (exit.isEmpty()) {
        exit = run.await(50);
      }
      assertEquals(1 + more.length, exit.getAsInt());
      assertTrue(run.selfTest().passed(), run.selfTest().why());
      return run.finish(exit);
    } finally {
      agent.close();
    }
  }

  private static TracePlan plan(TraceTarget target, Set<String> names) {
    return target.plan(
        new TracePlan.Selection() {
          @Override
          public boolean mayWant(TargetModule module) {
            return module.name().endsWith(".exe");
          }

          @Override
          public boolean wants(TargetModule module, String name) {
            return names.contains(name);
          }

          @Override
          public boolean excludes(TargetModule module, String name) {
            return false;
          }
        });
  }

  /**
   * Returns the lines of each thread about some functions: addresses in the program, innermost
   * first.
   */
  private Map<Long, List<List<Long>>> said(Build build, Set<String> names) throws IOException {
    Map<Long, List<List<Long>>> said =
        said(names, Files.readAllLines(out, StandardCharsets.ISO_8859_1));
    if (build == Build.X64) {
      return said;
    }
    Iterator<List<List<Long>>> untraced =
        said(
                names,
                programs(build.machine)
                    .untraced(build.truth().program(), "")
                    .text()
                    .lines()
                    .toList())
            .values()
            .iterator();
    said.replaceAll((_, _) -> untraced.next());
    assertFalse(untraced.hasNext());
    return said;
  }

  /** Returns what threads said, in the order of threads. */
  private static Map<Long, List<List<Long>>> said(Set<String> names, List<String> lines) {
    Map<Long, List<List<Long>>> said = new LinkedHashMap<>();
    for (String line : lines) {
      String[] words = line.strip().split(" ");
      if (!names.contains(words[1])) {
        continue;
      }
      said.computeIfAbsent(Long.parseLong(words[0]), _ -> new ArrayList<>())
          .add(Stream.of(words).skip(2).map(word -> Long.parseLong(word, 16)).toList());
    }
    return said;
  }

  /**
   * Compares callers with what the program says.
   *
   * @return how many calls of functions that look have callers
   */
  private int compare(Build build, RecorderStatistics statistics, int every, Set<String> names)
      throws IOException {
    assertEquals(0, statistics.allDropped());
    assertEquals(List.of(), statistics.remarks());
    Map<Long, List<List<Long>>> said = said(build, names);
    LongFunction<String> expected = build.truth().frames(build);
    LongFunction<String> recorded = build.frames(build.truth());
    ReferenceNtrReader plain = ReferenceNtrReader.read(Files.readAllBytes(recording));
    Gaps gaps = new Gaps();
    try (NtrFile file = NtrFile.open(InputFile.map(recording, "calls.ntr"), gaps)) {
      Map<Entry, TracedThread.Callers> callers = new HashMap<>();
      file.callers()
          .values()
          .forEach(one -> callers.put(new Entry(one.tid(), one.ticks(), one.key()), one));
      assertEquals(file.callers().size(), callers.size());
      assertEquals(
          file.callers().size(),
          plain.definitions().keySet().stream().filter(one -> one.startsWith("callers ")).count());
      Set<Entry> bound = new HashSet<>();
      int compared = 0;
      int entries = 0;
      for (Map.Entry<Long, List<ReferenceNtrReader.Event>> thread : plain.events().entrySet()) {
        long tid = Objects.requireNonNull(file.threads().get(thread.getKey())).tid();
        int looks = 0;
        for (ReferenceNtrReader.Event event : thread.getValue()) {
          if (event.kind() != ENTRY && event.kind() != ENTRY_ONLY) {
            continue;
          }
          entries++;
          Entry entry = new Entry(tid, event.ticks(), event.key());
          TracedThread.Callers found = callers.get(entry);
          boolean isLook =
              Objects.requireNonNull(file.functions().get(event.function()))
                  .name()
                  .contains("mark");
          if (found != null) {
            bound.add(entry);
          }
          if (isLook) {
            List<Long> truth = said.getOrDefault(tid, List.of()).get(looks++);
            if (found != null) {
              compared++;
              // The first frame is that of the function itself; in 32-bit code it is left out.
              int own = build == Build.X64 ? 1 : 0;
              assertEquals(
                  truth.stream().skip(own).map(expected::apply).toList(),
                  inProgram(file, found).stream().map(recorded::apply).toList(),
                  found::toString);
              assertEquals(TracedThread.Callers.WHOLE, found.end(), found::toString);
            }
          }
        }
        assertEquals(said.getOrDefault(tid, List.of()).size(), looks);
      }
      assertEquals(callers.keySet(), bound);
      long missed = file.statistic(RecorderCounter.CALLERS_MISSED).orElse(-1L);
      assertEquals((long) callers.size(), file.statistic(RecorderCounter.CALLERS).orElse(-1L));
      assertEquals(0L, file.statistic(RecorderCounter.CALLERS_INCOMPLETE).orElse(-1L));
      // Each of the six threads begins anew.
      long least = entries / every;
      assertTrue(callers.size() + missed >= least, () -> callers.size() + " and " + missed);
      assertTrue(callers.size() + missed <= least + 6, () -> callers.size() + " and " + missed);
      assertEquals(List.of(), gaps.list());
      return compared;
    }
  }

  private static List<Long> inProgram(NtrFile file, TracedThread.Callers callers) {
    TracedModule program =
        file.modules().values().stream()
            .filter(module -> module.path().endsWith(".exe"))
            .findFirst()
            .orElseThrow();
    assertNotNull(program);
    return callers.frames().stream()
        .map(frame -> frame.address() - program.base())
        .filter(rva -> rva >= 0 && rva < program.image().size())
        .toList();
  }

  @ParameterizedTest
  @EnumSource(Build.class)
  void callersAreThoseThatTheProgramFinds(Build build) throws IOException {
    int compared = compare(build, trace(build, 1, 32, ALL), 1, ALL);
    assertTrue(compared > 100, () -> compared + " compared");
  }

  @ParameterizedTest
  @EnumSource(names = {"X64", "X86"})
  void threadsThatRunAtOnceHaveTheirOwnCallers(Build build) throws IOException {
    int compared = compare(build, trace(build, 3, 128, ALL, "together"), 3, ALL);
    assertTrue(compared > 30, () -> compared + " compared");
  }

  @ParameterizedTest
  @EnumSource(names = {"X64", "X86"})
  void functionsWithoutExitsHaveCallers(Build build) throws IOException {
    Set<String> names = Set.of("mark_entry", "outer");
    int compared = compare(build, trace(build, 2, 64, names), 2, names);
    assertTrue(compared > 30, () -> compared + " compared");
  }

  @Test
  void nothingIsSampledUnlessItIsWanted() throws IOException {
    trace(Build.X64, 0, 32, ALL);
    try (NtrFile file = NtrFile.open(InputFile.map(recording, "calls.ntr"), new Gaps())) {
      assertEquals(Map.of(), file.callers());
      assertEquals(-1L, file.statistic(RecorderCounter.CALLERS).orElse(-1L));
    }
  }
}
