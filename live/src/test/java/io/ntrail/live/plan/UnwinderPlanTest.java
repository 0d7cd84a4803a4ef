package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.plan.SkipReason.Kind;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.patchability.PatchClass;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Functions of 32-bit libraries in front of which unwinding is recorded. */
final class UnwinderPlanTest {
  private static Optional<PlannedFunction> own(String library, String function) throws IOException {
    assumeTrue(Wine.available32(), Wine.missing32());
    Path file = Wine.libraries32().orElseThrow().resolve("i386-windows").resolve(library);
    try (InputFile input = InputFile.map(file, library)) {
      PeImage image = PeImage.ofFile(input);
      return Planner.planOwn(module(image, library), image, function);
    }
  }

  private static TargetModule module(PeImage image, String library) {
    return new TargetModule(
        image.headers().imageBase(), image.headers().sizeOfImage(), "C:\\" + library, library);
  }

  @Test
  void theUnwinderOfWineHasNoPaddingAndIsPatchedInItsPlace() throws IOException {
    PlannedFunction function = own("ntdll.dll", "RtlUnwind").orElseThrow();
    assertEquals(PatchClass.E, function.patch().patchClass());
    // As the design read them.
    assertEquals(
        "5589e58da4242cfdffff", HexFormat.of().formatHex(function.code().orElseThrow().unit()));
  }

  @Test
  void runtimesOfMicrosoftsKindHaveLongJumpsThatCanBePatched() throws IOException {
    for (String library : new String[] {"msvcrt.dll", "ucrtbase.dll"}) {
      assertTrue(own(library, "longjmp").isPresent(), library);
    }
    assertEquals(Optional.empty(), own("ws2_32.dll", "longjmp"));
  }

  @Test
  void theyAreNotTracedThemselves() throws IOException {
    assumeTrue(Wine.available32(), Wine.missing32());
    Path file = Wine.libraries32().orElseThrow().resolve("i386-windows").resolve("ntdll.dll");
    try (InputFile input = InputFile.map(file, "ntdll.dll")) {
      PeImage image = PeImage.ofFile(input);
      PlannedFunction unwinder =
          Sketch.named(
              Planner.plan(
                  module(image, "ntdll.dll"),
                  image,
                  PlanSymbols.NONE,
                  Optional.empty(),
                  Sketch.ALL),
              "RtlUnwind");
      assertEquals(Optional.of(Kind.NEEDED), unwinder.reason().map(SkipReason::kind));
    }
  }
}
