package io.ntrail.formats.jtrc;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.RowSort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The chunks with records, as they are found: 24 bytes each. */
final class JtrcChunks {
  // A record's own equals and hashCode, made by the JVM at the first call, cost milliseconds at the
  // start.
  private record Key(int pid, int tid) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.pid == pid && key.tid == tid;
    }

    @Override
    public int hashCode() {
      return pid * 31 + tid;
    }
  }

  private final Map<Key, Integer> numbers = new HashMap<>();
  private final List<Key> keys = new ArrayList<>();
  private final Columns chunks = new Columns(64);
  private final LongColumn offsets = chunks.longs();
  private final LongColumn firstTicks = chunks.longs();
  private final IntColumn records = chunks.ints();
  private final IntColumn clients = chunks.ints();

  void add(int pid, int tid, long offset, int howMany, long first) {
    Key key = new Key(pid, tid);
    Integer known = numbers.get(key);
    if (known == null) {
      known = keys.size();
      numbers.put(key, known);
      keys.add(key);
    }
    int chunk = chunks.add();
    offsets.set(chunk, offset);
    firstTicks.set(chunk, first);
    records.set(chunk, howMany);
    clients.set(chunk, known);
  }

  int count() {
    return chunks.rows();
  }

  /** By the place of their first chunk in the file. */
  List<JtrcClient> clients() {
    int[] sizes = new int[keys.size()];
    for (int i = 0; i < count(); i++) {
      sizes[clients.get(i)]++;
    }
    int[][] own = new int[keys.size()][];
    for (int i = 0; i < sizes.length; i++) {
      own[i] = new int[sizes[i]];
    }
    for (int i = count() - 1; i >= 0; i--) {
      own[clients.get(i)][--sizes[clients.get(i)]] = i;
    }
    List<JtrcClient> list = new ArrayList<>(own.length);
    for (int i = 0; i < own.length; i++) {
      list.add(client(keys.get(i), own[i]));
    }
    return List.copyOf(list);
  }

  /** By first time stamp; chunks of one time in the order of the file. */
  private JtrcClient client(Key key, int[] own) {
    int[] order =
        RowSort.sorted(
            own.length, (a, b) -> Long.compare(firstTicks.get(own[a]), firstTicks.get(own[b])));
    long[] at = new long[order.length];
    long[] ticks = new long[order.length];
    long[] first = new long[order.length + 1];
    for (int i = 0; i < order.length; i++) {
      int chunk = own[order[i]];
      at[i] = offsets.get(chunk);
      ticks[i] = firstTicks.get(chunk);
      first[i + 1] = first[i] + records.get(chunk);
    }
    return new JtrcClient(
        Integer.toUnsignedLong(key.pid), Integer.toUnsignedLong(key.tid), at, ticks, first);
  }
}
