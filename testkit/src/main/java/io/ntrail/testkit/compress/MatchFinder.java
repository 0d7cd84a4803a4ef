package io.ntrail.testkit.compress;

import java.util.Arrays;

/**
 * Finds the longest earlier copy of the bytes at a position, by chains of positions with the same
 * hash of three bytes. A match may overlap the position it is used for.
 */
final class MatchFinder {
  static final int SHORTEST = 3;
  private static final int HASH_BITS = 14;
  private static final int CHAIN = 24;

  private final byte[] data;
  private final int farthest;
  private final int[] head = new int[1 << HASH_BITS];
  private final int[] previous;
  private int inserted;
  private int distance;

  MatchFinder(byte[] data, int farthest) {
    this.data = data;
    this.farthest = farthest;
    this.previous = new int[data.length];
    Arrays.fill(head, -1);
  }

  /**
   * The length of the best match for {@code at}, or 0; its distance is in {@link #distance}.
   *
   * @param from no match starts before this position
   * @param end no match extends past this position
   * @param longest no match is longer
   */
  int find(int at, int from, int end, int longest) {
    while (inserted < at) {
      insert(inserted++);
    }
    int limit = Math.min(longest, end - at);
    if (limit < SHORTEST) {
      return 0;
    }
    int best = 0;
    int candidate = head[hash(at)];
    for (int i = 0; i < CHAIN && candidate >= Math.max(from, at - farthest); i++) {
      int length = 0;
      while (length < limit && data[candidate + length] == data[at + length]) {
        length++;
      }
      if (length > best) {
        best = length;
        distance = at - candidate;
        if (length == limit) {
          break;
        }
      }
      candidate = previous[candidate];
    }
    return best >= SHORTEST ? best : 0;
  }

  int distance() {
    return distance;
  }

  private void insert(int at) {
    if (at + SHORTEST <= data.length) {
      int slot = hash(at);
      previous[at] = head[slot];
      head[slot] = at;
    }
  }

  private int hash(int at) {
    int three = (data[at] & 0xFF) | (data[at + 1] & 0xFF) << 8 | (data[at + 2] & 0xFF) << 16;
    return (three * 0x9E3779B1) >>> (32 - HASH_BITS);
  }
}
