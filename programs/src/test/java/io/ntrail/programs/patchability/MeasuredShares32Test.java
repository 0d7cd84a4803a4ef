package io.ntrail.programs.patchability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The exported functions of the 32-bit libraries of Wine 8, beside what was counted by another
 * program when tracing of IA-32 was designed. It did not look for branches into the first
 * instructions, so a few of its functions are refused here; the padding of others it estimated.
 */
class MeasuredShares32Test {
  private static final int FEW = 3;

  /** Allowed difference of what was an estimate, in per cent. */
  private static final int NEAR = 10;

  private static long count(List<FunctionPatch> all, PatchClass wanted) {
    return all.stream().filter(patch -> patch.patchClass() == wanted).count();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "ntdll.dll, 1139, 14, 230, 294, 64",
    "kernelbase.dll, 1265, 646, 1033, 35, 21",
    "kernel32.dll, 1236, 776, 962, 41, 26",
    "user32.dll, 766, 60, 335, 66, 49",
    "msvcrt.dll, 1186, 5, 223, 557, 100",
    "ucrtbase.dll, 1478, 3, 214, 575, 89",
    "gdi32.dll, 471, 4, 194, 57, 20",
    "advapi32.dll, 538, 196, 361, 46, 16",
    "ole32.dll, 168, 4, 80, 11, 3",
    "ws2_32.dll, 130, 0, 52, 34, 12",
  })
  void sharesAreThoseOfTheDesign(
      String name, int functions, int moveFirst, int ownSingle, int ownSeveral, int borrowed)
      throws IOException {
    assumeTrue(Wine.available32(), Wine.missing32());
    Path folder = Wine.libraries32().orElseThrow().resolve("i386-windows");
    try (InputFile input = InputFile.map(folder.resolve(name), name)) {
      Patchability patchability = Patchability.of(PeImage.ofFile(input));
      List<FunctionPatch> all = patchability.list();
      assertEquals(functions, all.size());
      assertEquals(moveFirst, patchability.share().moveFirst());
      assertFew(ownSingle, count(all, PatchClass.A));
      assertFew(ownSeveral, count(all, PatchClass.B));
      long lent = count(all, PatchClass.C);
      assertTrue(Math.abs(lent - borrowed) <= FEW + 1 + borrowed * NEAR / 100, () -> "C: " + lent);
    }
  }

  private static void assertFew(long counted, long found) {
    assertTrue(
        found <= counted && found >= counted - FEW, () -> "%d, not %d".formatted(found, counted));
  }
}
