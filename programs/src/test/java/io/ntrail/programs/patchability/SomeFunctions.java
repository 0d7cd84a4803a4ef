package io.ntrail.programs.patchability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFunctions;
import java.util.BitSet;

/** Comparison of looking at some functions of an image with looking at all of them. */
final class SomeFunctions {
  private SomeFunctions() {}

  static BitSet everyNth(int count, int step) {
    BitSet some = new BitSet();
    for (int i = step / 2; i < count; i += step) {
      some.set(i);
    }
    return some;
  }

  static void check(PeImage image, Patchability all, BitSet some) {
    Patchability partial =
        Patchability.of(
            image, ImageFunctions.of(image), Imports.of(image), LoadConfig.of(image), some);
    assertEquals(all.list().stream().filter(FunctionPatch::isPossible).count(), all.possible());
    assertEquals(
        some.stream().filter(i -> partial.list().get(i).isPossible()).count(), partial.possible());
    some.stream()
        .forEach(i -> {
          assertEquals(all.list().get(i), partial.list().get(i));
          assertEquals(all.inPlace(all.list().get(i)), partial.inPlace(partial.list().get(i)));
        });
  }
}
