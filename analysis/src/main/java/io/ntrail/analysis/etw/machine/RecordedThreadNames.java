package io.ntrail.analysis.etw.machine;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Names of threads with the times at which the recording tells of them. */
final class RecordedThreadNames {
  /** Names that are kept, some hundred bytes each. */
  private static final int MOST = 1 << 17;

  /** Characters of a name that are kept. */
  private static final int LONGEST = 256;

  private final Map<Integer, NavigableMap<Long, String>> names = new HashMap<>();
  private int count;
  private long leftOut;

  /** Notes a name; an empty one is none. */
  void note(int thread, long key, String name) {
    if (name.isEmpty()) {
      return;
    }
    if (count >= MOST) {
      leftOut++;
      return;
    }
    String kept = name.length() <= LONGEST ? name : name.substring(0, LONGEST);
    // Of two names of one time the order of the alphabet decides, not who noted first.
    names
        .computeIfAbsent(thread, _ -> new TreeMap<>())
        .merge(key, kept, (a, b) -> a.compareTo(b) <= 0 ? a : b);
    count++;
  }

  void addAll(RecordedThreadNames other) {
    other.names.forEach((thread, told) -> told.forEach((key, name) -> note(thread, key, name)));
    leftOut += other.leftOut;
  }

  /**
   * Returns the last name up to a time, else the first after it; null if there is none.
   *
   * @param from beginning of the thread's life
   * @param to its end
   */
  @Nullable String in(int thread, long key, long from, long to) {
    NavigableMap<Long, String> told = names.get(thread);
    if (told == null) {
      return null;
    }
    Map.Entry<Long, String> before = told.floorEntry(key);
    if (before != null && before.getKey() >= from) {
      return before.getValue();
    }
    Map.Entry<Long, String> after = told.higherEntry(key);
    return after != null && after.getKey() <= to ? after.getValue() : null;
  }

  /** Returns how many names were skipped at the memory limit. */
  long leftOut() {
    return leftOut;
  }
}
