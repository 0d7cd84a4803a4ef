package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.naming.StringPool;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.Search;
import org.jspecify.annotations.Nullable;

/**
 * Names of files by their key (the {@code FileObject} of name records, disk operations and hard
 * faults). Keys are used again: the name of a key at a time is the last one recorded before it, and
 * if there is none, the first one recorded after it (a rundown at the end).
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

  private final Columns names = new Columns();
  private final LongColumn keys = names.longs();
  private final LongColumn times = names.longs();
  private final LongColumn places = names.longs();

  FileNames() {}

  /** Notes that a file had a name at a time. */
  void note(long key, long time, String name) {
    if (name.isEmpty()) {
      return;
    }
    long place =
        texts.bytes() + (names.rows() + 1L) * ENTRY_BYTES > MOST_BYTES ? -1 : texts.add(name);
    if (place < 0) {
      leftOut++;
      return;
    }
    note(key, time, place);
  }

  private void note(long key, long time, long place) {
    int row = names.add();
    keys.set(row, key);
    times.set(row, time);
    places.set(row, place);
  }

  void addAll(FileNames other) {
    for (int i = 0; i < other.names.rows(); i++) {
      note(other.keys.get(i), other.times.get(i), other.text(i));
    }
    leftOut += other.leftOut;
  }

  /** Puts the notes in order. */
  void settle() {
    names.sort((a, b) -> {
      int byKey = Long.compare(keys.get(a), keys.get(b));
      int byTime = byKey != 0 ? byKey : Long.compare(times.get(a), times.get(b));
      // Of one time by the names, whatever thread noted which of them first.
      return byTime != 0 ? byTime : text(a).compareTo(text(b));
    });
  }

  private String text(int i) {
    return texts.at(places.get(i));
  }

  /** Number of names. */
  public int count() {
    return names.rows();
  }

  /** Names that were skipped at the memory limit. */
  public long leftOut() {
    return leftOut;
  }

  /** The name of a file at a time; null if unknown. */
  public @Nullable String at(long key, long time) {
    int next =
        Search.first(
            0, names.rows(), i -> keys.get(i) > key || keys.get(i) == key && times.get(i) > time);
    if (next > 0 && keys.get(next - 1) == key) {
      return text(next - 1);
    }
    return next < names.rows() && keys.get(next) == key ? text(next) : null;
  }
}
