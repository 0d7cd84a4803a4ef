package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A program that does everything at once that tracing has to bear, with room for everything, and
 * with too few chunks or areas: it computes what it computes untraced, and records add up.
 *
 * <p>-Dntrail.long=true: for ten minutes, else a round of each kind.
 */
@ParameterizedClass(name = "{0}")
@EnumSource
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class StormTest {
  private static final Duration LONG =
      Boolean.getBoolean("ntrail.long") ? Duration.ofMinutes(10) : Duration.ZERO;

  private static final Pattern COUNTS =
      Pattern.compile("entered (\\d+) unended (\\d+) threads (\\d+)");

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

  /** Counts of calls that a program printed at its end. */
  private record Told(long entered, long unended, long threads) {
    static Told in(String errors) {
      Matcher matcher = COUNTS.matcher(errors);
      assertTrue(matcher.find(), errors);
      return new Told(
          Long.parseLong(matcher.group(1)),
          Long.parseLong(matcher.group(2)),
          Long.parseLong(matcher.group(3)));
    }
  }

  private Outcome storm(Settings settings, int seed, int fibers, int threads) throws IOException {
    Path program = programs.make("storm.cpp");
    String[] arguments = {"" + seed, "" + fibers, "400", "" + threads};
    Wine.Outcome expected = programs.untraced(program, "", arguments);
    assertEquals(3, expected.exitCode(), expected.errors());
    Outcome traced = programs.traced(settings, program, arguments);
    String what = "seed " + seed + ": " + traced.errors() + traced.statistics();
    assertEquals(expected.text(), traced.text(), what);
    assertEquals(expected.exitCode(), traced.exitCode() & 0xFF, what);
    return traced;
  }

  @Test
  void everythingAtOnceComesToTheSameAndRecordsAddUp() throws IOException {
    long end = System.nanoTime() + LONG.toNanos();
    int seed = 1;
    do {
      long jumps = plenty(seed);
      fewChunks(seed, machine == Machine.X86 ? jumps : 0);
      fewAreas(seed);
      system(seed);
      seed++;
    } while (System.nanoTime() < end);
    System.out.println("storm, " + machine + ": " + (seed - 1) + " rounds of four programs");
  }

  /** Records of all sizes in turn. */
  private static Settings settings(int seed) {
    return new Settings().exports().recordBytes(32 << seed % 3);
  }

  /** Returns how many calls long jumps left. */
  private long plenty(int seed) throws IOException {
    Outcome traced = storm(settings(seed).stacks(64), seed, 12, 4);
    Told told = Told.in(traced.errors());
    RecorderStatistics statistics = traced.statistics();
    String all = "seed " + seed + ": " + told + statistics;
    CallTable calls = traced.calls();
    long[] sums = sums(calls);
    assertEquals(0, statistics.lost(), all);
    assertEquals(0, statistics.damaged(), all);
    assertEquals(told.entered, sums[0] + statistics.entriesAlone(), all);
    assertEquals(sums[0] - told.unended, sums[1] + sums[2], all);
    return calls.of("jumper").unwound;
  }

  /**
   * With too few chunks.
   *
   * @param jumps calls that have no record of their own of being left by long jumps
   */
  private void fewChunks(int seed, long jumps) throws IOException {
    Outcome traced = storm(settings(seed).stacks(64).chunks(3), seed, 12, 4);
    Told told = Told.in(traced.errors());
    RecorderStatistics statistics = traced.statistics();
    String all = "seed " + seed + ": " + told + statistics;
    long[] sums = sums(traced.calls());
    assertEquals(0, statistics.damaged(), all);
    assertEquals(0, statistics.missing(), all);
    long skipped = statistics.entriesAlone();
    long records = 2 * (told.entered - skipped) + statistics.entriesAlone() - told.unended;
    long found = sums[0] + sums[1] + sums[2] + sums[3] + statistics.lost();
    // What is counted in advance: a spill of 32 records of each thread at most.
    assertTrue(found >= records - jumps, found + " of " + records + " " + all);
    assertTrue(found <= records + 32 * told.threads, found + " of " + records + " " + all);
  }

  private void fewAreas(int seed) throws IOException {
    Outcome traced = storm(settings(seed).areas(5).stacks(5).chunks(16), seed, 12, 4);
    Told told = Told.in(traced.errors());
    RecorderStatistics statistics = traced.statistics();
    String all = "seed " + seed + ": " + told + statistics;
    long[] sums = sums(traced.calls());
    assertEquals(0, statistics.damaged(), all);
    assertTrue(statistics.entriesWithoutArea() > 0, all);
    long found = sums[0] + statistics.entriesAlone();
    assertTrue(found <= told.entered, found + " of " + told.entered + " " + all);
    assertTrue(
        found + statistics.lost() >= told.entered, found + " of " + told.entered + " " + all);
    assertTrue(sums[1] + sums[2] <= sums[0] + statistics.lost(), all);
  }

  /**
   * Traces the system functions that the program calls, too: those that unwind frames and switch
   * fibers.
   */
  private void system(int seed) throws IOException {
    Settings settings = new Settings().program().modules(Tracing.SYSTEM).areas(8).stacks(8);
    Outcome traced = storm(settings.chunks(64).limit(Duration.ofMinutes(3)), seed, 6, 3);
    assertEquals(0, traced.statistics().damaged(), traced.statistics()::toString);
  }

  /** Entries, exits, unwinds; of long jumps, one record of 32-bit code may be of several. */
  private static long[] sums(CallTable calls) {
    long[] sums = new long[4];
    for (Map.Entry<String, CallTable.Row> entry : calls.byFunction().entrySet()) {
      CallTable.Row row = entry.getValue();
      sums[0] += row.entries;
      sums[1] += row.exits;
      sums[2] += entry.getKey().endsWith("!jumper") ? row.unwound : row.unwinds;
      sums[3] += row.entriesOnly;
    }
    return sums;
  }
}
