package io.ntrail.formats.compression;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.NativeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a decompressor between guards: an input window with other bytes around it, and an output
 * whose bytes after the limit must stay what they were.
 */
final class Unpacking implements AutoCloseable {
  /** Offset of the compressed bytes in their window. */
  static final int FROM = 8;

  private static final int GUARD_BYTES = 32;
  private static final int GUARD = 0xA5;
  private static final int MOST_PACKED = 1 << 20;

  private final NativeBuffer packedScratch = new NativeBuffer(MOST_PACKED);
  private final NativeBuffer scratch;
  private final int most;

  /** For outputs of up to {@code most} bytes. */
  Unpacking(int most) {
    this.most = most;
    scratch = new NativeBuffer(most + GUARD_BYTES);
  }

  /**
   * Result of unpacking.
   *
   * @param output what was written, if there is damage, before it
   * @param damage why it ended early
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Result(byte[] output, @Nullable DamagedInput damage) {}

  Result unpack(Compression compression, byte[] packed, int limit) {
    if (limit > most) {
      throw new IllegalArgumentException("limit " + limit);
    }
    int to = FROM + packed.length;
    for (int i = 0; i < FROM; i++) {
      packedScratch.put(i, 0xFF);
      packedScratch.put(to + i, 0xFF);
    }
    for (int i = 0; i < packed.length; i++) {
      packedScratch.put(FROM + i, packed[i]);
    }
    Bytes input = packedScratch.view(to + FROM, "vector", 0);
    for (int i = 0; i < GUARD_BYTES; i++) {
      scratch.put(limit + i, GUARD);
    }
    int written = limit;
    DamagedInput damage = null;
    try {
      written = compression.decompress(input, FROM, to, scratch, limit);
    } catch (DamagedInput e) {
      damage = e;
      written = scratch.filled();
      if (e.offset() < FROM || e.offset() > to) {
        throw new AssertionError("damage outside the input at " + e.offset(), e);
      }
    }
    if (written < 0 || written > limit || written != scratch.filled()) {
      throw new AssertionError(written + " bytes written where " + limit + " is the limit");
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
    packedScratch.close();
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
