package io.ntrail.live.trace;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.CallTotals;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.live.code.CallDetail;
import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.Slice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs whose calls are added up in the target: the sums are those of a recording. */
@ParameterizedClass(name = "{0}")
@EnumSource
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AddedCallsTest {
  @Parameter Machine machine;

  private Programs programs;

  @BeforeParameterizedClassInvocation
  void begin(Machine machine, @TempDir Path folder) {
    programs = new Programs(machine, folder);
  }

  @AfterParameterizedClassInvocation
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  /** Sums of a function over all threads. */
  private static final class Sum {
    long calls;
    long entryOnly;
    long exits;
    long unwinds;
    long abandoned;
    long total;
    long self;
    long shortest = Long.MAX_VALUE;
    long longest;
    long inHistogram;

    void add(CallTotals one) {
      CallTotals.Times times = one.times();
      calls += one.calls();
      entryOnly += times.entryOnly();
      exits += times.exits();
      unwinds += times.unwinds();
      abandoned += times.abandoned();
      total += times.total();
      self += times.self();
      longest = Math.max(longest, times.longest());
      if (times.ended() > 0) {
        shortest = Math.min(shortest, times.shortest());
      }
      inHistogram += times.histogram().stream().mapToLong(n -> n).sum();
    }

    long open() {
      return calls - entryOnly - exits - unwinds - abandoned;
    }

    @Override
    public String toString() {
      return calls + " " + exits + " " + unwinds + " " + abandoned + " " + total + " " + self;
    }
  }

  private static Map<String, Sum> sums(Path recording) throws IOException {
    Map<String, Sum> sums = new TreeMap<>();
    Gaps gaps = new Gaps();
    try (NtrFile file = NtrFile.open(InputFile.map(recording, "calls.ntr"), gaps)) {
      for (CallTotals one : file.totals().values()) {
        String title = requireNonNull(file.functions().get(one.function())).name();
        String name = title.substring(title.indexOf('!') + 1);
        sums.computeIfAbsent(name, _ -> new Sum()).add(one);
      }
    }
    assertEquals(List.of(), gaps.list());
    return sums;
  }

  private static Sum of(Map<String, Sum> sums, String name) {
    return requireNonNull(sums.get(name), () -> name + " of " + sums);
  }

  private Map<String, Sum> added(Settings settings, Path program) throws IOException {
    Outcome outcome = programs.same(settings.exports().adding(CallDetail.TIMES), program);
    assertEquals(0, outcome.statistics().captured().events());
    assertEquals(List.of(), outcome.statistics().remarks());
    return sums(outcome.recording());
  }

  @ParameterizedTest
  @ValueSource(strings = {"million.c", "tails.cpp", "throws.cpp", "jump.c", "seh.c", "counts.c"})
  void sumsAreThoseOfTheRecordsOfAnotherRun(String source) throws IOException {
    Path program = programs.make(source);
    Outcome recorded = programs.same(new Settings().exports().chunks(2048), program);
    CallTable calls = Programs.exact(recorded);
    Map<String, Sum> sums = added(new Settings(), program);
    Map<String, String> expected = new HashMap<>();
    Map<String, String> actual = new HashMap<>();
    calls
        .byFunction()
        .forEach((name, row) -> {
          long unwinds = row.codes.values().stream().mapToLong(n -> n).sum();
          expected.put(
              name.substring(name.indexOf('!') + 1),
              row.calls + " " + row.entriesOnly + " " + row.exits + " " + unwinds);
        });
    sums.forEach((name, sum) -> {
      // In 32-bit code nothing tells of each frame that is left: that it is gone is found by a
      // later
      // call, if there is one.
      long unwinds = sum.unwinds + (machine == Machine.X86 ? sum.abandoned + sum.open() : 0);
      actual.put(name, sum.calls + " " + sum.entryOnly + " " + sum.exits + " " + unwinds);
    });
    assertEquals(new TreeMap<>(expected), new TreeMap<>(actual));
    sums.forEach((name, sum) -> {
      assertEquals(sum.exits + sum.unwinds, sum.inHistogram, () -> name + " " + sum);
      assertTrue(sum.self <= sum.total, () -> name + " " + sum);
      assertTrue(sum.open() >= 0 && sum.open() <= 1, () -> name + " " + sum);
    });
  }

  @Test
  void timesOfACallerAreItsOwnAndThoseOfWhatItCalls() throws IOException {
    Map<String, Sum> sums = added(new Settings(), programs.make("million.c"));
    Sum top = of(sums, "top");
    long others = of(sums, "twice").self + of(sums, "leaf").self;
    assertEquals(200_000, top.exits);
    assertEquals(600_000, of(sums, "leaf").exits);
    assertTrue(top.total >= top.self + others / 2, () -> sums.toString());
    assertEquals(0, top.open());
    assertTrue(top.shortest > 0 && top.shortest <= top.longest, () -> sums.toString());
  }

  private static List<String> programs() {
    return Slice.of(List.of("migrate.c", "fibers.c", "registers.c"), 2);
  }

  @ParameterizedTest
  @MethodSource("programs")
  void programsBehaveAsWithoutTracing(String source) throws IOException {
    Path program = programs.make(source.equals("registers.c") ? machine.registers() : source);
    Map<String, Sum> sums = added(new Settings(), program);
    sums.forEach((name, sum) -> assertTrue(sum.open() >= 0, () -> name + " " + sum));
    programs.same(new Settings().exports().adding(CallDetail.COUNTS), program);
  }

  @Test
  void countsAloneAreExact() throws IOException {
    Settings settings = new Settings().exports().adding(CallDetail.COUNTS);
    Outcome outcome = programs.same(settings, programs.make("million.c"));
    Map<String, Sum> sums = sums(outcome.recording());
    assertEquals(200_000, of(sums, "top").calls);
    assertEquals(200_000, of(sums, "twice").calls);
    assertEquals(600_000, of(sums, "leaf").calls);
    assertEquals(1_000_000, outcome.statistics().addedCalls());
    assertEquals(4, outcome.statistics().threadsSeen());
  }

  @Test
  void manyThreadsHaveATableEach() throws IOException {
    Path program = programs.make("crowd.c");
    String[] arguments = {"20", "30", "40", "500"};
    Settings adding = new Settings().exports().stacks(64).adding(CallDetail.TIMES);
    Outcome outcome = programs.same(adding, program, arguments);
    Map<String, Sum> sums = sums(outcome.recording());
    Settings recording = new Settings().exports().chunks(1024).stacks(64);
    Outcome recorded = programs.same(recording, program, arguments);
    CallTable calls = Programs.exact(recorded);
    assertEquals(0, outcome.statistics().noTable());
    assertEquals(20 * 30 + 40 * 500, of(sums, "leaf").exits);
    sums.forEach(
        (name, sum) -> assertEquals(calls.of(name).entries, sum.calls, () -> name + " " + sum));
    assertEquals(calls.threads(), outcome.statistics().threadsSeen());
  }
}
