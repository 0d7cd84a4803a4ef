package io.ntrail.formats.pe.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.TestData;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unwind information that is only checked says what the reader of all its codes says. */
class PlainUnwindInfoTest {
  private static int handlers(int... bytes) {
    byte[] all = new byte[bytes.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) bytes[i];
    }
    return PlainUnwindInfo.handlers(UnwindImages.view(0x1000, all), 0x1000);
  }

  @Test
  void informationWithoutCodesAndHandlerIsPlain() {
    assertEquals(0, handlers(1, 0, 0, 0));
    assertEquals(0, handlers(2, 0, 0, 0));
  }

  @Test
  void aHandlerFollowsTheCodesFilledUpToPairs() {
    assertEquals(1, handlers(0x09, 4, 1, 0, 4, 0x42, 0, 0, 0, 0x10, 0, 0));
    assertEquals(0, handlers(0x09, 4, 1, 0, 4, 0x42, 7, 7, 0, 0, 0, 0), "a handler of 0 is none");
    assertEquals(PlainUnwindInfo.OTHER, handlers(0x09, 4, 1, 0, 4, 0x42, 0, 0, 0, 0x10, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 12, an unknown operation",
    "2, 6, one epilog code: they come in pairs",
    "1, 4, an operand behind the codes",
    "3, 0, version 3",
    "0, 0, no version"
  })
  void whatIsNotPlainIsLeftToTheReader(int version, int operation, String why) {
    assertEquals(PlainUnwindInfo.OTHER, handlers(version, 4, 1, 0, 4, operation, 0, 0), why);
    assertEquals(PlainUnwindInfo.OTHER, handlers(0x21, 0, 0, 0, 0, 0, 0, 0), "continues another");
    assertEquals(PlainUnwindInfo.OTHER, handlers(1, 0, 0), "cut");
  }

  @Test
  void randomBytesMeanWhatTheReaderReads() {
    SplittableRandom random = new SplittableRandom(39);
    int[] found = new int[3];
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[random.nextInt(1, 40)];
      random.nextBytes(bytes);
      // Mostly a version, few codes, and operations, that there are.
      bytes[0] = (byte) (bytes[0] & 0x18 | random.nextInt(1, 3));
      for (int k = 2; k < bytes.length; k++) {
        bytes[k] = (byte) (k == 2 ? random.nextInt(8) : bytes[k] & 0xF0 | random.nextInt(12));
      }
      ImageView view = UnwindImages.view(0x1000, bytes);
      int handlers = PlainUnwindInfo.handlers(view, 0x1000);
      found[handlers + 1]++;
      UnwindInfo info = UnwindInfo.read(view, 0x1000);
      if (handlers == PlainUnwindInfo.OTHER) {
        assertTrue(info.damage().isPresent() || info.chained().isPresent());
      } else {
        assertFalse(info.damage().isPresent() || info.chained().isPresent());
        assertEquals(handlers == 1, info.hasHandler());
      }
    }
    for (int count : found) {
      assertTrue(count > 5_000, () -> "" + count);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"acpi.sys", "kernel32.dll", "KernelBase.dll"})
  void aTableHasTheNumbersThatItsChainsHave(String name) {
    assumeTrue(TestData.available(), TestData.MISSING);
    PeImage image = UnwindImages.real("pe/windows/" + name + ".gz");
    FunctionTable table = FunctionTable.of(image);
    long chained = 0;
    long handled = 0;
    for (RuntimeFunction entry : table.entries()) {
      UnwindChain chain = table.chain(entry);
      chained += chain.depth() > 0 ? 1 : 0;
      handled += chain.info().hasHandler() ? 1 : 0;
      assertTrue(chain.damage().isEmpty());
    }
    assertEquals(
        new FunctionTableSummary(table.entries().size(), chained, handled, 0),
        FunctionTableSummary.of(image, table));
  }
}
