package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs of both machines that look for what tracing could change: registers, flags, what happens
 * between any two instructions.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("ways")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MachineStateTest {
  /** Bytes of records, and of how many calls one is sampled. */
  private static final List<List<Integer>> RECORDS =
      List.of(
          List.of(32, 2),
          List.of(32, 0),
          List.of(64, 2),
          List.of(64, 0),
          List.of(128, 2),
          List.of(128, 0));

  /** Attaching in whole sweeps only: programs that are attached to have tests of their own. */
  static List<TracingWay> ways() {
    return Slice.of(TracingWay.ALL, 2);
  }

  @Parameter TracingWay way;

  private Programs programs;

  @BeforeParameterizedClassInvocation
  void begin(TracingWay way, @TempDir Path folder) {
    programs = new Programs(way.machine(), folder);
  }

  @AfterParameterizedClassInvocation
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  /** Linked with what waits for tracing, if that is requested. */
  private Path build(String... sources) throws IOException {
    return programs.make(
        Stream.concat(Stream.of(sources), Stream.of("attached.c")).toArray(String[]::new));
  }

  @Test
  void registersFlagsAndVectorsAreTheCallersAndTheFunctions() throws IOException {
    for (List<Integer> records :
        way.attached() ? List.of(List.of(128, 2)) : Slice.of(RECORDS, RECORDS.size())) {
      Outcome traced =
          programs.same(
              way.settings()
                  .exports()
                  .recordBytes(records.getFirst())
                  .sampling(records.getLast())
                  .chunks(1024),
              build(way.machine().registers()));
      assertEquals(4 * 3000, Programs.exact(traced).of("set_all").returned);
    }
  }

  @Test
  void codeThatInterruptsAThunkMaySwitchFibersAndComeBack() throws IOException {
    Path program = build("stepfibers.c");
    Wine.Outcome expected = programs.untraced(program, "");
    Outcome traced = programs.traced(way.settings().exports(), program);
    // How many instructions there are is on its error output.
    assertEquals(expected.text(), traced.text(), traced.errors());
    assertEquals(expected.exitCode(), traced.exitCode() & 0xFF);
    assertTrue(traced.selfTest().passed(), traced.selfTest().why());
  }

  @Test
  void functionsMayBeginAtAnyPlaceOfALine() throws IOException {
    Outcome traced = programs.same(way.settings().exports(), build("straddling.c", "straddle.S"));
    CallTable calls = Programs.exact(traced);
    for (int at : new int[] {8, 31, 61, 62, 63}) {
      assertEquals(4000, calls.of("at" + at).returned, "at" + at);
    }
  }
}
