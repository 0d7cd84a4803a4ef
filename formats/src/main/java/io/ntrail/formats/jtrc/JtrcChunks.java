package io.ntrail.formats.jtrc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The chunks with records, as they are found: 24 bytes each. */
final class JtrcChunks {
  private record Key(int pid, int tid) {}

  private final Map<Key, Integer> numbers = new HashMap<>();
  private final List<Key> keys = new ArrayList<>();
  private long[] offsets = new long[64];
  private long[] firstTicks = new long[64];
  private int[] records = new int[64];
  private int[] clients = new int[64];
  private int count;

  void add(int pid, int tid, long offset, int howMany, long first) {
    if (count == offsets.length) {
      int more = count + (count >> 1);
      offsets = Arrays.copyOf(offsets, more);
      firstTicks = Arrays.copyOf(firstTicks, more);
      records = Arrays.copyOf(records, more);
      clients = Arrays.copyOf(clients, more);
    }
    Key key = new Key(pid, tid);
    Integer known = numbers.get(key);
    if (known == null) {
      known = keys.size();
      numbers.put(key, known);
      keys.add(key);
    }
    offsets[count] = offset;
    firstTicks[count] = first;
    records[count] = howMany;
    clients[count++] = known;
  }

  int count() {
    return count;
  }

  /** By the place of their first chunk in the file. */
  List<JtrcClient> clients() {
    int[] sizes = new int[keys.size()];
    for (int i = 0; i < count; i++) {
      sizes[clients[i]]++;
    }
    int[][] chunks = new int[keys.size()][];
    for (int i = 0; i < sizes.length; i++) {
      chunks[i] = new int[sizes[i]];
    }
    for (int i = count - 1; i >= 0; i--) {
      chunks[clients[i]][--sizes[clients[i]]] = i;
    }
    List<JtrcClient> list = new ArrayList<>(chunks.length);
    for (int i = 0; i < chunks.length; i++) {
      list.add(client(keys.get(i), chunks[i]));
    }
    return List.copyOf(list);
  }

  private JtrcClient client(Key key, int[] chunks) {
    int[] sorted = sorted(chunks);
    long[] at = new long[sorted.length];
    long[] ticks = new long[sorted.length];
    long[] first = new long[sorted.length + 1];
    for (int i = 0; i < sorted.length; i++) {
      at[i] = offsets[sorted[i]];
      ticks[i] = firstTicks[sorted[i]];
      first[i + 1] = first[i] + records[sorted[i]];
    }
    return new JtrcClient(
        Integer.toUnsignedLong(key.pid), Integer.toUnsignedLong(key.tid), at, ticks, first);
  }

  /** By first time stamp; those of one time in the order of the file. */
  private int[] sorted(int[] chunks) {
    boolean isSorted = true;
    for (int i = 1; i < chunks.length && isSorted; i++) {
      isSorted = firstTicks[chunks[i - 1]] <= firstTicks[chunks[i]];
    }
    if (isSorted) {
      return chunks;
    }
    Integer[] boxed = Arrays.stream(chunks).boxed().toArray(Integer[]::new);
    Arrays.sort(boxed, (a, b) -> Long.compare(firstTicks[a], firstTicks[b]));
    return Arrays.stream(boxed).mapToInt(Integer::intValue).toArray();
  }
}
