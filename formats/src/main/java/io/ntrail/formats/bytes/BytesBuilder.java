package io.ntrail.formats.bytes;

import io.ntrail.formats.collections.Growth;
import java.util.Arrays;

/** Bytes that are put together in memory, in little-endian order: grows as it is written to. */
public final class BytesBuilder {
  private byte[] bytes;
  private int size;

  /** Empty, with room for so many bytes before it has to grow. */
  public BytesBuilder(int capacity) {
    bytes = new byte[Math.max(16, capacity)];
  }

  /** Returns the number of bytes written. */
  public int size() {
    return size;
  }

  /** Empties the builder. */
  public void clear() {
    size = 0;
  }

  /**
   * Returns the backing array, of which the first {@link #size} bytes count; valid until the next
   * change.
   */
  public byte[] array() {
    return bytes;
  }

  /** A copy of what was written. */
  public byte[] toArray() {
    return Arrays.copyOf(bytes, size);
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Growth.length(bytes.length, size + more));
    }
  }

  /** One byte: the low 8 bits. */
  public BytesBuilder u8(int value) {
    room(1);
    bytes[size++] = (byte) value;
    return this;
  }

  /** Two bytes: the low 16 bits. */
  public BytesBuilder u16(int value) {
    return u8(value).u8(value >> 8);
  }

  /** Four bytes. */
  public BytesBuilder u32(int value) {
    room(4);
    size += 4;
    return setU32(size - 4, value);
  }

  /** Eight bytes. */
  public BytesBuilder u64(long value) {
    return u32((int) value).u32((int) (value >> 32));
  }

  /** All these bytes. */
  public BytesBuilder bytes(byte[] source) {
    return bytes(source, 0, source.length);
  }

  /** A piece of an array. */
  public BytesBuilder bytes(byte[] source, int from, int length) {
    room(length);
    System.arraycopy(source, from, bytes, size, length);
    size += length;
    return this;
  }

  /** Appends {@code count} zero bytes. */
  public BytesBuilder zeros(int count) {
    room(count);
    Arrays.fill(bytes, size, size + count, (byte) 0);
    size += count;
    return this;
  }

  /** UTF-16 text and a NUL. */
  public BytesBuilder utf16z(String text) {
    for (int i = 0; i < text.length(); i++) {
      u16(text.charAt(i));
    }
    return u16(0);
  }

  /** Writes over two bytes that were written before. */
  public BytesBuilder setU16(int at, int value) {
    return set(at, value, Short.BYTES);
  }

  /** Writes over four bytes that were written before. */
  public BytesBuilder setU32(int at, int value) {
    return set(at, value, Integer.BYTES);
  }

  private BytesBuilder set(int at, int value, int count) {
    if (at < 0 || at > size - count) {
      throw new IndexOutOfBoundsException(at);
    }
    for (int i = 0; i < count; i++) {
      bytes[at + i] = (byte) (value >> 8 * i);
    }
    return this;
  }

  /** Writes over eight bytes that were written before. */
  public BytesBuilder setU64(int at, long value) {
    return setU32(at, (int) value).setU32(at + 4, (int) (value >> 32));
  }
}
