package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.recording.RowsByUse;
import io.ntrail.formats.collections.Hashing;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.etl.RecordTable;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.SchemaSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts records by their type: what one thread counts, to be merged with what others did. What the
 * types are called is asked of the {@link SchemaIndex} when all is counted.
 */
final class EventTypeCounter {
  private static final int STRING_ONLY = 4;

  /** Limit of distinct names of TraceLogging events. */
  private static final int MOST_NAMES = 1 << 18;

  /** Stands for the names that were too many. */
  private static final String OTHER_NAMES = "(other names)";

  private final EventTypeTable types = new EventTypeTable();
  private final BitSet classic = new BitSet();
  private final BitSet messages = new BitSet();
  private final Map<Integer, Map<String, long[]>> names = new HashMap<>();
  private final Map<Integer, long[]> texts = new HashMap<>();

  /** By hook: the version that was met last, plus 1, in the upper half, and its row. */
  private final long[] rowOfHook = new long[1 << 16];

  /** Places for types of plain events; a power of 2. */
  private static final int PLAIN = 1 << 8;

  // By place: provider and type of an event that tells nothing but those, and its row, plus 1.
  private final long[] plainLow = new long[PLAIN];
  private final long[] plainHigh = new long[PLAIN];
  private final long[] plainTypes = new long[PLAIN];
  private final int[] plainRows = new int[PLAIN];

  private int nameCount;

  /** Types of the rows, each looked up once. */
  private final List<EventType> asked = new ArrayList<>();

