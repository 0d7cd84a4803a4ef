package io.ntrail.programs.patchability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.pe.WineImages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Some functions of an image, which are patched as if all of them had been looked at. */
class SomeFunctionsTest {
  /** Numbers of functions that are looked at together. */
  private static final int[] COUNTS = {1, 7, 60};

  @Test
  void ofEachLibraryOfWineAnyFunctionsHaveTheSamePatchesAsAmongAll() throws IOException {
    assumeTrue(WineImages.available(), WineImages.MISSING);
    List<Path> files = WineImages.all();
    int compared = 0;
    for (Path file : Slice.of(files, 9)) {
      try (InputFile input = InputFile.map(file, file.getFileName().toString())) {
        PeImage image = PeImage.ofFile(input);
        Patchability all = Patchability.of(image);
        Random random = new Random(all.list().size());
        for (int count : COUNTS) {
          BitSet some = new BitSet();
          for (int n = 0; n < count && !all.list().isEmpty(); n++) {
            some.set(random.nextInt(all.list().size()));
          }
          SomeFunctions.check(image, all, some);
          compared += some.cardinality();
        }
      } catch (CannotGoOn e) {
        // Not an image after all.
      }
    }
    assertTrue(compared > 1_000, "compared " + compared);
  }

  @Test
  void branchesFromFarAwayAreFound() {
    Sketches sketch =
        Sketches.of(
            Sketches.X64,
            "CC CC CC CC CC CC CC CC",
            "f: 53 56 57 C3",
            "CC ".repeat(400).strip(),
            "g: E9 68 FE FF FF");
    try (InputFile input = InputFile.of(sketch.file(), "far")) {
      PeImage image = PeImage.ofFile(input);
      Patchability all = Patchability.of(image);
      assertEquals(PatchRefusal.BRANCH_INTO_UNIT, all.list().getFirst().refusal().orElseThrow());
      SomeFunctions.check(image, all, SomeFunctions.everyNth(1, 1));
    }
  }

  @Test
  void functionsThatWereNotLookedAtAreNotAnswered() {
    try (InputFile input = InputFile.of(PatchabilityDamageTest.sketch(), "sketch")) {
      PeImage image = PeImage.ofFile(input);
      BitSet one = new BitSet();
      one.set(1);
      Patchability some =
          Patchability.of(
              image, ImageFunctions.of(image), Imports.of(image), LoadConfig.of(image), one);
      assertThrows(IllegalArgumentException.class, () -> some.list().get(0));
    }
  }
}
