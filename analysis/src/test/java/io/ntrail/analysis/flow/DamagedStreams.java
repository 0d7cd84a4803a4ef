package io.ntrail.analysis.flow;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Ways to damage a stream. */
final class DamagedStreams {
  private static final int BLOCK = 4096;

  private DamagedStreams() {}

  /** Turns one bit. */
  static byte[] flipped(byte[] packets, SplittableRandom random) {
    byte[] damaged = packets.clone();
    damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
    return damaged;
  }

  /** Leaves a part out, of up to 4 KB. */
  static byte[] spliced(byte[] packets, SplittableRandom random) {
    int length = 1 + random.nextInt(Math.min(BLOCK, packets.length / 2));
    int at = random.nextInt(packets.length - length);
    byte[] damaged = Arrays.copyOf(packets, packets.length - length);
    System.arraycopy(packets, at + length, damaged, at, packets.length - length - at);
    return damaged;
  }

  /** Turns many bits. */
  static byte[] torn(byte[] packets, SplittableRandom random) {
    byte[] damaged = packets;
    for (int i = 0; i < 40; i++) {
      damaged = flipped(damaged, random);
    }
    return damaged;
  }
}
