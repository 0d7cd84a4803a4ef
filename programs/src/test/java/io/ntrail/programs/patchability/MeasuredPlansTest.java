package io.ntrail.programs.patchability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.testkit.pe.WineImages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The functions of Wine 8's own libraries, beside what was counted by another program when live
 * tracing was designed: of the functions of the function table, with padding that fills all the
 * room after the function in front. It lent the padding of others without keeping count: that
 * number is near, the others are equal.
 */
class MeasuredPlansTest {
  /** Allowed difference between counts of borrowed padding, in per cent. */
  private static final double NEAR = 2;

  private static long rva(FunctionPatch patch) {
    return patch.function().rva();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "ntdll.dll, 1130, 799, 655, 477, 475, 884",
    "kernelbase.dll, 1409, 1184, 1020, 897, 389, 1228",
    "kernel32.dll, 494, 370, 278, 206, 216, 419",
    "user32.dll, 1519, 1066, 980, 688, 539, 1219",
    "msvcrt.dll, 1493, 1017, 865, 587, 628, 1189",
    "ucrtbase.dll, 1726, 1179, 1002, 691, 724, 1377",
    "gdi32.dll, 750, 526, 499, 340, 251, 569",
    "advapi32.dll, 402, 280, 252, 167, 150, 310",
    "ole32.dll, 2311, 1583, 1228, 842, 1083, 1717",
    "combase.dll, 510, 348, 234, 155, 276, 391",
    "rpcrt4.dll, 767, 517, 414, 273, 353, 571",
    "ws2_32.dll, 206, 150, 130, 94, 76, 169",
  })
  void countsAreThoseOfTheDesign(
      String name, int functions, int padded, int firstLong, int both, int firstShort, int reached)
      throws IOException {
    assumeTrue(WineImages.available(), WineImages.MISSING);
    Path file =
        WineImages.all().stream()
            .filter(path -> path.toString().endsWith("/x86_64-windows/" + name))
            .findFirst()
            .orElseThrow();
    try (InputFile input = InputFile.map(file, name)) {
      PeImage image = PeImage.ofFile(input);
      ImageFunctions all = ImageFunctions.of(image);
      List<FunctionPatch> table =
          Patchability.of(image).list().stream()
              .filter(patch -> patch.function().is(Source.FUNCTION_TABLE))
              .toList();
      assertEquals(functions, table.size());
      assertEquals(firstLong, table.stream().filter(p -> p.firstLength() >= 2).count());
      assertEquals(firstShort, table.stream().filter(p -> p.firstLength() == 1).count());
      List<FunctionPatch> own =
          table.stream()
              .filter(p -> p.padding().own() >= FunctionPadding.JUMP)
              .filter(p -> p.padding().own() == rva(p) - all.reachBefore(rva(p)))
              .toList();
      assertEquals(padded, own.size());
      assertEquals(both, own.stream().filter(p -> p.firstLength() >= 2).count());
      long inReach =
          table.stream()
              .filter(p -> p.padding().own() >= FunctionPadding.JUMP || p.isPossible())
              .count();
      assertTrue(
          Math.abs(reached - inReach) <= Math.max(5, reached * NEAR / 100),
          () -> "own or borrowed: " + inReach);
    }
  }
}
