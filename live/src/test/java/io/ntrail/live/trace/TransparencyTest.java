package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Programs that look for what tracing could change: registers, flags, the stack, every step. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TransparencyTest {
  private static final Pattern STEPS = Pattern.compile("(\\w+): (\\d+) steps, (\\d+) exempt");

  private Programs programs;

  @BeforeAll
  void begin(@TempDir Path folder) {
    programs = new Programs(folder);
  }

  @AfterAll
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  private void sameOutput(Settings settings, Path program, String... arguments) throws IOException {
    Wine.Outcome expected = programs.untraced(program, "", arguments);
    Outcome traced = programs.traced(settings, program, arguments);
    String errors = traced.errors();
    assertEquals(expected.text(), traced.text(), errors);
    assertEquals(expected.exitCode(), traced.exitCode() & 0xFF);
    assertTrue(traced.selfTest().passed(), traced.selfTest().why());
  }

  @Test
  void everyStepOfTracedCallsUnwindsToTheCaller() throws IOException {
    Path program = Programs.build("step.c");
    for (int bytes : new int[] {32, 64, 128}) {
      everyStepUnwinds(program, bytes);
    }
  }

  private void everyStepUnwinds(Path program, int recordBytes) throws IOException {
    sameOutput(new Settings().exports().recordBytes(recordBytes), program);
    Outcome traced = programs.traced(new Settings().exports().recordBytes(recordBytes), program);
    String errors = traced.errors();
    Matcher steps = STEPS.matcher(errors);
    int lines = 0;
    while (steps.find()) {
      lines++;
      if (steps.group(1).equals("leaf")) {
        // Else the function was not traced.
        assertTrue(Integer.parseInt(steps.group(2)) > 60, errors);
        assertEquals("1", steps.group(3), errors);
      }
    }
    assertEquals(3 * 10, lines, errors);
    CallTable calls = Programs.exact(traced);
    assertEquals(0, calls.repaired());
    assertEquals(3 * 1100 + 3 + 3, calls.of("leaf").returned);
    assertFalse(calls.of("curious").entriesOnly == 0, "it looks at its return address");
  }

  @Test
  void whatInterruptsAThunkMayCallTracedFunctionsItself() throws IOException {
    sameOutput(new Settings().exports(), Programs.build("step.c"), "nested");
  }

  @Test
  void whatInterruptsAThunkMaySwitchFibersAndComeBack() throws IOException {
    sameOutput(new Settings().exports(), Programs.build("stepfibers.c"));
  }

  @Test
  void everyStepUnwindsWhenTheUnwinderIsTracedItself() throws IOException {
    sameOutput(
        new Settings().exports().modules(Set.of("ntdll")), Programs.build("step.c"), "nested");
  }

  @Test
  void registersFlagsAndVectorsAreTheCallersAndTheFunctions() throws IOException {
    for (int bytes : new int[] {32, 64, 128}) {
      Outcome traced =
          programs.same(
              new Settings().exports().recordBytes(bytes).chunks(1024),
              Programs.build("registers.c"));
      assertEquals(4 * 3000, Programs.exact(traced).of("set_all").returned);
    }
  }

  @Test
  void whoLooksAtTheStackFindsTheTrueCallers() throws IOException {
    Outcome traced = programs.same(new Settings().exports(), Programs.build("walk.c"));
    assertEquals(3, Programs.exact(traced).of("tail").entries);
    programs.same(
        new Settings().program().modules(Set.of("ntdll", "msvcrt")), Programs.build("walk.c"));
  }

  @Test
  void functionsMayBeginAtAnyPlaceOfALine() throws IOException {
    Outcome traced =
        programs.same(new Settings().exports(), Programs.build("straddling.c", "straddle.S"));
    CallTable calls = Programs.exact(traced);
    for (int at : new int[] {8, 31, 61, 62, 63}) {
      assertEquals(4000, calls.of("at" + at).returned, "at" + at);
    }
  }
}
