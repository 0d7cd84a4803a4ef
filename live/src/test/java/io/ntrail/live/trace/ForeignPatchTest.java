package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.Sketch;
import io.ntrail.live.plan.SkipReason;
import io.ntrail.live.plan.SkipReason.Kind;
import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that patched its own functions before its first instruction. */
final class ForeignPatchTest {
  private static String text(Outcome traced, String name) {
    return Sketch.named(traced.plan(), name).reason().orElseThrow().text();
  }

  @Test
  void functionsWithForeignPatchesAreSkipped(@TempDir Path folder) throws IOException {
    try (Programs programs = new Programs(folder)) {
      Path program = Programs.build("foreign.c", "foreign.S");
      Wine.Outcome expected = programs.untraced(program, "");
      assertEquals(55, expected.exitCode());
      Outcome traced =
          programs.traced(new Settings().exports().modules(Set.of("kernel32")), program);
      Programs.mustEqual(expected, traced);
      Map<String, SkipReason> refused =
          traced.plan().stream()
              .filter(f -> !f.isTraced() && f.module().module().name().endsWith(".exe"))
              .collect(Collectors.toMap(PlannedFunction::name, f -> f.reason().orElseThrow()));
      assertEquals(Set.of("jumped", "changed", "roomTaken"), refused.keySet());
      refused.values().forEach(why -> assertEquals(Kind.FOREIGN_PATCH, why.kind()));
      assertTrue(
          text(traced, "changed")
              .matches(
                  "code in memory differs from the file \\(patched by another tool\\)"
                      + " \\(0x[0-9a-f]+: 8D 41 02, file: 8D 41 01\\)"),
          text(traced, "changed"));
      assertTrue(
          text(traced, "roomTaken").endsWith(": 90 CC CC CC CC, file: CC CC CC CC CC)"),
          text(traced, "roomTaken"));
      CallTable calls = Programs.exact(traced);
      assertEquals(1, calls.of("kept").returned);
      assertEquals(1, calls.of("changedLater").returned);
    }
  }

  @Test
  void theSystemsCodeInMemoryIsThatOfItsFiles(@TempDir Path folder) throws IOException {
    try (Programs programs = new Programs(folder)) {
      programs
          .tracing()
          .start(
              "cmd /c exit",
              (target, session, name) -> {
                List<PlannedFunction> plan =
                    programs.tracing().plan(target, (module, function) -> true);
                target.kill(0);
                List<String> foreign =
                    plan.stream()
                        .filter(
                            f -> f.reason().filter(r -> r.kind() == Kind.FOREIGN_PATCH).isPresent())
                        .map(PlannedFunction::title)
                        .toList();
                assertEquals(List.of(), foreign);
                assertTrue(plan.stream().filter(PlannedFunction::isTraced).count() > 5000);
              });
    }
  }
}
