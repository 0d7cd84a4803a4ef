package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.RowIndex;
import java.util.ArrayList;
import java.util.List;

/**
 * Cache of values computed from bytes, keyed by those very bytes. It holds a bounded number of them
 * and is emptied when it is full: input with more kinds than that is handled as if there were no
 * cache. One thread at a time.
 */
final class ContentKeyedCache<V> {
  /** Makes what is kept. */
  interface Maker<V> {
    V make(Bytes bytes, int at, int length);
  }

  private static final int MAX_ENTRIES = 1 << 12;

  /** Of keys; what is made of a byte takes up to some fifty. */
  private static final int MAX_BYTES = 1 << 20;

  private static final long PRIME = 0x9E3779B97F4A7C15L;

  private static final class Entry {
    final long hash;
    final int length;
    final long[] words;
    final byte[] tail;
    final Object value;

    Entry(long hash, int length, long[] words, byte[] tail, Object value) {
      this.hash = hash;
      this.length = length;
      this.words = words;
      this.tail = tail;
      this.value = value;
    }

    boolean has(Bytes bytes, int at) {
      for (int i = 0; i < words.length; i++) {
        if (words[i] != bytes.i64(at + 8 * i)) {
          return false;
        }
      }
      int rest = at + 8 * words.length;
      for (int i = 0; i < tail.length; i++) {
        if (tail[i] != (byte) bytes.u8(rest + i)) {
          return false;
        }
      }
      return true;
    }
  }

  private final Maker<V> maker;
  private final List<Entry> entries = new ArrayList<>();
  private final RowIndex index = new RowIndex(MAX_ENTRIES, row -> entries.get(row).hash);
  private int keyBytes;

  ContentKeyedCache(Maker<V> maker) {
    this.maker = maker;
  }

  /** Returns the value of these bytes, computed if need be; they are inside the window. */
  @SuppressWarnings("unchecked") // nothing but what the maker made is ever put in
  V get(Bytes bytes, int at, int length) {
    long hash = hash(bytes, at, length);
    int slot = index.slot(hash);
    for (int row = index.row(slot); row >= 0; row = index.row(slot)) {
      Entry entry = entries.get(row);
      if (entry.hash == hash && entry.length == length && entry.has(bytes, at)) {
        return (V) entry.value;
      }
      slot = index.next(slot);
    }
    V value = maker.make(bytes, at, length);
    keep(hash, bytes, at, length, value);
    return value;
  }

  private void keep(long hash, Bytes bytes, int at, int length, V value) {
    if (entries.size() == MAX_ENTRIES || keyBytes + length > MAX_BYTES) {
      entries.clear();
      index.clear();
      keyBytes = 0;
    }
    long[] words = new long[length / 8];
    for (int i = 0; i < words.length; i++) {
      words[i] = bytes.i64(at + 8 * i);
    }
    byte[] tail = bytes.array(at + 8 * words.length, length % 8);
    int slot = index.slot(hash);
    while (index.row(slot) >= 0) {
      slot = index.next(slot);
    }
    entries.add(new Entry(hash, length, words, tail, value));
    index.put(slot, entries.size() - 1);
    keyBytes += length;
  }

  private static long hash(Bytes bytes, int at, int length) {
    long hash = length * PRIME;
    int i = at;
    int end = at + length;
    for (; i + 8 <= end; i += 8) {
      hash = (hash ^ bytes.i64(i)) * PRIME;
      hash ^= hash >>> 29;
    }
    for (; i < end; i++) {
      hash = (hash ^ bytes.u8(i)) * PRIME;
    }
    return hash ^ hash >>> 31;
  }

  /** Returns the number of values held. */
  int size() {
    return entries.size();
  }
}
