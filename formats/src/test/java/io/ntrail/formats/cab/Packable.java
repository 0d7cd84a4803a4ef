package io.ntrail.formats.cab;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.compress.LzxEncoder.Block;
import io.ntrail.testkit.compress.LzxEncoder.Coding;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Data that packers find something in, and blocks to pack them in. */
final class Packable {
  private Packable() {}

  /** Literals, near and far repetitions, and what looks like calls of x86. */
  static byte[] data(Gen g, int most) {
    byte[] data = new byte[1 + g.length(most - 1)];
    int letters = 1 << g.between(1, 8);
    SplittableRandom random = new SplittableRandom(g.bits());
    int at = 0;
    while (at < data.length) {
      int left = data.length - at;
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          for (int n = Math.min(left, 1 + random.nextInt(40)); n > 0; n--) {
            data[at++] = (byte) random.nextInt(letters);
          }
        }
        case 2 -> {
          if (left >= 5) {
            data[at] = (byte) 0xE8;
            int target = random.nextInt() >> random.nextInt(24);
            LittleEndian.putU32(data, at + 1, target);
            at += 5;
          } else {
            data[at++] = (byte) 0xE8;
          }
        }
        default -> {
          int distance = at == 0 ? 0 : 1 + random.nextInt(at) >> random.nextInt(20);
          int n = Math.min(left, 2 + random.nextInt(random.nextInt(4) == 0 ? 600 : 12));
          for (int from = at - Math.max(distance, at == 0 ? 0 : 1); n > 0; n--) {
            data[at] = from < 0 || from == at ? 0 : data[from];
            at++;
            from++;
          }
        }
      }
    }
    return data;
  }

  /** Blocks of all types and of short, long and even lengths. */
  static List<Block> blocks(Gen g, int size) {
    List<Block> blocks = new ArrayList<>();
    for (int at = 0; at < size; at += blocks.getLast().length()) {
      int length =
          switch (g.below(4)) {
            case 0 -> (int) g.between(1, 100_000);
            case 1 -> 32_768 * (int) g.between(1, 2);
            case 2 -> 1 + g.below(20);
            default -> 32_768 - at % 32_768;
          };
      blocks.add(new Block(g.oneOf(Coding.VERBATIM, Coding.ALIGNED, Coding.UNCOMPRESSED), length));
    }
    return blocks;
  }
}
