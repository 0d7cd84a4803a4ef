package io.ntrail.formats.compression;

import java.util.Arrays;

/**
 * Compresses to XPRESS, which MS-XCA calls "plain LZ77" ({@link Compression#XPRESS}): the longest
 * match of a few candidates at each place, nothing looked ahead. What it writes is smaller than the
 * input or is not worth to be kept, which {@link #compress} tells. One thread at a time.
 */
public final class XpressCompressor {
  private static final int MOST_DISTANCE = 1 << 13;
  private static final int LEAST_LENGTH = 3;

  /** Lengths above take another form of four bytes. */
  private static final int MOST_LENGTH = 0xFFFF + LEAST_LENGTH;

  private static final int HASH_BITS = 14;
  private static final int NONE = -1;

  /** Candidates that are compared at a place. */
  private static final int MOST_CANDIDATES = 8;

  /** From this length on, no longer match is looked for. */
  private static final int LONG_ENOUGH = 64;

  private final int[] first = new int[1 << HASH_BITS];
  private int[] next = new int[0];
  private byte[] in = new byte[0];
  private int end;
  private byte[] out = new byte[0];
  private int at;
  private int flagsAt;
  private int flags;
  private int items;

  /** Place of the byte whose upper half is free; {@link #NONE} if there is none. */
  private int halfAt;

  private int matched;

  /** Creates an encoder; its memory grows with the largest input. */
  public XpressCompressor() {}

  /**
   * Compresses bytes.
   *
   * @param input is not changed
   * @return how many bytes there are in {@link #output}; -1 if they would be no fewer than those of
   *     the input
   */
  public int compress(byte[] input, int from, int length) {
    in = input;
    end = from + length;
    if (next.length < length) {
      next = new int[length];
      // A word of flags for each 32 literals, and what the last item may need beyond the limit.
      out = new byte[length + length / 8 + 64];
    }
    Arrays.fill(first, NONE);
    at = 0;
    items = 32;
    halfAt = NONE;
    int place = from;
    while (place < end) {
      if (at >= length) {
        return -1;
      }
      int distance = match(place, from);
      if (items == 32) {
        flagsAt = at;
        flags = 0;
        items = 0;
        at += 4;
      }
      flags <<= 1;
      items++;
      if (distance == 0) {
        out[at++] = in[place];
        note(place, from);
        place++;
      } else {
        flags |= 1;
        put(distance, matched);
        for (int i = 0; i < matched; i++) {
          note(place + i, from);
        }
        place += matched;
      }
      if (items == 32) {
        putFlags();
      }
    }
    if (items < 32) {
      int unused = 32 - items;
      // What follows nothing is a match.
      flags = flags << unused | (1 << unused) - 1;
      putFlags();
    }
    return at < length ? at : -1;
  }

  /**
   * Returns the bytes of the last call of {@link #compress}, from index 0; valid until the next.
   */
  public byte[] output() {
    return out;
  }

  private int hash(int place) {
    int three = in[place] & 0xFF | (in[place + 1] & 0xFF) << 8 | (in[place + 2] & 0xFF) << 16;
    return three * 0x9E37_79B1 >>> 32 - HASH_BITS;
  }

  private void note(int place, int from) {
    if (place + LEAST_LENGTH <= end) {
      int slot = hash(place);
      next[place - from] = first[slot];
      first[slot] = place;
    }
  }

  /** Finds the longest match; returns its distance, 0 if there is none. */
  private int match(int place, int from) {
    if (place + LEAST_LENGTH > end) {
      return 0;
    }
    int best = LEAST_LENGTH - 1;
    int distance = 0;
    int most = Math.min(end - place, MOST_LENGTH);
    int candidate = first[hash(place)];
    for (int i = 0; i < MOST_CANDIDATES && candidate != NONE; i++) {
      if (place - candidate > MOST_DISTANCE) {
        break;
      }
      if (best < most && in[candidate + best] == in[place + best]) {
        int length = Arrays.mismatch(in, candidate, candidate + most, in, place, place + most);
        length = length < 0 ? most : length;
        if (length > best) {
          best = length;
          distance = place - candidate;
          if (best >= LONG_ENOUGH) {
            break;
          }
        }
      }
      candidate = next[candidate - from];
    }
    matched = best;
    return distance;
  }

  private void put(int distance, int length) {
    int rest = length - LEAST_LENGTH;
    put16((distance - 1) << 3 | Math.min(rest, 7));
    if (rest < 7) {
      return;
    }
    int nibble = Math.min(rest - 7, 15);
    if (halfAt == NONE) {
      halfAt = at;
      out[at++] = (byte) nibble;
    } else {
      out[halfAt] |= (byte) (nibble << 4);
      halfAt = NONE;
    }
    if (nibble < 15) {
      return;
    }
    if (rest - 22 < 255) {
      out[at++] = (byte) (rest - 22);
    } else {
      out[at++] = (byte) 255;
      put16(rest);
    }
  }

  private void put16(int value) {
    out[at++] = (byte) value;
    out[at++] = (byte) (value >>> 8);
  }

  private void putFlags() {
    for (int i = 0; i < 4; i++) {
      out[flagsAt + i] = (byte) (flags >>> 8 * i);
    }
  }
}
