package io.ntrail.formats.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NativeBufferTest {
  private static final int BEFORE = 40;
  private static final int MOST = 90;

  @Test
  void repeatingGivesWhatCopyingByteByByteGives() {
    try (NativeBuffer scratch = new NativeBuffer(BEFORE + MOST + NativeBuffer.ROOM)) {
      for (int distance = 1; distance <= BEFORE; distance++) {
        for (int length = 1; length <= MOST; length++) {
          byte[] expected = byteByByte(distance, length);
          prepare(scratch);
          scratch.repeatLoosely(BEFORE, distance, length);
          assertArrayEquals(
              expected, scratch.view(BEFORE + length, "s", 0).array(0, BEFORE + length));
          prepare(scratch);
          assertEquals(
              BEFORE + length, scratch.repeatWithin(BEFORE, distance, length, BEFORE + length));
          assertArrayEquals(
              expected, scratch.view(BEFORE + length, "s", 0).array(0, BEFORE + length));
        }
      }
    }
  }

  @Test
  void looseRepeatingLeavesBytesPastItsRoom() {
    try (NativeBuffer scratch = new NativeBuffer(BEFORE + MOST + 2 * NativeBuffer.ROOM)) {
      for (int distance = 1; distance <= BEFORE; distance++) {
        for (int length = 1; length <= MOST; length++) {
          prepare(scratch);
          scratch.repeatLoosely(BEFORE, distance, length);
          int behind = BEFORE + length + NativeBuffer.ROOM;
          Bytes all = scratch.view(scratch.capacity(), "s", 0);
          assertEquals(behind & 0xFF, all.u8(behind));
        }
      }
    }
  }

  @Test
  void repeatingStopsAtTheLimitHoweverLongItIs() {
    try (NativeBuffer scratch = new NativeBuffer(BEFORE + MOST)) {
      for (int distance = 1; distance <= BEFORE; distance++) {
        for (int limit = BEFORE; limit < BEFORE + MOST; limit++) {
          prepare(scratch);
          assertEquals(limit, scratch.repeatWithin(BEFORE, distance, 1L << 32, limit));
          Bytes all = scratch.view(scratch.capacity(), "s", 0);
          assertArrayEquals(byteByByte(distance, limit - BEFORE), all.array(0, limit));
          assertEquals(limit, all.u8(limit));
        }
      }
    }
  }

  @Test
  void zerosGoWhereTheyAreWanted() {
    try (NativeBuffer scratch = new NativeBuffer(16)) {
      prepare(scratch);
      scratch.zero(3, 2);
      assertEquals(0x0706_0500_0002_0100L, scratch.view(8, "s", 0).i64(0));
    }
  }

  /** Byte i holds i. */
  private static void prepare(NativeBuffer scratch) {
    for (int i = 0; i < scratch.capacity(); i++) {
      scratch.put(i, i);
    }
  }

  private static byte[] byteByByte(int distance, int length) {
    byte[] bytes = new byte[BEFORE + length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = i < BEFORE ? (byte) i : bytes[i - distance];
    }
    return bytes;
  }
}
