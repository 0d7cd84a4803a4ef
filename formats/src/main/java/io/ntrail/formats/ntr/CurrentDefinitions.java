package io.ntrail.formats.ntr;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The definitions of a recording that hold, as records, so that they can be written again. */
final class CurrentDefinitions {
  /**
   * What a record defines.
   *
   * @param kind of record
   * @param what the number of the thing, or the ticks of a calibration
   */
  record Key(int kind, long what) {}

  private final Map<Key, byte[]> records = new LinkedHashMap<>();

  /** Takes a record; it replaces an earlier one with the end that was told of it. */
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

  /** Definitions before their ends, as they were told. */
  Map<Key, byte[]> records() {
    return Collections.unmodifiableMap(records);
  }

  private static boolean isBeginning(int kind) {
    return kind == NtrLayout.PROCESS || kind == NtrLayout.THREAD || kind == NtrLayout.MODULE;
  }
}
