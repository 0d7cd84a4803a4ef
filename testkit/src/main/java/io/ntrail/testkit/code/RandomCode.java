package io.ntrail.testkit.code;

import java.util.SplittableRandom;

/**
 * Random strings of 15 bytes that reach all of the opcode space: legacy prefixes before, and every
 * kind of prefix and escape more often than chance would have it.
 */
public final class RandomCode {
  private static final int LENGTH = 15;
  private static final int[] PREFIXES = {
    0x66, 0x67, 0xF2, 0xF3, 0xF0, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0x48, 0x41, 0x4F
  };

  private RandomCode() {}

  /** Returns random strings, always the same for a seed. */
  public static byte[][] strings(long seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[][] strings = new byte[count][];
    for (int i = 0; i < count; i++) {
      strings[i] = string(random);
    }
    return strings;
  }

  private static byte[] string(SplittableRandom random) {
    byte[] string = new byte[LENGTH];
    random.nextBytes(string);
    int at = 0;
    while (random.nextInt(3) == 0 && at < 4) {
      string[at++] = (byte) PREFIXES[random.nextInt(PREFIXES.length)];
    }
    switch (random.nextInt(12)) {
      case 0, 1 -> string[at] = 0x0F;
      case 2 -> escape(string, at, random.nextBoolean() ? 0x38 : 0x3A);
      case 3 -> {
        string[at] = (byte) 0xC5;
        string[at + 1] |= (byte) (random.nextBoolean() ? 0xF8 : 0xC0);
      }
      case 4, 5 -> {
        string[at] = (byte) 0xC4;
        string[at + 1] = (byte) (0xC0 | string[at + 1] & 0x20 | 1 + random.nextInt(3));
        string[at + 2] |= (byte) (random.nextBoolean() ? 0x78 : 0);
      }
      case 6, 7, 8 -> {
        string[at] = 0x62;
        string[at + 1] = (byte) (0xC0 | string[at + 1] & 0x30 | 1 + random.nextInt(6));
        string[at + 2] |= (byte) (random.nextBoolean() ? 0x7C : 4);
        string[at + 3] |= (byte) (random.nextInt(4) == 0 ? 0 : 8);
        string[at + 3] &= (byte) (random.nextBoolean() ? 0x7F : 0xFF);
      }
      case 9 -> {
        string[at] = (byte) 0x8F;
        string[at + 1] = (byte) (0xC0 | string[at + 1] & 0x20 | 8 + random.nextInt(3));
        string[at + 2] |= (byte) (random.nextBoolean() ? 0x78 : 0);
        string[at + 3] = (byte) (random.nextBoolean() ? 0x80 | string[at + 3] : string[at + 3]);
      }
      default -> {}
    }
    return string;
  }

  private static void escape(byte[] string, int at, int second) {
    string[at] = 0x0F;
    string[at + 1] = (byte) second;
  }
}
