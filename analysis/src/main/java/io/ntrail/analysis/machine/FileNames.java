package io.ntrail.analysis.machine;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Names of files by their key (the {@code FileObject} of name records, disk operations and hard
 * faults). Keys are used again: the name of a key at a time is the last one told before it, and if
 * there is none, the first one told after it (a rundown at the end).
 *
 * <p>Names are kept as bytes; when they take more than {@link #MOST_BYTES}, further ones are left
 * out and counted.
 */
public final class FileNames {
  private static final int CHUNK = 1 << 20;

  /** Memory for names. */
  private static final long MOST_BYTES = 64L << 20;

  private final List<byte[]> chunks = new ArrayList<>();
  private int chunkUsed = CHUNK;
  private long used;
  private long leftOut;

  private int size;
  private long[] keys = new long[16];
  private long[] times = new long[16];
  private long[] places = new long[16];

  FileNames() {}

  /** Notes that a file had a name at a time. */
  void note(long key, long time, String name) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    if (text.length == 0 || text.length > CHUNK) {
      return;
    }
    if (used + text.length > MOST_BYTES) {
      leftOut++;
      return;
    }
    if (chunkUsed + text.length > CHUNK) {
      chunks.add(new byte[CHUNK]);
      chunkUsed = 0;
    }
    System.arraycopy(text, 0, chunks.getLast(), chunkUsed, text.length);
    note(key, time, (long) (chunks.size() - 1) << 40 | (long) chunkUsed << 20 | text.length);
    chunkUsed += text.length;
    used += text.length;
  }

  private void note(long key, long time, long place) {
    if (size == keys.length) {
      keys = Arrays.copyOf(keys, 2 * size);
      times = Arrays.copyOf(times, 2 * size);
      places = Arrays.copyOf(places, 2 * size);
    }
    keys[size] = key;
    times[size] = time;
    places[size] = place;
    size++;
  }

  void addAll(FileNames other) {
    for (int i = 0; i < other.size; i++) {
      note(other.keys[i], other.times[i], other.text(i));
    }
    leftOut += other.leftOut;
  }

  /** Puts the notes in order. */
  void settle() {
    Integer[] order = new Integer[size];
    Arrays.setAll(order, i -> i);
    Arrays.sort(
        order,
        (a, b) -> {
          int byKey = Long.compare(keys[a], keys[b]);
          int byTime = byKey != 0 ? byKey : Long.compare(times[a], times[b]);
          // Of one time by the names, whatever thread noted which of them first.
          return byTime != 0 ? byTime : text(a).compareTo(text(b));
        });
    keys = sorted(keys, order);
    times = sorted(times, order);
    places = sorted(places, order);
  }

  private static long[] sorted(long[] values, Integer[] order) {
    long[] result = new long[order.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = values[order[i]];
    }
    return result;
  }

  private String text(int i) {
    long place = places[i];
    return new String(
        chunks.get((int) (place >>> 40)),
        (int) (place >>> 20) & 0xF_FFFF,
        (int) place & 0xF_FFFF,
        StandardCharsets.UTF_8);
  }

  /** Number of names. */
  public int count() {
    return size;
  }

  /** Names that were left out for want of memory. */
  public long leftOut() {
    return leftOut;
  }

  /** The name of a file at a time; null if nothing tells it. */
  public @Nullable String at(long key, long time) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (keys[middle] < key || keys[middle] == key && times[middle] <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low > 0 && keys[low - 1] == key) {
      return text(low - 1);
    }
    return low < size && keys[low] == key ? text(low) : null;
  }
}
