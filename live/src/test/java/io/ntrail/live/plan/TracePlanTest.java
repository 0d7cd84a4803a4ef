package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.live.plan.SkipReason.Kind;
import io.ntrail.programs.patchability.SuspensionReason;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Remarks of plans, and their execution. */
final class TracePlanTest {
  /** lea eax, [rcx + 1]; ret. */
  private static final int[] ONE = {0x8D, 0x41, 1, 0xC3};

  private static TracePlan plan() {
    Sketch sketch =
        new Sketch()
            .function("alone", UnwindInfoBuilder.prologue(0), ONE)
            // push rbx; push rsi; pop rsi; pop rbx; ret
            .function(
                "several",
                UnwindInfoBuilder.prologue(2).push(1, 3).push(2, 6),
                0x53,
                0x56,
                0x5E,
                0x5B,
                0xC3)
            .function("returning", UnwindInfoBuilder.prologue(0), 0xC3);
    // Directly after a function with more than enough room.
    sketch.code().label("borrowing").code(ONE).label("borrowing, end");
    sketch.builder().function("borrowing", "borrowing, end", UnwindInfoBuilder.prologue(0));
    sketch.builder().exports("borrowing", "borrowing");
    sketch.code().align(64, 0xCC).fill(63, 0xCC).label("straddling").code(ONE);
    sketch.code().label("straddling, end");
    sketch.builder().function("straddling", "straddling, end", UnwindInfoBuilder.prologue(0));
    sketch.builder().exports("straddling", "straddling");
    return new TracePlan(sketch.plan(), List.of());
  }

  private static Set<String> traced(TracePlan plan) {
    return plan.functions().stream()
        .filter(PlannedFunction::isTraced)
        .map(PlannedFunction::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Optional<SuspensionReason> needsStop(TracePlan plan, String name) {
    return Sketch.named(plan.functions(), name).needsStop();
  }

  private static void sumsAgree(TracePlan plan) {
    int refused = plan.matched() - plan.patched();
    int classes =
        plan.byClass("x64").entrySet().stream()
            .filter(one -> !one.getKey().equals("x64-D"))
            .mapToInt(one -> one.getValue())
            .sum();
    assertEquals(plan.patched(), classes);
    assertEquals(refused, plan.byClass("x64").get("x64-D"));
    assertEquals(refused, plan.byReason().values().stream().mapToInt(Integer::intValue).sum());
  }

  @Test
  void aFunctionHasTheReasonForSuspension() {
    TracePlan plan = plan();
    assertEquals(Optional.empty(), needsStop(plan, "alone"));
    assertEquals(Optional.of(SuspensionReason.SEVERAL_INSTRUCTIONS), needsStop(plan, "several"));
    assertEquals(Optional.of(SuspensionReason.BORROWED_PADDING), needsStop(plan, "borrowing"));
    assertEquals(Optional.of(SuspensionReason.STRADDLES), needsStop(plan, "straddling"));
    assertEquals(Optional.empty(), needsStop(plan, "returning"), "it is not patched");
    assertEquals(3, plan.needStop());
    assertEquals(Set.of("alone", "several", "borrowing", "straddling"), traced(plan));
  }

  @Test
  void withoutStopsOnlyWhatOneStoreWritesIsPatched() {
    TracePlan plan = plan().withoutStops();
    assertEquals(Set.of("alone"), traced(plan));
    assertEquals(0, plan.needStop());
    PlannedFunction straddling = Sketch.named(plan.functions(), "straddling");
    assertEquals(
        "threads must be suspended to patch it" + " (its first two bytes straddle a cache line)",
        straddling.reason().orElseThrow().text());
    assertEquals(3, plan.byReason().get("NEEDS_STOP"));
    sumsAgree(plan);
  }

  @Test
  void functionsOutOfReachAreRefused() {
    TracePlan plan = plan();
    sumsAgree(plan);
    PlannedFunction one = Sketch.named(plan.functions(), "borrowing");
    for (PlannedFunction same : List.of(one, one.entriesOnly())) {
      TracePlan fewer = plan.without(List.of(same), Kind.OUT_OF_REACH);
      assertEquals(Set.of("alone", "several", "straddling"), traced(fewer));
      assertEquals(plan.matched(), fewer.matched());
      assertEquals(1, fewer.byReason().get("OUT_OF_REACH"));
      assertEquals(0, fewer.byClass("x64").get("x64-C"));
      sumsAgree(fewer);
    }
  }

  @Test
  void aLongFunctionWithoutBranchesIsNotTakenForData() {
    // lea eax, [rcx + 1], again and again: three bytes, which no power of two ends with.
    int[] body = new int[3 * 2000 + 1];
    for (int i = 0; i < body.length; i += 3) {
      System.arraycopy(ONE, 0, body, i, Math.min(3, body.length - i));
    }
    body[body.length - 1] = 0xC3;
    Sketch sketch = new Sketch().leaf("long", body);
    assertEquals(Optional.empty(), Sketch.named(sketch.plan(), "long").reason());
  }
}
