package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.etw.recording.IndexSort;
import io.ntrail.analysis.naming.StringPool;
import java.util.Arrays;
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
  /** Memory for names and their keys. */
  private static final long MOST_BYTES = 64L << 20;

  /** Bytes of a name beside its text: key, time, place, and a number while they are sorted. */
  private static final int ENTRY_BYTES = 44;

  private final StringPool texts = new StringPool();
  private long leftOut;

  private int size;
  private long[] keys = new long[16];
  private long[] times = new long[16];
  private long[] places = new long[16];

  FileNames() {}

  /** Notes that a file had a name at a time. */
  void note(long key, long time, String name) {
    if (name.isEmpty()) {
      return;
    }
    long place =
        texts.bytes() + (long) (size + 1) * ENTRY_BYTES > MOST_BYTES ? -1 : texts.add(name);
    if (place < 0) {
      leftOut++;
      return;
    }
    note(key, time, place);
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
    int[] order =
        IndexSort.by(
            size,
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

  private static long[] sorted(long[] values, int[] order) {
    long[] result = new long[order.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = values[order[i]];
    }
    return result;
  }

  private String text(int i) {
    return texts.at(places[i]);
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
