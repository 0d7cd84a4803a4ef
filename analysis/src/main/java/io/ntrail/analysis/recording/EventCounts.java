package io.ntrail.analysis.recording;

import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How often each type of event occurs. Every record is in exactly one row, stack records and
 * metadata too, so that the counts add up to the number of records.
 *
 * <p>An event has a stack if it carries one, or if a stack record of the kernel logger names its
 * time stamp; records that a merge added at the time of an image load do not count as having that
 * load's stack.
 *
 * @param records number of records
 * @param bytes bytes of all records
 * @param rows by count, most first
 */
public record EventCounts(long records, long bytes, List<Row> rows) {
  /**
   * One type of event.
   *
   * @param providerGuid provider or class; zero for record headers that have none
   * @param provider its name; null if unknown
   * @param event the event's name, for TraceLogging the one that all events of this row share; null
   *     if unknown or if there are several
   * @param id event id; of kernel events the hook id, group * 256 + type
   * @param opcode opcode, or type of a class event
   * @param version version
   * @param count how many
   * @param bytes their bytes, headers included
   * @param withStack how many have a stack
   * @param names TraceLogging: the names that the events tell, and how many events of each
   */
  public record Row(
      Guid providerGuid,
      @Nullable String provider,
      @Nullable String event,
      int id,
      int opcode,
      int version,
      long count,
      long bytes,
      long withStack,
      Map<String, Long> names) {}

  private static final class Collected {
    final KernelEvents kernel;
    final EventTypeTable types = new EventTypeTable();
    final ProviderNames providers = new ProviderNames();
    final Map<Integer, Map<String, long[]>> names = new HashMap<>();
    final int[] rowOfHook = new int[1 << 16];

    Collected(KernelEvents kernel) {
      this.kernel = kernel;
    }

    Collected merge(Collected other) {
      EventTypeTable from = other.types;
      for (int i = 0; i < from.size(); i++) {
        int row = types.row(from.guidLow[i], from.guidHigh[i], from.ids[i]);
        types.counts[row] += from.counts[i];
        types.bytes[row] += from.bytes[i];
        types.withStack[row] += from.withStack[i];
        Map<String, long[]> told = other.names.get(i);
        if (told != null) {
          Map<String, long[]> mine = names.computeIfAbsent(row, r -> new HashMap<>());
          told.forEach(
              (name, count) -> mine.computeIfAbsent(name, n -> new long[1])[0] += count[0]);
        }
      }
      providers.merge(other.providers);
      return this;
    }
  }

  /** Counts all records. */
  public static EventCounts of(Recording recording, int cores) {
    KernelEvents kernel = new KernelEvents();
    StackJoin stacks = new StackJoin(recording, kernel);
    List<EtlFile> files = recording.files();
    Collected counted =
        recording.scan(
            cores,
            () -> new Collected(kernel),
            (collected, record) -> visit(collected, stacks, files.indexOf(record.file()), record),
            Collected::merge);
    Collected withStack =
        stacks.events(
            cores,
            () -> new Collected(kernel),
            (collected, record) -> collected.types.withStack[row(collected, record)]++,
            Collected::merge);
    return result(counted.merge(withStack));
  }

  private static void visit(Collected collected, StackJoin stacks, int file, RecordCursor record) {
    while (record.next()) {
      stacks.visit(file, record);
      int row = row(collected, record);
      collected.types.counts[row]++;
      collected.types.bytes[row] += record.size();
      RecordKind kind = record.kind();
      if (kind.isEvent()) {
        if (record.hasExtendedItems()) {
          visitItems(collected, record, row);
        }
      } else if (ProviderNames.isMetadata(record)) {
        collected.providers.learnFromMetadata(record);
      }
    }
  }

  private static void visitItems(Collected collected, RecordCursor record, int row) {
    record.payloadOffset();
    boolean stack = false;
    for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
      int type = record.itemType(item);
      if (type == ExtendedItem.EVENT_SCHEMA_TL.number()) {
        count(collected, row, EventIdentity.traceLoggingName(record, item));
      }
      stack |=
          type == ExtendedItem.STACK_TRACE32.number()
              || type == ExtendedItem.STACK_TRACE64.number()
              || type == ExtendedItem.STACK_KEY32.number()
              || type == ExtendedItem.STACK_KEY64.number();
    }
    if (stack) {
      collected.types.withStack[row]++;
    }
    if (collected.providers.of(record.provider()).isEmpty()) {
      collected.providers.learnFromTraits(record);
    }
  }

  private static void count(Collected collected, int row, String name) {
    collected.names.computeIfAbsent(row, r -> new HashMap<>())
        .computeIfAbsent(name, n -> new long[1])[0]++;
  }

  private static int row(Collected collected, RecordCursor record) {
    EventTypeTable types = collected.types;
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      int hook = record.hookId();
      long id = EventTypeTable.pack(hook, hook & 0xFF, record.version());
      int remembered = collected.rowOfHook[hook] - 1;
      if (remembered >= 0 && types.ids[remembered] == id) {
        return remembered;
      }
      Guid classGuid = collected.kernel.classGuid(hook);
      int row = types.row(classGuid.low(), classGuid.high(), id);
      collected.rowOfHook[hook] = row + 1;
      return row;
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
      id = Math.max(0, collected.kernel.hookId(provider, record.opcode()));
    }
    return types.row(
        provider.low(),
        provider.high(),
        EventTypeTable.pack(id, record.opcode(), record.version()));
  }

  private static EventCounts result(Collected counted) {
    EventTypeTable types = counted.types;
    List<Row> rows = new ArrayList<>();
    long records = 0;
    long bytes = 0;
    for (int i = 0; i < types.size(); i++) {
      records += types.counts[i];
      bytes += types.bytes[i];
      rows.add(row(counted, i));
    }
    rows.sort(
        Comparator.comparingLong((Row row) -> -row.count)
            .thenComparing(row -> row.providerGuid.toString())
            .thenComparingInt(Row::id)
            .thenComparingInt(Row::opcode)
            .thenComparingInt(Row::version));
    return new EventCounts(records, bytes, List.copyOf(rows));
  }

  private static Row row(Collected counted, int i) {
    EventTypeTable types = counted.types;
    Guid guid = new Guid(types.guidLow[i], types.guidHigh[i]);
    int opcode = EventTypeTable.opcode(types.ids[i]);
    int version = EventTypeTable.version(types.ids[i]);
    int hook = counted.kernel.hookId(guid, opcode);
    Map<String, Long> names = new TreeMap<>();
    counted.names.getOrDefault(i, Map.of()).forEach((name, count) -> names.put(name, count[0]));
    String event = null;
    if (hook >= 0) {
      event = counted.kernel.name(hook, version);
    } else if (names.size() == 1) {
      event = names.keySet().iterator().next();
    }
    return new Row(
        guid,
        hook >= 0 ? "Windows Kernel" : counted.providers.of(guid).orElse(null),
        event,
        EventTypeTable.id(types.ids[i]),
        opcode,
        version,
        types.counts[i],
        types.bytes[i],
        types.withStack[i],
        names);
  }
}
