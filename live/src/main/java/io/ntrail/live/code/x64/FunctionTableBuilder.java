package io.ntrail.live.code.x64;

import io.ntrail.formats.bytes.BytesBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a table of RUNTIME_FUNCTION and the unwind data that it points to, for code that was not
 * loaded from an image. Entries are added by rising address and do not overlap.
 */
final class FunctionTableBuilder {
  /** Size of an entry. */
  static final int ENTRY = 12;

  private record Entry(int begin, int end, Object info) {}

  private record Slot(int distance, int handler) {}

  private record Guarded(UnwindBytes info, int handler) {}

  private final List<Entry> entries = new ArrayList<>();

  /** Adds code between two offsets from the base. */
  void add(int begin, int end, UnwindBytes info) {
    put(begin, end, info);
  }

  /** Adds the return point of a slot. */
  void addSlot(int begin, int end, int distance, int handler) {
    put(begin, end, new Slot(distance, handler));
  }

  /** Adds code with an exception handler. */
  void addGuarded(int begin, int end, UnwindBytes info, int handler) {
    put(begin, end, new Guarded(info, handler));
  }

  private void put(int begin, int end, Object info) {
    if (end <= begin || !entries.isEmpty() && entries.getLast().end > begin) {
      throw new IllegalArgumentException("ranges overlap at 0x" + Integer.toHexString(begin));
    }
    entries.add(new Entry(begin, end, info));
  }

  /** Returns the number of entries. */
  int count() {
    return entries.size();
  }

  /**
   * Returns the table, and after it the unwind data.
   *
   * @param at the distance of the table from the base
   */
  byte[] bytes(int at) {
    BytesBuilder infos = new BytesBuilder(1 << 10);
    BytesBuilder table = new BytesBuilder(ENTRY * entries.size());
    Map<Object, Integer> places = new HashMap<>();
    int behind = at + ENTRY * entries.size();
    for (Entry entry : entries) {
      Integer place = places.get(entry.info);
      if (place == null) {
        place = behind + infos.size();
        places.put(entry.info, place);
        switch (entry.info) {
          case UnwindBytes info -> info.write(infos);
          case Slot slot -> UnwindBytes.writeSlot(infos, slot.distance, slot.handler);
          case Guarded guarded -> {
            guarded.info.write(infos);
            infos.u32(guarded.handler);
          }
          default -> throw new IllegalStateException();
        }
      }
      table.u32(entry.begin).u32(entry.end).u32(place);
    }
    return table.bytes(infos.array(), 0, infos.size()).toArray();
  }
}
