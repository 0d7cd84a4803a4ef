package io.ntrail.formats.compression;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Scratch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Runs a decompressor between guards: an input window with other bytes around it, and an output
 * whose bytes behind the limit must stay what they were.
 */
final class Unpacking implements AutoCloseable {
  private static final int GUARD_BYTES = 32;
  private static final int GUARD = 0xA5;

  private final Scratch scratch;
  private final int most;

  /** For outputs of up to {@code most} bytes. */
  Unpacking(int most) {
    this.most = most;
    scratch = new Scratch(most + GUARD_BYTES);
  }

  /**
   * What came out.
   *
   * @param output what was written; up to the damage only as far as it is known
   * @param damage why it ended early
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Result(byte[] output, @Nullable DamagedInput damage) {}

  Result unpack(Compression compression, byte[] packed, int limit) {
    if (limit > most) {
      throw new IllegalArgumentException("limit " + limit);
    }
    byte[] framed = new byte[packed.length + 16];
    Arrays.fill(framed, (byte) 0xFF);
    System.arraycopy(packed, 0, framed, 8, packed.length);
    Bytes input = Bytes.copyOf(framed, "vector");
    for (int i = 0; i < GUARD_BYTES; i++) {
      scratch.put(limit + i, GUARD);
    }
    int written = limit;
    DamagedInput damage = null;
    try {
      written = compression.decompress(input, 8, 8 + packed.length, scratch, limit);
      if (written < 0 || written > limit) {
        throw new AssertionError(written + " bytes written where " + limit + " is the limit");
      }
    } catch (DamagedInput e) {
      damage = e;
      if (e.offset() < 8 || e.offset() > 8 + packed.length) {
        throw new AssertionError("damage outside the input at " + e.offset(), e);
      }
    }
    Bytes all = scratch.view(limit + GUARD_BYTES, "output", 0);
    for (int i = 0; i < GUARD_BYTES; i++) {
      if (all.u8(limit + i) != GUARD) {
        throw new AssertionError("wrote at " + (limit + i) + " where " + limit + " is the limit");
      }
    }
    return new Result(all.array(0, written), damage);
  }

  @Override
  public void close() {
    scratch.close();
  }

  /** All of an undamaged input. */
  static byte[] whole(Compression compression, byte[] packed, int limit) {
    try (Unpacking unpacking = new Unpacking(limit)) {
      Result result = unpacking.unpack(compression, packed, limit);
      if (result.damage != null) {
        throw result.damage;
      }
      return result.output;
    }
  }
}
