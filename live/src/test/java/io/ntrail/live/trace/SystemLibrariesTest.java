package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything that can be traced in ten libraries of the system, at once. */
@ParameterizedClass(name = "{0}")
@EnumSource
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SystemLibrariesTest {
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
  void fortyNineThreadsComeToTheSameResult() throws IOException {
    Path program = machine.build(List.of("-lgdi32", "-lws2_32"), "workload.cpp");
    Wine.Outcome expected = programs.untraced(program, "");
    assertEquals(49, expected.exitCode());
    Settings settings =
        new Settings()
            .program()
            .modules(Tracing.SYSTEM)
            .chunks(2048)
            .stacks(128)
            .limit(Duration.ofSeconds(200));
    for (int round = 0; round < Slice.count(12, machine == Machine.X64 ? 2 : 1); round++) {
      Outcome traced = programs.traced(settings, program);
      Programs.mustEqual(expected, traced);
      assertEquals(0, traced.statistics().damaged(), traced.statistics()::toString);
      assertEquals(0, traced.statistics().noTable(), traced.statistics()::toString);
      assertTrue(traced.statistics().captured().unwinds() > 1000);
      System.out.println(machine + ", 49 threads: " + traced.statistics());
      if (Slice.count(1, 0) > 0 && traced.statistics().lost() == 0) {
        Programs.exact(traced);
      }
      if (round == 0) {
        shares(traced);
      }
    }
  }

  private void shares(Outcome traced) {
    Map<String, int[]> counts = new TreeMap<>();
    int[] all = new int[3];
    for (PlannedFunction function : traced.plan()) {
      String module = function.module().module().stem().toLowerCase(Locale.ROOT);
      // Exports of Wine without unwind data are not functions of C: system calls, forwarders, data.
      // In 32-bit code nothing tells them from others.
      if (Tracing.SYSTEM.contains(module)
          && (machine == Machine.X86 || function.patch().function().is(Source.FUNCTION_TABLE))) {
        int[] of = counts.computeIfAbsent(module, _ -> new int[3]);
        for (int[] count : new int[][] {of, all}) {
          count[0]++;
          count[1] += function.isTraced() ? 1 : 0;
          count[2] += function.hasExits() ? 1 : 0;
        }
      }
    }
    Map<String, Integer> reasons = new TreeMap<>();
    traced.plan().stream()
        .filter(function -> !function.isTraced())
        .forEach(
            function -> reasons.merge(function.reason().orElseThrow().name(), 1, Integer::sum));
    System.out.println("left alone: " + reasons);
    counts.put("all", all);
    counts.forEach((module, count) ->
        System.out.printf(
            "%s: %d functions, %d traced, %d with exits (%.1f %%)%n",
            module, count[0], count[1], count[2], 100.0 * count[2] / count[0]));
    assertEquals(Tracing.SYSTEM.size() + 1, counts.size(), counts::toString);
    assertTrue(all[2] >= 5000, () -> all[2] + " functions have exits");
    double least = machine == Machine.X64 ? 0.75 : 0.5;
    assertTrue(all[2] >= least * all[0], () -> all[2] + " of " + all[0] + " functions have exits");
  }

  private void command(int limit, String line, String... untraced) throws IOException {
    Wine.Outcome expected =
        programs.wine().run(folder, new byte[0], Duration.ofSeconds(limit), untraced);
    Outcome traced =
        programs
            .tracing()
            .run(
                new Settings()
                    .program()
                    .modules(Tracing.SYSTEM)
                    .chunks(2048)
                    .limit(Duration.ofSeconds(limit)),
                line);
    assertEquals(expected.text(), traced.text());
    // What Wine itself says goes to the error output of its own processes.
    assertEquals(expected.exitCode(), traced.exitCode() & 0xFF);
    assertTrue(traced.selfTest().passed(), traced.selfTest().why());
    assertEquals(0, traced.statistics().damaged(), traced.statistics()::toString);
    assertTrue(traced.statistics().captured().entries() > 100);
    Programs.exact(traced);
  }

  @Test
  void theCommandInterpreterListsAFolder() throws IOException {
    command(60, "cmd /c dir /b C:\\windows", "cmd", "/c", "dir", "/b", "C:\\windows");
  }

  @Test
  void theRegistryIsListed() throws IOException {
    command(60, "reg query HKLM\\Software", "reg", "query", "HKLM\\Software");
  }

  @Test
  void aPrefixIsBroughtUpToDate() throws IOException {
    command(120, "wineboot -u", "wineboot", "-u");
  }
}
