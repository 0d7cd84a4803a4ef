package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.code.UnwindProbes.Unwinder;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.patchability.PatchClass;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Functions of 32-bit libraries in front of which unwinding is recorded. */
final class UnwindPlanTest {
  private static UnwindPlan plan(String name) throws IOException {
    assumeTrue(Wine.available32(), Wine.missing32());
    Path file = Wine.libraries32().orElseThrow().resolve("i386-windows").resolve(name);
    try (InputFile input = InputFile.map(file, name)) {
      PeImage image = PeImage.ofFile(input);
      TargetModule module =
          new TargetModule(
              image.headers().imageBase(), image.headers().sizeOfImage(), "C:\\" + name, name);
      return UnwindPlan.of(module, image, ModuleSymbols.NONE);
    }
  }

  @Test
  void theUnwinderOfWineHasNoPaddingAndIsPatchedInItsPlace() throws IOException {
    UnwindPlan plan = plan("ntdll.dll");
    UnwindPlan.Probe probe = plan.probe().orElseThrow();
    assertEquals(Unwinder.RTL_UNWIND, probe.unwinder());
    assertEquals(PatchClass.E, probe.function().patch().patchClass());
    // As the design read them.
    assertEquals(
        "5589e58da4242cfdffff",
        HexFormat.of().formatHex(probe.function().code().orElseThrow().unit()));
    assertFalse(plan.isMissing());
  }

  @Test
  void runtimesOfMicrosoftsKindHaveLongJumps() throws IOException {
    for (String name : new String[] {"msvcrt.dll", "ucrtbase.dll"}) {
      UnwindPlan plan = plan(name);
      assertEquals(
          Optional.of(Unwinder.LONGJMP), plan.probe().map(UnwindPlan.Probe::unwinder), name);
      assertFalse(plan.isMissing());
    }
    assertEquals(UnwindPlan.NONE, plan("ws2_32.dll"));
  }
}
