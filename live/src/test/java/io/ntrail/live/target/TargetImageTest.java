package io.ntrail.live.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Headers of images that do not lie where their file says. */
final class TargetImageTest {
  private static final int PAGE = 0x1000;
  private static final String NAME = "a.dll";

  private static byte[] page(int machine) {
    PeBuilder builder = PeBuilder.library(machine);
    builder.code().code(0xC3);
    return Arrays.copyOf(builder.build().file(), PAGE);
  }

  private static PeHeaders headers(byte[] page) {
    Extent extent = new Extent(0, PAGE, Bytes.copyOf(page, NAME));
    return PeImage.ofMemory(ImageView.of(NAME, List.of(extent))).headers();
  }

  @ParameterizedTest
  @CsvSource({"0x14C, 0xFFD60000", "0x8664, 0x7FF812340000"})
  void theBaseIsWhereTheImageLies(String machine, String base) {
    byte[] page = page(Integer.decode(machine));
    PeHeaders before = headers(page);
    TargetImage.setBase(page, Long.decode(base));
    assertEquals(Long.decode(base), headers(page).imageBase());
    assertEquals(before.sizeOfImage(), headers(page).sizeOfImage());
    assertEquals(before.sectionAlignment(), headers(page).sectionAlignment());
  }

  @Test
  void damagedHeadersStayAsTheyAre() {
    Random random = new Random(1);
    for (int length = 0; length < 100; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      byte[] before = bytes.clone();
      TargetImage.setBase(bytes, 0x1_0000);
      assertArrayEquals(before, bytes);
    }
    byte[] far = page(MachineType.I386);
    far[0x3F] = 0x7F;
    byte[] before = far.clone();
    TargetImage.setBase(far, 0x1_0000);
    assertArrayEquals(before, far);
  }
}
