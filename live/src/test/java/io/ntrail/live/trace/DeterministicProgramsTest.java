package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.programs.patchability.PatchClass;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs of which it is known what they call: every call is in the recording, as it ended. */
@ParameterizedClass(name = "{0}")
@MethodSource("ways")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DeterministicProgramsTest {
  private static final int LONG_JUMP = 0x80000026;
  private static final int GCC_EXCEPTION = 0x20474343;
  private static final int SLOTS = 256;

  /** In an ordinary run, 32-bit programs in one way. */
  static List<TracingWay> ways() {
    return TracingWay.ALL.subList(0, Slice.count(4, 3));
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

  private Path build(String... sources) throws IOException {
    return build(List.of(), sources);
  }

  /** Linked with what waits for tracing, if that is requested. */
  private Path build(List<String> options, String... sources) throws IOException {
    return way.machine()
        .build(
            options,
            Stream.concat(Stream.of(sources), Stream.of("attached.c")).toArray(String[]::new));
  }

  private static void returned(CallTable calls, String function, long times) {
    CallTable.Row row = calls.of(function);
    assertEquals(times, row.entries, () -> function + ": " + row);
    assertEquals(times, row.exits, () -> function + ": " + row);
    assertEquals(times, row.returned, () -> function + ": " + row);
    assertEquals(times, row.calls - row.entriesOnly, () -> function + ": " + row);
  }

  private static void unwound(CallTable calls, String function, int code, long times) {
    CallTable.Row row = calls.of(function);
    assertEquals(times, row.codes.getOrDefault(code, 0L), () -> function + ": " + row);
  }

  @Test
  void everyCallIsCountedOnce() throws IOException {
    Outcome traced = programs.same(way.settings().exports(), build("counts.c"));
    CallTable calls = Programs.exact(traced);
    returned(calls, "leaf", 1010);
    returned(calls, "fib", 1973);
    returned(calls, "mixed", 1);
    returned(calls, "after", 10);
    assertEquals(0, calls.repaired());
    assertEquals(1, calls.threads());
    assertEquals(7, traced.exitCode());
  }

  @Test
  void aMillionCallsAreRecordedWithoutALoss() throws IOException {
    Outcome traced = programs.same(way.settings().exports().chunks(2048), build("million.c"));
    CallTable calls = Programs.exact(traced);
    returned(calls, "top", 200_000);
    returned(calls, "twice", 200_000);
    returned(calls, "leaf", 600_000);
    assertEquals(1_000_000, traced.statistics().captured().entries());
    assertEquals(1_000_000, traced.statistics().captured().exits());
    assertEquals(0, calls.repaired());
    assertEquals(4, calls.threads());
  }

  @Test
  void deepRecursionIsRecordedByEntriesWhereThereAreNoMoreSlots() throws IOException {
    Outcome traced = programs.same(way.settings().exports(), build("counts.c"));
    CallTable calls = Programs.exact(traced);
    returned(calls, "deep", 201 + SLOTS + SLOTS);
    long deeper = 301 + 2001 - 2 * SLOTS;
    assertEquals(deeper, calls.of("deep").entriesOnly);
    assertEquals(deeper, traced.statistics().deepEntries());
    assertEquals(0, traced.statistics().unrecorded());
    // What is called when all is back is recorded as before.
    returned(calls, "after", 10);
  }

  @Test
  void functionsWithoutPaddingAreOverwritten() throws IOException {
    Path program =
        build(List.of("-fno-align-functions", "-fno-optimize-sibling-calls"), "tight.cpp");
    Outcome traced = programs.same(way.settings().exports(), program);
    CallTable calls = Programs.exact(traced);
    returned(calls, "leaf", 90 * 40 + 60);
    returned(calls, "framed", 90);
    returned(calls, "fib", 1973);
    returned(calls, "scale", 10);
    unwound(calls, "thrower", GCC_EXCEPTION, 30);
    List<String> inPlace =
        traced.traced().stream()
            .filter(f -> f.patch().patchClass() == PatchClass.E)
            .map(PlannedFunction::name)
            .toList();
    assertTrue(inPlace.containsAll(List.of("framed", "thrower", "scale")), inPlace::toString);
    // With everything of the program and the system around it.
    programs.same(way.settings().program().modules(Tracing.SYSTEM), program);
  }

  @Test
  void librariesComeAndGoWhileThreadsThrow() throws IOException {
    Path program = build("comings.cpp");
    for (int round = 0; round < Slice.count(3, 1); round++) {
      Outcome traced = programs.same(way.settings().exports(), program);
      CallTable calls = Programs.exact(traced);
      // 2,000 times one to five calls, eight threads.
      unwound(calls, "thrower", GCC_EXCEPTION, 8 * 2000 * 3);
      assertEquals(12, traced.exitCode());
    }
  }

  @Test
  void argumentsAreThoseThatWereGiven() throws IOException {
    for (int bytes : new int[] {64, 128}) {
      Outcome traced =
          programs.same(way.settings().exports().recordBytes(bytes), build("counts.c"));
      returned(Programs.exact(traced), "leaf", 1010);
    }
  }

  @Test
  void exceptionsOfCxxLeaveTracedFunctionsAsIfNothingWereThere() throws IOException {
    Outcome traced = programs.same(way.settings().exports(), build("throws.cpp"));
    CallTable calls = Programs.exact(traced);
    // catcher 1 and 2; nested 1 and 2: first, in the handler, and in changer.
    CallTable.Row thrower = calls.of("thrower");
    assertEquals(2 + 1 + 2 * 3 + 1, thrower.entries, thrower::toString);
    assertEquals(Map.of(GCC_EXCEPTION, 8L), thrower.codes);
    assertEquals(2, thrower.returned);
    unwound(calls, "through1", GCC_EXCEPTION, 6);
    unwound(calls, "through2", GCC_EXCEPTION, 8);
    unwound(calls, "rethrower", GCC_EXCEPTION, 2);
    unwound(calls, "changer", GCC_EXCEPTION, 2);
    unwound(calls, "ladder", GCC_EXCEPTION, 11);
    returned(calls, "catcher", 3);
    returned(calls, "nested", 3);
    returned(calls, "plain", 100);
    assertEquals(0, calls.repaired());
  }

  @Test
  void exceptionsPassWhenTheWholeProgramIsTracedAndTheSystemBelowIt() throws IOException {
    for (String source : new String[] {"throws.cpp", "tails.cpp", "jump.c", "counts.c"}) {
      Outcome traced =
          programs.same(way.settings().program().modules(Tracing.SYSTEM), build(source));
      assertEquals(0, traced.statistics().damaged(), source);
    }
  }

  @Test
  void structuredExceptionsLeaveTracedFunctionsAsIfNothingWereThere() throws IOException {
    Outcome traced = programs.same(way.settings().exports(), build("seh.c"));
    CallTable calls = Programs.exact(traced);
    unwound(calls, "access_violation", 0xC0000005, 2);
    unwound(calls, "divide", 0xC0000094, 1);
    unwound(calls, "raise_for_good", 0xE0002004, 1);
    unwound(calls, "passing", 0xE0001003, 1);
    assertEquals(
        Map.of(0xC0000005, 1L, 0xC0000094, 1L, 0xE0001003, 4L, 0xE0002004, 1L),
        calls.of("middle").codes);
    // In the filter of another.
    unwound(calls, "raise", 0xE0001006, 1);
    unwound(calls, "raise", 0xE0001003, 4);
    returned(calls, "continuing", 1);
    returned(calls, "in_filter", 1);
    returned(calls, "collided", 1);
    // The deepest has more frames than there are slots.
    unwound(calls, "levels", 0xE0001009, 4 + 16 + 76 + Math.min(376, SLOTS - 1));
    Outcome all = programs.same(way.settings().program().modules(Tracing.SYSTEM), build("seh.c"));
    assertEquals(0, all.statistics().damaged());
  }

  @Test
  void longJumpsLeaveNoStaleFrame() throws IOException {
    Outcome traced = programs.same(way.settings().exports(), build("jump.c"));
    CallTable calls = Programs.exact(traced);
    unwound(calls, "down", LONG_JUMP, 7 + 8 + 9);
    assertEquals(24, calls.of("down").unwound);
    returned(calls, "calm", 106);
    returned(calls, "round_trip", 3);
    // round_trip is in main, and calm in it.
    assertTrue(calls.of("calm").deepest <= 2, calls.of("calm")::toString);
    assertEquals(0, calls.repaired());
  }

  @Test
  void tailCallsAreRecordedAndCanThrow() throws IOException {
    Outcome traced = programs.same(way.settings().exports(), build("tails.cpp"));
    CallTable calls = Programs.exact(traced);
    assertEquals(28, calls.of("first").entries);
    assertEquals(28, calls.of("middle").entries);
    assertEquals(48, calls.of("last").entries);
    unwound(calls, "last", GCC_EXCEPTION, 3);
    returned(calls, "catching", 8);
    returned(calls, "many1", 1);
    returned(calls, "many2", 1);
  }

  @Test
  void fibersKeepTheirFrames() throws IOException {
    Outcome traced = programs.same(way.settings().exports(), build("fibers.c"));
    // Calls that begin in one thread and end in another are none of either's reader.
    CallTable calls = traced.calls();
    assertEquals(0, traced.statistics().damaged());
    assertEquals(0, traced.statistics().allDropped());
    CallTable.Row climb = calls.of("climb");
    assertEquals(20 * (6 + 17 + 28 + 39), climb.entries, climb::toString);
    assertEquals(climb.entries, climb.exits, climb::toString);
    assertEquals(calls.of("work").entries, 2 * climb.entries + 50 + 6 * 70 + 500);
    assertEquals(4 * (50 + 6 * 70 + 500), calls.of("yield_now").entries);
    // The four fibers are in one at the end; a thread that begins with a return is not known yet.
    assertEquals(calls.of("yield_now").entries - 4 - 6, calls.of("yield_now").exits);
    // Main's and the six others'.
    assertEquals(7, calls.threads());
  }

  @Test
  void fibersMayContinueInAnotherThread() throws IOException {
    Outcome traced = programs.same(way.settings().exports(), build("migrate.c"));
    CallTable calls = traced.calls();
    String all = traced.statistics() + "\n" + calls.byFunction();
    assertEquals(0, traced.statistics().damaged(), all);
    assertEquals(0, traced.statistics().allDropped(), all);
    assertEquals(2 * calls.of("outer").entries, calls.of("inner").entries, all);
    for (String function : List.of("outer", "inner")) {
      assertEquals(calls.of(function).entries, calls.of(function).exits, all);
    }
  }

  @Test
  void threadsMayEndInsideOfTracedFunctions() throws IOException {
    Outcome traced = programs.same(way.settings().exports(), build("births.c"));
    CallTable calls = Programs.exact(traced);
    assertEquals(500, calls.threads());
    returned(calls, "step", 500 * 4 + 400 * 5);
    assertEquals(500 * 4 + 500 * 5, calls.of("nest").entries);
    assertEquals(500 * 4 + 400 * 5, calls.of("nest").returned);
    assertEquals(100 * 5, calls.of("nest").open);
  }

  @Test
  void argumentsStreamsAndExitCodeAreTheProgramsOwn() throws IOException {
    Path program = build("arguments.c");
    String input = "first\nsecond line\nwithout an end";
    Wine.Outcome expected = programs.untraced(program, input, "0x1234567", "x", "yz");
    Outcome traced =
        programs.traced(way.settings().exports().input(input), program, "0x1234567", "x", "yz");
    Programs.mustEqual(expected, traced);
    assertEquals(0x1234567, traced.exitCode());
    CallTable calls = Programs.exact(traced);
    returned(calls, "echo", 3);
    returned(calls, "said", 3);
  }
}
