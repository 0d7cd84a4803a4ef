package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Programs for which there are too few chunks, or too few areas. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ScarcityTest {
  private Programs programs;
  private Path folder;

  @BeforeAll
  void begin(@TempDir Path folder) {
    this.folder = folder;
    programs = new Programs(folder);
  }

  @AfterAll
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  @Test
  void threadsThatSpillOnOneFiberKeepTheirOwnNumbers() throws IOException {
    Path program = Programs.build("spill.c");
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
  void callsOfStacksWithoutAnAreaAreCountedAndDoNotSearchForOneEachTime() throws IOException {
    Path program = Programs.build("crowd.c");
    String[] arguments = {"100", "200", "4", "5000"};
    Settings settings = new Settings().exports().areas(16).stacks(16);
    Outcome traced = programs.same(settings, program, arguments);
    assertEquals((100 - 16) * 200 + 4 * 5000, traced.statistics().noArea());
    assertEquals(16 * 200, traced.calls().of("leaf").returned);
    searchedAtMostTwiceEach(100, 4, traced);
  }

  @Test
  void areasOfFibersAreFoundAgainWithoutLookingThroughAll() throws IOException {
    Path program = Programs.build("crowd.c");
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
    Outcome traced = programs.same(settings, Programs.build("births.c"));
    CallTable calls = traced.calls();
    long entries = calls.of("step").entries + calls.of("nest").entries;
    assertEquals(500 * 9 + 500 * 4 + 400 * 5, entries + traced.statistics().noArea());
    assertTrue(calls.threads() > 12, calls.threads() + " threads");
  }
}
