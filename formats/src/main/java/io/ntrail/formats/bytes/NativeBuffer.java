package io.ntrail.formats.bytes;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/**
 * Native memory that bytes are put together in, for example decompressed buffers.
 *
 * <p>It is filled by one thread and then handed out as read-only {@link Bytes}; filling it again
 * changes what those windows show. The memory is given back by {@link #close()}.
 */
public final class NativeBuffer implements AutoCloseable {
  /** Number of bytes past its end that {@link #repeatLoosely} may change. */
  public static final int ROOM = 16;

  private final Arena arena;
  private final MemorySegment segment;
  private final ByteBuffer buffer;
  private int filled;

  /** Memory for {@code capacity} bytes, zero-filled. */
  public NativeBuffer(int capacity) {
    arena = Arena.ofShared();
    segment = arena.allocate(Math.max(8, capacity), 8);
    buffer = segment.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Number of bytes that fit. */
  public int capacity() {
    return buffer.limit();
  }

  /** Stores the low 8 bits of {@code value}. */
  public void put(int at, int value) {
    buffer.put(at, (byte) value);
  }

  /** Copies bytes out of {@code source}. */
  public void put(int at, Bytes source, int from, int length) {
    buffer.put(at, source.buffer(), from, length);
  }

  /** Copies the first bytes of an array. */
  public void put(int at, byte[] source, int length) {
    buffer.put(at, source, 0, length);
  }

  /** Stores 8 bytes, the lowest first. */
  public void putLong(int at, long value) {
    buffer.putLong(at, value);
  }

  /** Fills {@code length} bytes with zeros. */
  public void zero(int at, int length) {
    segment.asSlice(at, length).fill((byte) 0);
  }

  /**
   * Repeats what was written {@code distance} bytes before {@code at}, as LZ77 matches do: source
   * and target may overlap. Stops at {@code limit}; anything may be left in the {@link #ROOM} bytes
   * after the repeated ones, but never at or after {@code limit}.
   *
   * @param distance at least 1
   * @param length any, because files may ask for more than there is room for
   * @return the end of the repeated bytes
   */
  public int repeatWithin(int at, int distance, long length, int limit) {
    int clipped = (int) Math.min(length, limit - at);
    int end = at + clipped;
    int loose = Math.min(clipped, limit - ROOM - at);
    int i = at;
    if (loose > 0) {
      repeatLoosely(at, distance, loose);
      i += loose;
    }
    for (; i < end; i++) {
      buffer.put(i, buffer.get(i - distance));
    }
    return end;
  }

  /**
   * Repeats like {@link #repeatWithin}, but faster: anything may be left in the {@link #ROOM} bytes
   * after the {@code length} ones, and there must be room for them.
   */
  public void repeatLoosely(int at, int distance, int length) {
    int from = at - distance;
    if (distance >= 8) {
      // Most matches are short: the first 16 bytes without asking for the length.
      buffer.putLong(at, buffer.getLong(from));
      buffer.putLong(at + 8, buffer.getLong(from + 8));
      for (int i = 16; i < length; i += 16) {
        buffer.putLong(at + i, buffer.getLong(from + i));
        buffer.putLong(at + i + 8, buffer.getLong(from + i + 8));
      }
      return;
    }
    // 8 bytes of the pattern, then on by as many whole patterns as fit into 8 bytes.
    long pattern = buffer.getLong(from) & ((1L << (8 * distance)) - 1);
    int step = distance;
    for (; 2 * step <= 8; step *= 2) {
      pattern |= pattern << (8 * step);
    }
    if (step < 8) {
      pattern |= pattern << (8 * step);
    }
    for (int i = 0; i < length; i += step) {
      buffer.putLong(at + i, pattern);
    }
  }

  /** Reads bytes of a file; false if they cannot be read, or not all of them. */
  boolean read(FileChannel channel, long offset, int length) {
    ByteBuffer target = buffer.duplicate().limit(length);
    try {
      int more = 0;
      while (target.hasRemaining() && more >= 0) {
        more = channel.read(target, offset + target.position());
      }
      return !target.hasRemaining();
    } catch (IOException e) {
      return false;
    }
  }

  /** Declares the first {@code length} bytes valid. */
  public void filled(int length) {
    filled = length;
  }

  /**
   * Returns the number of valid bytes, as declared by the last writer; useful when filling ended in
   * {@link DamagedInput}.
   */
  public int filled() {
    return filled;
  }

  /**
   * Returns a read-only view of what was written so far.
   *
   * @param name the input that the content came from
   * @param base offset of the content in that input
   */
  public Bytes view(int length, String name, long base) {
    return new Bytes(segment.asSlice(0, length).asReadOnly().asByteBuffer(), name, base);
  }

  @Override
  public void close() {
    arena.close();
  }
}
