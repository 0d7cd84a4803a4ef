package io.ntrail.formats.ntr;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The definitions of a recording that hold, as records, so that they can be written again. */
final class CurrentDefinitions {
  /**
   * Key of a definition.
   *
   * @param kind of record
   * @param what the number of the thing, or the ticks of a calibration
   */
  record Key(int kind, long what) {}

  private final Map<Key, byte[]> records = new LinkedHashMap<>();

  /** Adds a record; it replaces an earlier one together with the end recorded for it. */
  void add(int kind, long what, byte[] record) {
    if (isBeginning(kind)) {
      records.remove(new Key(kind + 1, what));
    }
    records.put(new Key(kind, what), record);
  }

  /** Forgets a process, thread or module with its end. */
  void forget(int kind, long what) {
    records.remove(new Key(kind, what));
    records.remove(new Key(kind + 1, what));
  }

  /** Returns definitions before their ends, in the order in which they were added. */
  Map<Key, byte[]> records() {
    return Collections.unmodifiableMap(records);
  }

  private static boolean isBeginning(int kind) {
    return kind == NtrLayout.PROCESS || kind == NtrLayout.THREAD || kind == NtrLayout.MODULE;
  }
}
