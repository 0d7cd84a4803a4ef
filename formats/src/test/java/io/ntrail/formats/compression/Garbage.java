package io.ntrail.formats.compression;

import java.util.SplittableRandom;

/** Inputs that nobody would write, but near enough to the format to reach its corners. */
final class Garbage {
  private Garbage() {}

  /** Random bytes, with a valid frame in most cases. */
  static byte[] packed(Compression compression, SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(compression == Compression.XPRESS_HUFF ? 600 : 200)];
    int kind = random.nextInt(4);
    for (int i = 0; i < bytes.length; i++) {
      int any = random.nextInt(256);
      bytes[i] =
          (byte)
              switch (kind) {
                case 0 -> any;
                // Few bits: short distances, so that matches succeed.
                case 1 -> any & random.nextInt(256) & random.nextInt(256);
                case 2 -> any | random.nextInt(256) | random.nextInt(256);
                default -> any < 128 ? 0 : any < 192 ? 255 : any & 15;
              };
    }
    if (random.nextInt(8) == 0) {
      return bytes;
    }
    switch (compression) {
      case XPRESS -> {
        if (bytes.length > 4) {
          bytes[3] = (byte) (bytes[3] & 15);
        }
      }
      case LZNT1 -> {
        if (bytes.length > 2) {
          bytes[0] = (byte) (bytes.length - 3 + random.nextInt(2) * random.nextInt(9));
          bytes[1] = (byte) (0x30 | random.nextInt(2) << 7);
        }
      }
      case XPRESS_HUFF -> {
        if (bytes.length > 256) {
          completeCode(bytes, random);
        }
      }
    }
    return bytes;
  }

  /** Splits codes at random until there are some; then deals them out to symbols. */
  private static void completeCode(byte[] bytes, SplittableRandom random) {
    int[] lengths = new int[512];
    int codes = 1;
    int wanted = 2 + random.nextInt(random.nextBoolean() ? 10 : 400);
    while (codes < wanted) {
      int split = random.nextInt(codes);
      if (lengths[split] < 15) {
        lengths[codes++] = ++lengths[split];
      } else {
        wanted--;
      }
    }
    for (int i = 511; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int swapped = lengths[i];
      lengths[i] = lengths[other];
      lengths[other] = swapped;
    }
    for (int i = 0; i < 256; i++) {
      bytes[i] = (byte) (lengths[2 * i] | lengths[2 * i + 1] << 4);
    }
  }
}
