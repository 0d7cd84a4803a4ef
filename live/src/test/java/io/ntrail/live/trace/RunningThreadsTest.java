package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.programs.patchability.SuspensionReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Functions that threads execute while they are patched, and while that is taken back. */
final class RunningThreadsTest {
  private static final int RUNS = 4;
  private static final int ROUNDS = 500;
  private static final int THREADS = 2;

  /** Returns the address of an exported variable. */
  static long export(TargetProcess target, String name) {
    TargetModule program = target.modules().getFirst();
    PeImage image = TargetImage.read(target.memory(), program);
    return program.base()
        + Exports.of(image).list().stream()
            .filter(symbol -> name.equals(symbol.name()))
            .findFirst()
            .orElseThrow()
            .rva();
  }

  /** A number that the program exports. */
  static long number(TargetProcess target, String name) {
    return number(target, export(target, name));
  }

  /** Makes a variable of the program 1. */
  static void set(TargetProcess target, String name) {
    target.memory().write(export(target, name), new byte[] {1});
  }

  private static long number(TargetProcess target, long address) {
    return target.memory().read(address, 4).u32(0);
  }

  /** Lets the threads go on for some rounds. */
  private static void rounds(TargetProcess target, long address) {
    long begin = number(target, address);
    while ((number(target, address) - begin & 0xFFFF_FFFFL) < ROUNDS) {
      assertEquals(Optional.empty(), exit(target));
      Thread.onSpinWait();
    }
  }

  private static Optional<Integer> exit(TargetProcess target) {
    var exit = target.exitCode();
    return exit.isPresent() ? Optional.of(exit.getAsInt()) : Optional.empty();
  }

  private static void patchAndTakeItBack(TargetProcess target, Tracer tracer) {
    long rounds = export(target, "rounds");
    tracer.topUp(THREADS + 1);
    rounds(target, rounds);
    tracer.arm();
    rounds(target, rounds);
    tracer.disarm();
    rounds(target, rounds);
    set(target, "stop");
  }

  @Test
  void functionsAtAnyPlaceOfALineArePatchedWhileThreadsExecuteThem(@TempDir Path folder)
      throws IOException {
    try (Programs programs = new Programs(folder)) {
      Path program = Programs.build("straddling.c", "straddle.S");
      for (int run = 0; run < RUNS; run++) {
        Settings settings =
            new Settings()
                .exports()
                .withoutPatches()
                .chunks(2048)
                .meanwhile(RunningThreadsTest::patchAndTakeItBack);
        check(programs.traced(settings, program, "until-stopped"));
      }
    }
  }

  private static void check(Outcome traced) throws IOException {
    assertEquals("wrong 0", traced.text().strip());
    assertEquals(0, traced.exitCode());
    Map<String, Optional<SuspensionReason>> stops =
        traced.traced().stream()
            .collect(Collectors.toMap(PlannedFunction::name, PlannedFunction::needsStop));
    assertEquals(Optional.of(SuspensionReason.STRADDLES), stops.get("at63"));
    assertEquals(Optional.empty(), stops.get("at62"));
    CallTable calls = traced.calls();
    long first = calls.of("at8").calls;
    assertTrue(first >= ROUNDS - THREADS, () -> calls.byFunction().toString());
    for (String name : List.of("at31", "at61", "at62", "at63")) {
      // Each round calls each of them; two stops cut a round of each thread.
      long apart = Math.abs(calls.of(name).calls - first);
      assertTrue(apart <= 2L * THREADS, () -> calls.byFunction().toString());
    }
    assertEquals(0, traced.statistics().damaged(), traced.statistics()::toString);
    assertEquals(0, traced.statistics().allDropped(), traced.statistics()::toString);
  }
}
