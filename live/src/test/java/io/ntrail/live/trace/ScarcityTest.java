package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.session.BufferWaits;
import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs for which there are too few chunks, or too few areas. */
@ParameterizedClass(name = "{0}")
@EnumSource
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ScarcityTest {
  @Parameter Machine machine;

  private Programs programs;
  private Path folder;

  @BeforeParameterizedClassInvocation
  void begin(Machine machine, @TempDir Path folder) {
    this.folder = folder;
    programs = new Programs(machine, folder);
  }

  @AfterParameterizedClassInvocation
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  @Test
  void threadsThatSpillOnOneFiberKeepTheirOwnNumbers() throws IOException {
    Path program = programs.make("spill.c");
    Wine.Outcome expected = programs.untraced(program, "");
    Path go = folder.resolve("go");
    Settings settings = new Settings().exports().chunks(2).recordedAfter("no room", go);
    Outcome traced = programs.traced(settings, program, programs.tracing().name(go));
    Programs.mustEqual(expected, traced);
    String all = traced.statistics().toString();
    assertEquals(2, traced.statistics().threadsSeen(), all);
    assertEquals(0, traced.statistics().missingChunks(), all);
    assertEquals(0, traced.statistics().damaged(), all);
    assertEquals(List.of(), traced.statistics().remarks(), all);
    CallTable calls = traced.calls();
    long records = 2 * (1500 + 1500 + 100 + 1000 + 500);
    long found = calls.of("leaf").entries + calls.of("leaf").exits + traced.statistics().lost();
    // Each of the two counts a spill in advance.
    assertTrue(found >= records && found <= records + 2 * 32, found + " of " + records + all);
  }

  @Test
  void threadsThatWaitForChunksLoseNothing() throws IOException {
    Settings settings = new Settings().exports().chunks(4).waits();
    Outcome traced = programs.same(settings, programs.make("million.c"));
    String all = traced.statistics().toString();
    assertEquals(0, traced.statistics().allDropped(), all);
    CallTable calls = Programs.exact(traced);
    assertEquals(600_000, calls.of("leaf").returned);
    assertEquals(200_000, calls.of("twice").returned);
    assertEquals(200_000, calls.of("top").returned);
    BufferWaits waits = traced.statistics().waits();
    assertTrue(waits.count() > 0 && waits.ticks() >= waits.longestTicks(), all);
    assertTrue(waits.longestTicks() > 0, all);
  }

  @Test
  void threadsDoNotWaitLongForARecorderThatLooksNoMore() throws IOException {
    Settings settings = new Settings().exports().chunks(4).waits().withoutRecorder();
    long begin = System.nanoTime();
    Outcome traced = programs.same(settings, programs.make("million.c"));
    long seconds = (System.nanoTime() - begin) / 1_000_000_000;
    String all = traced.statistics().toString();
    assertTrue(traced.statistics().lost() > 1_000_000, all);
    assertTrue(traced.statistics().waits().count() <= 4, "each thread once: " + all);
    assertTrue(seconds >= 2 && seconds < 40, seconds + " s");
  }

  @Test
  void aThreadDoesNotWaitForChunksOfThreadsThatWaitForItsLock() throws IOException {
    Settings settings = new Settings().exports().chunks(4).waits();
    long begin = System.nanoTime();
    Outcome traced = programs.same(settings, programs.make("locked.c"));
    long seconds = (System.nanoTime() - begin) / 1_000_000_000;
    String all = traced.statistics().toString();
    assertTrue(traced.statistics().lost() > 0, all);
    assertTrue(traced.statistics().waits().longestTicks() < 10_000_000_000L, all);
    assertTrue(seconds < 20, seconds + " s: " + all);
  }

  @Test
  void callsOfStacksWithoutAnAreaAreRecordedByEntriesAndDoNotSearchForOneEachTime()
      throws IOException {
    Path program = programs.make("crowd.c");
    String[] arguments = {"100", "200", "4", "5000"};
    Settings settings = new Settings().exports().areas(16).stacks(16);
    Outcome traced = programs.same(settings, program, arguments);
    int without = (100 - 16) * 200 + 4 * 5000;
    assertEquals(without, traced.statistics().entriesWithoutArea());
    CallTable.Row leaf = Programs.exact(traced).of("leaf");
    assertEquals(without, leaf.entriesOnly);
    assertEquals(16 * 200, leaf.returned);
    searchedAtMostTwiceEach(100, 4, traced);
  }

  @Test
  void asManyStacksAsWereAskedForHaveAreasBeforeTheFirstCall() throws IOException {
    Path program = programs.make("crowd.c");
    String[] arguments = {"100", "200", "4", "5000"};
    Outcome traced = programs.same(new Settings().exports().areas(120), program, arguments);
    assertEquals(0, traced.statistics().noTable());
    assertEquals(100 * 200 + 4 * 5000, Programs.exact(traced).of("leaf").returned);
  }

  @Test
  void areasOfFibersAreFoundAgainWithoutLookingThroughAll() throws IOException {
    Path program = programs.make("crowd.c");
    String[] arguments = {"100", "200", "4", "5000"};
    Outcome traced = programs.same(new Settings().exports().stacks(128), program, arguments);
    assertEquals(100 * 200 + 4 * 5000, Programs.exact(traced).of("leaf").returned);
    searchedAtMostTwiceEach(100, 4, traced);
  }

  /** Once for each stack, but for the few that others of their line in the index put out. */
  private static void searchedAtMostTwiceEach(int fibers, int threads, Outcome traced) {
    // A thread may have the stack of one that ended.
    assertTrue(traced.searches() >= fibers, traced.searches() + " searches");
    assertTrue(traced.searches() <= 2L * (fibers + threads), traced.searches() + " searches");
  }

  @Test
  void aStackGetsAnAreaAsSoonAsOneIsOffered() throws IOException {
    // Areas of ended threads are offered again; before that, most threads find none.
    Settings settings = new Settings().exports().areas(12).stacks(12);
    Outcome traced = programs.same(settings, programs.make("births.c"));
    CallTable calls = traced.calls();
    long all = calls.of("step").calls + calls.of("nest").calls;
    assertEquals(500 * 9 + 500 * 4 + 400 * 5, all);
    long alone = calls.of("step").entriesOnly + calls.of("nest").entriesOnly;
    assertEquals(alone, traced.statistics().entriesWithoutArea());
    assertTrue(calls.threads() > 12, calls.threads() + " threads");
  }
}
