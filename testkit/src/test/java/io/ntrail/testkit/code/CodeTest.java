package io.ntrail.testkit.code;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CodeTest {
  private static final int FUNCTION_ROW = 12;

  @Test
  void randomStringsAreTheSameForASeed() {
    assertArrayEquals(RandomCode.strings(7, 100), RandomCode.strings(7, 100));
  }

  @Test
  void randomStringsReachEveryKindOfPrefix() {
    byte[][] strings = RandomCode.strings(7, 1000);
    for (int lead : new int[] {0x0F, 0xC4, 0xC5, 0x62, 0x8F, 0x66, 0xF2, 0xF3, 0xF0}) {
      assertTrue(Arrays.stream(strings).anyMatch(s -> (s[0] & 0xFF) == lead));
    }
  }

  @Test
  void chunksLieOneAfterTheOther() {
    CodeChunks chunks = CodeChunks.of(new byte[][] {{1, 2}, {}, {3}});
    assertArrayEquals(new byte[] {1, 2, 3}, chunks.bytes());
    assertArrayEquals(new int[] {0, 2, 2}, chunks.offsets());
    assertArrayEquals(new int[] {2, 0, 1}, chunks.lengths());
    assertEquals(3, chunks.size());
  }

  @Test
  void functionsComeFromTheFunctionTable() {
    CodeChunks chunks = PeCode.of(image());
    assertArrayEquals(new int[] {0x200, 0x210}, chunks.offsets());
    assertArrayEquals(new int[] {0x10, 0x08}, chunks.lengths());
  }

  @Test
  void otherFilesHaveNoCode() {
    assertEquals(0, PeCode.bits(new byte[0]));
    assertEquals(0, PeCode.bits(new byte[4096]));
    byte[] far = new byte[4096];
    LittleEndian.putU32(far, 0x3C, -1);
    assertEquals(0, PeCode.bits(far));
  }

  @Test
  void aRealImageHasAsManyFunctionsAsItsTable() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] image = TestData.gunzip("pe/windows/kernel32.dll.gz");
    assertEquals(64, PeCode.bits(image));
    assertEquals(1835, PeCode.of(image).count());
  }

  /** An image with one section of code, and a function table of two and a half rows in it. */
  private static byte[] image() {
    byte[] image = new byte[0x400];
    int header = 0x40;
    int optional = header + 24;
    LittleEndian.putU32(image, 0x3C, header);
    LittleEndian.putU32(image, header, 0x4550);
    LittleEndian.putU16(image, header + 4, 0x8664);
    LittleEndian.putU16(image, header + 6, 1);
    LittleEndian.putU16(image, header + 20, 0xF0);
    LittleEndian.putU32(image, optional + 112 + 24, 0x1100);
    LittleEndian.putU32(image, optional + 112 + 28, 2 * FUNCTION_ROW + 6);
    int section = optional + 0xF0;
    LittleEndian.putU32(image, section + 8, 0x200);
    LittleEndian.putU32(image, section + 12, 0x1000);
    LittleEndian.putU32(image, section + 16, 0x200);
    LittleEndian.putU32(image, section + 20, 0x200);
    LittleEndian.putU32(image, section + 36, 0x6000_0020);
    int table = 0x300;
    LittleEndian.putU32(image, table, 0x1000);
    LittleEndian.putU32(image, table + 4, 0x1010);
    LittleEndian.putU32(image, table + FUNCTION_ROW, 0x1010);
    LittleEndian.putU32(image, table + FUNCTION_ROW + 4, 0x1018);
    return image;
  }
}
