package io.ntrail.formats.bytes;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Native memory that bytes are put together in, for example decompressed buffers.
 *
 * <p>It is filled by one thread and then handed out as read-only {@link Bytes}; filling it again
 * changes what those windows show. The memory is given back by {@link #close()}.
 */
public final class Scratch implements AutoCloseable {
  private final Arena arena;
  private final MemorySegment segment;
  private final ByteBuffer buffer;

  /** Memory for {@code capacity} bytes, zero-filled. */
  public Scratch(int capacity) {
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

  /**
   * Repeats what was written {@code distance} bytes before {@code at}, as LZ77 matches do: source
   * and target may overlap.
   */
  public void repeat(int at, int distance, int length) {
    int from = at - distance;
    if (distance >= 8) {
      int i = 0;
      for (; i + 8 <= length; i += 8) {
        buffer.putLong(at + i, buffer.getLong(from + i));
      }
      for (; i < length; i++) {
        buffer.put(at + i, buffer.get(from + i));
      }
    } else {
      for (int i = 0; i < length; i++) {
        buffer.put(at + i, buffer.get(from + i));
      }
    }
  }

  /**
   * What was written so far, read-only.
   *
   * @param name the input that the content came from
   * @param base where in that input the content stood
   */
  public Bytes view(int length, String name, long base) {
    return new Bytes(segment.asSlice(0, length).asReadOnly().asByteBuffer(), name, base);
  }

  @Override
  public void close() {
    arena.close();
  }
}
