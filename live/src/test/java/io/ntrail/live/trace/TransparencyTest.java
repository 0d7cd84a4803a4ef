package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.code.ArgumentCopies.Copy;
import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs that look for what tracing could change: registers, flags, the stack, every step. */
@ParameterizedClass(name = "attached: {0}")
@MethodSource("ways")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TransparencyTest {
  private static final Pattern STEPS = Pattern.compile("(\\w+): (\\d+) steps, (\\d+) exempt");

  private static final int MEMORY = 12;
  private static final List<Integer> RECORD_BYTES = List.of(32, 64, 128);

  /** Attaching in whole sweeps only: programs that are attached to have tests of their own. */
  static List<Boolean> ways() {
    return Slice.of(List.of(false, true), 2);
  }

  /** True if tracing attaches to running programs. */
  @Parameter boolean attached;

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

  private Settings settings() {
    return attached ? new Settings().attached() : new Settings();
  }

  private static Path build(String... sources) throws IOException {
    return build(List.of(), sources);
  }

  /** Linked with what waits for tracing, if that is requested. */
  private static Path build(List<String> options, String... sources) throws IOException {
    return Programs.build(
        options, Stream.concat(Stream.of(sources), Stream.of("attached.c")).toArray(String[]::new));
  }

  private Outcome sameOutput(Settings settings, Path program, String... arguments)
      throws IOException {
    Wine.Outcome expected = programs.untraced(program, "", arguments);
    Outcome traced = programs.traced(settings, program, arguments);
    String errors = traced.errors();
    assertEquals(expected.text(), traced.text(), errors);
    assertEquals(expected.exitCode(), traced.exitCode() & 0xFF);
    assertTrue(traced.selfTest().passed(), traced.selfTest().why());
    return traced;
  }

  @Test
  void everyStepOfTracedCallsUnwindsToTheCaller() throws IOException {
    Path program = build("step.c");
    // What differs when a program is attached to does not depend on what is recorded.
    for (int bytes : attached ? List.of(128) : Slice.of(RECORD_BYTES, RECORD_BYTES.size())) {
      everyStepUnwinds(program, bytes);
    }
  }

  private void everyStepUnwinds(Path program, int recordBytes) throws IOException {
    Outcome traced = sameOutput(settings().exports().recordBytes(recordBytes), program);
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
    assertEquals(1100 + 2 * 100 + 3 + 3, calls.of("leaf").returned);
    assertFalse(calls.of("curious").entriesOnly == 0, "reads its return address");
  }

  @Test
  void everyStepOfSampledCallsUnwindsToTheCaller() throws IOException {
    Path program = build("step.c");
    for (int bytes : attached ? List.of(128) : Slice.of(RECORD_BYTES, RECORD_BYTES.size())) {
      Settings settings = settings().exports().recordBytes(bytes).sampling(50);
      Outcome traced = sameOutput(settings, program);
      assertTrue(traced.sampled() > 20, () -> traced.sampled() + " stacks");
      Programs.exact(traced);
    }
  }

  @Test
  void registersAndFlagsOfSampledCallsAreTheCallersAndTheFunctions() throws IOException {
    for (int bytes : attached ? List.of(128) : Slice.of(RECORD_BYTES, RECORD_BYTES.size())) {
      Settings settings = settings().exports().recordBytes(bytes).chunks(1024).sampling(2);
      Outcome traced = programs.same(settings, build("registers.c"));
      assertEquals(4 * 3000, Programs.exact(traced).of("set_all").returned);
      assertTrue(traced.sampled() > 5000, () -> traced.sampled() + " stacks");
    }
  }

  @Test
  void everyStepOfCallsWhoseMemoryIsCopiedUnwindsToTheCaller() throws IOException {
    for (String mode : Slice.of(List.of("nested", ""), 2)) {
      Settings settings =
          settings().exports().copies(new Copy(0, 0, 20, true), new Copy(1, 0, 16, false));
      Outcome traced =
          sameOutput(
              settings, build("step.c"), mode.isEmpty() ? new String[0] : new String[] {mode});
      long copies =
          ReferenceNtrReader.read(Files.readAllBytes(traced.recording())).events().values().stream()
              .flatMap(List::stream)
              .filter(event -> event.kind() == MEMORY)
              .count();
      assertTrue(copies > 200, () -> copies + " copies");
    }
  }

  @Test
  void codeThatInterruptsAThunkMayCallTracedFunctions() throws IOException {
    sameOutput(settings().exports(), build("step.c"), "nested");
  }

  @Test
  void everyStepUnwindsWhenTheUnwinderIsTracedItself() throws IOException {
    sameOutput(settings().exports().modules(Set.of("ntdll")), build("step.c"), "nested");
  }

  @Test
  void whoLooksAtTheStackFindsTheTrueCallers() throws IOException {
    Outcome traced = programs.same(settings().exports(), build("walk.c"));
    assertEquals(3, Programs.exact(traced).of("tail").entries);
    programs.same(settings().program().modules(Set.of("ntdll", "msvcrt")), build("walk.c"));
  }
}
