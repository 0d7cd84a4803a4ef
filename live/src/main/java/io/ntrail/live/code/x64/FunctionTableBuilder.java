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

  private record Entry(int begin, int end, UnwindData info) {}

  /** Unwind data; equal data is written once. */
  interface UnwindData {
    /** Writes it behind the data of others. */
    void write(BytesBuilder infos);
  }

  /** Compared by hand: what the compiler writes takes a millisecond where it first runs. */
  private record Slot(int distance, int handler) implements UnwindData {
    @Override
    public void write(BytesBuilder infos) {
      UnwindBytes.writeSlot(infos, distance, handler);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Slot slot && slot.distance == distance && slot.handler == handler;
    }

    @Override
    public int hashCode() {
      return 31 * distance + handler;
    }
  }

  private static final class Guarded implements UnwindData {
    private final UnwindBytes info;
    private final int handler;

    Guarded(UnwindBytes info, int handler) {
      this.info = info;
      this.handler = handler;
    }

    @Override
    public void write(BytesBuilder infos) {
      info.write(infos);
      infos.u32(handler);
    }
  }

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

  private void put(int begin, int end, UnwindData info) {
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
    Map<UnwindData, Integer> places = new HashMap<>();
    int behind = at + ENTRY * entries.size();
    for (Entry entry : entries) {
      Integer place = places.get(entry.info);
      if (place == null) {
        place = behind + infos.size();
        places.put(entry.info, place);
        entry.info.write(infos);
      }
      table.u32(entry.begin).u32(entry.end).u32(place);
    }
    return table.bytes(infos.array(), 0, infos.size()).toArray();
  }
}
