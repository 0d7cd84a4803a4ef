package io.ntrail.analysis.events;

import io.ntrail.analysis.recording.Recording;
import io.ntrail.analysis.recording.StackJoin;
import io.ntrail.analysis.recording.SurveyPart;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.SchemaSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How often each type of event occurs. Every record that is meant is in exactly one row, stack
 * records and metadata too, so that the counts add up to the number of records.
 *
 * <p>An event has a stack if it carries one, or if a stack record of the kernel logger names its
 * time stamp; records that a merge added at the time of an image load do not count as having that
 * load's stack.
 *
 * @param records number of records
 * @param bytes bytes of all records
 * @param stacksKnown whether {@code withStack} of the rows is right: not if more stack records of
 *     one time than can be remembered would have been needed
 * @param rows by count, most first
 */
public record EventCounts(long records, long bytes, boolean stacksKnown, List<Row> rows) {
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
      Map<String, Long> names) {
    /** One text for the screen. */
    public String text() {
      return names.size() > 1
          ? EventNaming.source(providerGuid, provider, event) + "/(" + names.size() + " names)"
          : EventNaming.text(providerGuid, provider, event, id, opcode, version);
    }
  }

  /** What one thread counts. */
  private static final class Collected {
    final EventTypeTable types = new EventTypeTable();
    final BitSet classic = new BitSet();
    final Map<Integer, Map<String, long[]>> names = new HashMap<>();
    final int[] rowOfHook = new int[1 << 16];

    void merge(Collected other) {
      EventTypeTable from = other.types;
      for (int i = 0; i < from.size(); i++) {
        int row = types.row(from.guidLow[i], from.guidHigh[i], from.ids[i]);
        types.counts[row] += from.counts[i];
        types.bytes[row] += from.bytes[i];
        types.withStack[row] += from.withStack[i];
        if (other.classic.get(i)) {
          classic.set(row);
        }
        Map<String, long[]> told = other.names.get(i);
        if (told != null) {
          Map<String, long[]> mine = names.computeIfAbsent(row, r -> new HashMap<>());
          told.forEach(
              (name, count) -> mine.computeIfAbsent(name, n -> new long[1])[0] += count[0]);
        }
      }
    }

    void count(RecordCursor record, int row) {
      types.counts[row]++;
      types.bytes[row] += record.size();
      if (record.kind().isClassic()) {
        classic.set(row);
      }
    }

    void count(int row, String name) {
      names.computeIfAbsent(row, r -> new HashMap<>()).computeIfAbsent(name, n -> new long[1])[0]++;
    }
  }

  /** Counts in the pass that learns what events are called. */
  private static final class Counting implements SurveyPart<Counting> {
    final SchemaIndex schemas;
    final KernelEvents kernel;
    final StackJoin stacks;
    final Collected collected = new Collected();

    Counting(SchemaIndex schemas, KernelEvents kernel, StackJoin stacks) {
      this.schemas = schemas;
      this.kernel = kernel;
      this.stacks = stacks;
    }

    @Override
    public void visit(int file, RecordCursor record) {
      schemas.visit(file, record);
      stacks.visit(file, record);
      int row = row(collected, kernel, record);
      collected.count(record, row);
      if (record.kind().isEvent() && record.hasExtendedItems()) {
        if (record.hasStackItem()) {
          collected.types.withStack[row]++;
        }
        String name = schemas.toldName(record);
        if (name != null) {
          collected.count(row, name);
        }
      }
    }

    @Override
    public Counting merge(Counting other) {
      schemas.merge(other.schemas);
      collected.merge(other.collected);
      return this;
    }

    @Override
    public void settle() {
      schemas.settle();
    }
  }

  /** Counts all records, with what the built-in tables and the recording itself tell. */
  public static EventCounts of(Recording recording, int cores) {
    return of(recording, cores, new SchemaSources(UserSchemas.NONE));
  }

  /** Counts all records. */
  public static EventCounts of(Recording recording, int cores, SchemaSources sources) {
    KernelEvents kernel = sources.kernel();
    StackJoin stacks = new StackJoin(recording, kernel);
    Counting counted = recording.survey(cores, () -> new Counting(sources.index(), kernel, stacks));
    Collected withStack =
        stacks.events(
            cores,
            Collected::new,
            (collected, record) -> collected.types.withStack[row(collected, kernel, record)]++,
            (a, b) -> {
              a.merge(b);
              return a;
            });
    counted.collected.merge(withStack);
    return result(counted.collected, counted.schemas, true);
  }

  /** Visits all records so that {@link #filtered} knows which have stacks. */
  private static StackJoin stacks(Recording recording, KernelEvents kernel, int cores) {
    StackJoin stacks = new StackJoin(recording, kernel);
    List<?> files = recording.files();
    recording.scan(
        cores,
        () -> stacks,
        (join, record) -> {
          int file = files.indexOf(record.file());
          while (record.next()) {
            join.visit(file, record);
          }
        },
        (a, b) -> a);
    return stacks;
  }

  /**
   * Counts the records that a walk gives.
   *
   * @param events what the walk is over
   */
  public static EventCounts filtered(Events events, Events.Walk walk, int cores) {
    KernelEvents kernel = events.sources().kernel();
    StackJoin.Walk stacks = stacks(events.recording(), kernel, cores).inOrder();
    Collected collected = new Collected();
    while (walk.next()) {
      RecordCursor record = walk.event().record();
      int row = row(collected, kernel, record);
      collected.count(record, row);
      if (record.hasStackItem() || stacks.hasStack(record)) {
        collected.types.withStack[row]++;
      }
      EventType type = walk.event().type();
      if (type.schema() != null && type.schema().source() == SchemaSource.TRACE_LOGGING) {
        collected.count(row, type.event() == null ? "" : type.event());
      }
    }
    return result(collected, events.schemas(), !stacks.isIncomplete());
  }

  private static int row(Collected collected, KernelEvents kernel, RecordCursor record) {
    EventTypeTable types = collected.types;
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      int hook = record.hookId();
      long id = EventTypeTable.pack(hook, hook & 0xFF, record.version());
      int remembered = collected.rowOfHook[hook] - 1;
      if (remembered >= 0 && types.ids[remembered] == id) {
        return remembered;
      }
      Guid classGuid = kernel.classGuid(hook);
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
      id = Math.max(0, kernel.hookId(provider, record.opcode()));
    }
    return types.row(
        provider.low(),
        provider.high(),
        EventTypeTable.pack(id, record.opcode(), record.version()));
  }

  private static EventCounts result(Collected counted, SchemaIndex schemas, boolean stacksKnown) {
    EventTypeTable types = counted.types;
    List<Row> rows = new ArrayList<>();
    long records = 0;
    long bytes = 0;
    for (int i = 0; i < types.size(); i++) {
      records += types.counts[i];
      bytes += types.bytes[i];
      rows.add(row(counted, schemas, i));
    }
    rows.sort(
        Comparator.comparingLong((Row row) -> -row.count)
            .thenComparing(row -> row.providerGuid.toString())
            .thenComparingInt(Row::id)
            .thenComparingInt(Row::opcode)
            .thenComparingInt(Row::version));
    return new EventCounts(records, bytes, stacksKnown, List.copyOf(rows));
  }

  private static Row row(Collected counted, SchemaIndex schemas, int i) {
    EventTypeTable types = counted.types;
    EventType type =
        schemas.typeOf(
            new Guid(types.guidLow[i], types.guidHigh[i]),
            EventTypeTable.id(types.ids[i]),
            EventTypeTable.opcode(types.ids[i]),
            EventTypeTable.version(types.ids[i]),
            counted.classic.get(i));
    Map<String, Long> names = new TreeMap<>();
    counted.names.getOrDefault(i, Map.of()).forEach((name, count) -> names.put(name, count[0]));
    String event =
        names.isEmpty()
            ? type.event()
            : names.size() == 1 ? names.keySet().iterator().next() : null;
    return new Row(
        type.guid(),
        type.provider(),
        event,
        type.id(),
        type.opcode(),
        type.version(),
        types.counts[i],
        types.bytes[i],
        types.withStack[i],
        names);
  }
}
