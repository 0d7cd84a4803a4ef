package io.ntrail.formats.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.NativeBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Properties of every compression. */
class DecompressionTest {
  static List<Vector> vectors() {
    return Vector.published();
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void thePublishedExampleComesOutWhole(Vector vector) {
    assertArrayEquals(
        vector.plain(),
        Unpacking.whole(vector.compression(), vector.packed(), vector.plain().length));
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void theEndIsFoundWithoutKnowingTheLength(Vector vector) {
    assertArrayEquals(
        vector.plain(),
        Unpacking.whole(vector.compression(), vector.packed(), vector.plain().length + 1000));
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void everyShorterLimitGivesThatMuchOfTheWhole(Vector vector) {
    try (Unpacking unpacking = new Unpacking(vector.plain().length)) {
      for (int limit = 0; limit <= vector.plain().length; limit++) {
        var result = unpacking.unpack(vector.compression(), vector.packed(), limit);
        assertArrayEquals(Arrays.copyOf(vector.plain(), limit), result.output());
        assertEquals(null, result.damage());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void anInputCutAnywhereGivesTheBeginningOfTheWhole(Vector vector) {
    byte[] plain = vector.plain();
    for (int length = 0; length < vector.packed().length; length++) {
      byte[] cut = Arrays.copyOf(vector.packed(), length);
      try (Unpacking unpacking = new Unpacking(plain.length)) {
        byte[] output = unpacking.unpack(vector.compression(), cut, plain.length).output();
        assertArrayEquals(Arrays.copyOf(plain, output.length), output);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void garbageNeitherEscapesNorHangs(Compression compression) {
    SplittableRandom random = new SplittableRandom(20_240_917);
    try (Unpacking unpacking = new Unpacking(4096)) {
      for (int i = 0; i < 100_000; i++) {
        byte[] garbage = Garbage.packed(compression, random);
        unpacking.unpack(compression, garbage, random.nextInt(4097));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void garbageWithASmallerLimitGivesTheSameBeginning(Compression compression) {
    SplittableRandom random = new SplittableRandom(77);
    try (Unpacking unpacking = new Unpacking(600)) {
      for (int i = 0; i < 2000; i++) {
        byte[] garbage = Garbage.packed(compression, random);
        var full = unpacking.unpack(compression, garbage, 600);
        for (int limit = 0; limit < full.output().length; limit += 7) {
          var part = unpacking.unpack(compression, garbage, limit);
          assertArrayEquals(Arrays.copyOf(full.output(), limit), part.output());
        }
      }
    }
  }

  @Test
  void xpressGarbageComesOutAsItDoesByteByByte() {
    SplittableRandom random = new SplittableRandom(5);
    try (Unpacking unpacking = new Unpacking(3000)) {
      for (int i = 0; i < 20_000; i++) {
        byte[] garbage = Garbage.packed(Compression.XPRESS, random);
        int limit = random.nextInt(random.nextBoolean() ? 100 : 3000);
        assertArrayEquals(
            PlainXpress.unpack(garbage, limit),
            unpacking.unpack(Compression.XPRESS, garbage, limit).output());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsReadWhenNothingIsWanted(Compression compression) {
    assertEquals(0, Unpacking.whole(compression, new byte[] {1}, 0).length);
  }

  @ParameterizedTest
  @EnumSource
  void anEmptyInputIsAnEmptyOutput(Compression compression) {
    assertEquals(0, Unpacking.whole(compression, new byte[0], 100).length);
  }

  @ParameterizedTest
  @EnumSource
  void moreOutputThanThereIsRoomForIsRefused(Compression compression) {
    try (NativeBuffer scratch = new NativeBuffer(100)) {
      Bytes input = Bytes.copyOf(new byte[10], "vector");
      assertThrows(
          IllegalArgumentException.class,
          () -> compression.decompress(input, 0, 10, scratch, scratch.capacity() + 1));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWindowOutsideTheInputIsRefused(Compression compression) {
    try (NativeBuffer scratch = new NativeBuffer(100)) {
      Bytes input = Bytes.copyOf(new byte[10], "vector");
      assertThrows(
          IllegalArgumentException.class, () -> compression.decompress(input, 0, 11, scratch, 1));
      assertThrows(
          IllegalArgumentException.class, () -> compression.decompress(input, 5, 4, scratch, 1));
    }
  }

  @Test
  void theNumbersAreThoseOfWindows() {
    assertEquals(2, Compression.LZNT1.number());
    assertEquals(3, Compression.XPRESS.number());
    assertEquals(4, Compression.XPRESS_HUFF.number());
  }
}