  /**
   * Counts a record.
   *
   * @return its row
   */
  int count(RecordCursor record, KernelEvents kernel, SchemaIndex schemas) {
    int row = row(record, kernel);
    types.counts.add(row, 1);
    types.bytes.add(row, record.size());
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      return row;
    }
    if (kind.isEvent()) {
      String name = record.hasExtendedItems() ? schemas.toldName(record) : null;
      if (name != null) {
        countName(row, name, 1);
      } else if (isText(record)) {
        texts.computeIfAbsent(row, r -> new long[1])[0]++;
      }
    } else if (kind.isClassic()) {
      classic.set(row);
    } else if (kind == RecordKind.MESSAGE) {
      messages.set(row);
    }
    return row;
  }

  /** Counts kernel events of one hook id and version. */
  void countHooks(KernelEvents kernel, int hook, int version, long count, long bytes) {
    int row = row(kernel, hook, version);
    types.counts.add(row, count);
    types.bytes.add(row, bytes);
  }

  /**
   * Counts records that do not name their event by a hook id, as long as they are like those that
   * were remembered as plain. No calls in the loop, so that nothing must be loaded again for each
   * record.
   *
   * @return the number of the first one that was not counted
   */
  int countPlain(RecordCursor record, RecordTable table, RowsByUse.Rows rows, int from) {
    long[] counts = types.counts.array();
    long[] bytes = types.bytes.array();
    int count = rows.count();
    for (int i = from; i < count; i++) {
      int at = rows.get(i);
      if (!table.isEvent(at)) {
        return i;
      }
      record.moveTo(table, at);
      long low = record.providerLow();
      long type = record.typeBits();
      int place = plainPlace(low, type);
      int row = plainRows[place] - 1;
      boolean isKnown =
          row >= 0
              && plainLow[place] == low
              && plainTypes[place] == type
              && plainHigh[place] == record.providerHigh();
      if (!isKnown || record.hasExtendedItems() || isText(record)) {
        return i;
      }
      counts[row]++;
      bytes[row] += table.size(at);
    }
    return count;
  }

  /**
   * Remembers the type of an event of which nothing else is of use, unless items or its text tell
   * more.
   */
  void rememberPlain(RecordCursor record, int row) {
    long low = record.providerLow();
    long type = record.typeBits();
    int place = plainPlace(low, type);
    plainLow[place] = low;
    plainHigh[place] = record.providerHigh();
    plainTypes[place] = type;
    plainRows[place] = row + 1;
  }

  private static int plainPlace(long low, long type) {
    return (int) Hashing.hash(low, type) & PLAIN - 1;
  }

  private static boolean isText(RecordCursor event) {
    return (event.eventFlags() & STRING_ONLY) != 0;
  }

  private void countName(int row, String name, long count) {
    Map<String, long[]> ofRow = names.computeIfAbsent(row, r -> new HashMap<>());
    long[] known = ofRow.get(name);
    if (known == null) {
      String kept = nameCount < MOST_NAMES ? name : OTHER_NAMES;
      nameCount++;
      known = ofRow.computeIfAbsent(kept, n -> new long[1]);
    }
    known[0] += count;
  }

  /** Counts that a record of this row has a stack. */
  void countStack(int row) {
    types.withStack.add(row, 1);
  }

  /** Counts that so many records of this row have a stack. */
  void countStacks(int row, int count) {
    types.withStack.add(row, count);
  }

  /** Counts that a record of this row, which was counted as one with a stack, has none. */
  void takeBackStack(int row) {
    types.withStack.add(row, -1);
  }

  /**
   * Adds the counts of another thread.
   *
   * @return for each row of the other one the row of this one
   */
  int[] merge(EventTypeCounter other) {
    EventTypeTable from = other.types;
    int[] newRows = new int[from.size()];
    for (int i = 0; i < from.size(); i++) {
      int row = types.row(from.guidLow.get(i), from.guidHigh.get(i), from.ids.get(i));
      newRows[i] = row;
      types.counts.add(row, from.counts.get(i));
      types.bytes.add(row, from.bytes.get(i));
      types.withStack.add(row, from.withStack.get(i));
      if (other.classic.get(i)) {
        classic.set(row);
      }
      if (other.messages.get(i)) {
        messages.set(row);
      }
      Map<String, long[]> told = other.names.get(i);
      if (told != null) {
        told.forEach((name, count) -> countName(row, name, count[0]));
      }
      long[] text = other.texts.get(i);
      if (text != null) {
        texts.computeIfAbsent(row, r -> new long[1])[0] += text[0];
      }
    }
    return newRows;
  }

  /** The row of a record's type. */
  int row(RecordCursor record, KernelEvents kernel) {
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      return row(kernel, record.hookId(), record.version());
    }
    if (kind.isEvent()) {
      return types.row(
          record.providerLow(),
          record.providerHigh(),
          EventTypeTable.pack(record.id(), record.opcode(), record.version()));
    }
    Guid provider = record.provider();
    int id = record.id();
    if (kind.isClassic()) {
      id = Math.max(0, kernel.hookId(provider, record.opcode()));
    }
    return types.row(
        provider.low(),
        provider.high(),
        EventTypeTable.pack(id, record.opcode(), record.version()));
  }

  /** The row of an event of the kernel. */
  int row(KernelEvents kernel, int hook, int version) {
    long remembered = rowOfHook[hook];
    return (int) (remembered >>> 32) == version + 1
        ? (int) remembered
        : hookRow(kernel, hook, version);
  }

  private int hookRow(KernelEvents kernel, int hook, int version) {
    Guid classGuid = kernel.classGuid(hook);
    long id = EventTypeTable.pack(hook, hook & 0xFF, version);
    int row = types.row(classGuid.low(), classGuid.high(), id);
    rowOfHook[hook] = version + 1L << 32 | row;
    return row;
  }

  private EventType type(SchemaIndex schemas, int row) {
    for (int next = asked.size(); next <= row; next++) {
      asked.add(ask(schemas, next));
    }
    return asked.get(row);
  }

  private EventType ask(SchemaIndex schemas, int row) {
    RecordKind kind =
        classic.get(row)
            ? RecordKind.FULL64
            : messages.get(row) ? RecordKind.MESSAGE : RecordKind.EVENT64;
    return schemas.typeOf(
        new Guid(types.guidLow.get(row), types.guidHigh.get(row)),
        EventTypeTable.id(types.ids.get(row)),
        EventTypeTable.opcode(types.ids.get(row)),
        EventTypeTable.version(types.ids.get(row)),
        kind);
  }

  /**
   * The rows, in no particular order.
   *
   * @param sums sums of fields, by row; may be empty
   */
  List<EventCounts.Row> rows(SchemaIndex schemas, List<List<FieldSum>> sums) {
    List<EventCounts.Row> rows = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      EventType type = type(schemas, i);
      Map<String, Long> told = new TreeMap<>();
      names.getOrDefault(i, Map.of()).forEach((name, count) -> told.put(name, count[0]));
      String event =
          told.isEmpty() ? type.event() : told.size() == 1 ? told.keySet().iterator().next() : null;
      rows.add(
          new EventCounts.Row(
              type.guid(),
              type.provider(),
              type.isProviderListed(),
              event,
              type.id(),
              type.opcode(),
              type.version(),
              types.counts.get(i),
              types.bytes.get(i),
              types.withStack.get(i),
              described(i, type),
              told,
              sums.isEmpty() ? List.of() : sums.get(i)));
    }
    return rows;
  }

  private long described(int row, EventType type) {
    if (type.source() != null) {
      return types.counts.get(row);
    }
    long described = 0;
    for (long[] count : names.getOrDefault(row, Map.of()).values()) {
      described += count[0];
    }
    long[] text = texts.get(row);
    return text == null ? described : described + text[0];
  }

  /** Returns the sources of the schemas of the counted records. */
  SchemaSourceCounts sources(SchemaIndex schemas) {
    SchemaSourceCounts sources = new SchemaSourceCounts();
    for (int i = 0; i < types.size(); i++) {
      sources.addProvider(type(schemas, i));
      long left = types.counts.get(i);
      Map<String, long[]> told = names.getOrDefault(i, Map.of());
      if (!told.isEmpty()) {
        long events = told.values().stream().mapToLong(count -> count[0]).sum();
        sources.add(SchemaSource.TRACE_LOGGING, told.size(), events);
        left -= events;
      }
      SchemaSource source = left == 0 ? null : type(schemas, i).source();
      long[] text = texts.get(i);
      if (left > 0 && source == null && text != null) {
        sources.add(SchemaSource.STRING_ONLY, 1, text[0]);
        left -= text[0];
      }
      if (left > 0) {
        sources.add(source, 1, left);
      }
      if (type(schemas, i).isStackRecord()) {
        sources.addStackRecords(types.counts.get(i));
      }
    }
    return sources;
  }
}
