package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.RowsByUse;
import io.ntrail.analysis.etw.recording.SurveyRows;
import io.ntrail.analysis.etw.stacks.DeferredStackJoin;
import io.ntrail.analysis.etw.stacks.ProviderStacks;
import io.ntrail.analysis.etw.stacks.StackJoin;
import io.ntrail.analysis.etw.stacks.StackNotes;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.etl.RecordTable;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of events by type. Every record that is meant is in exactly one row, stack records and
 * metadata too, so that the counts add up to the number of records.
 *
 * <p>An event has a stack if it carries one (but not the second half of another's), if an event of
 * the CLR after it is its stack, or if a stack record of the kernel logger belongs to it: not if
 * that names the time stamp of a rundown or of what a merge added, or of several events of which
 * another fits better. It is the stack that {@link Events.Walk#stack} and profiles have.
 *
 * @param records number of records
 * @param bytes bytes of all records
 * @param nanos duration of the recording, or of the requested part of it
 * @param stacksKnown whether {@code withStack} of the rows is right: not if more stack records of
 *     one time than can be remembered would have been needed
 * @param rows by count, most first; where a field is added up, by its sum
 * @param sums the fields that are added up in each row
 * @param unmatched the fields of these that no event has
 * @param sources where names and fields came from
 * @param problems what of the recording's own descriptions could not be understood
 */
public record EventCounts(
    long records,
    long bytes,
    long nanos,
    boolean stacksKnown,
    List<Row> rows,
    List<String> sums,
    List<UnmatchedTerm> unmatched,
    SchemaSourceCounts sources,
    List<String> problems) {
  /**
   * One type of event.
   *
   * @param providerGuid provider or class; zero for record headers that have none
   * @param provider its name; null if unknown
   * @param providerListed whether that is only from the list of well-known providers
   * @param event the event's name, for TraceLogging the one that all events of this row share; null
   *     if unknown or if there are several
   * @param id event id; of kernel events the hook id, group * 256 + type
   * @param opcode opcode, or type of a class event
   * @param version version
   * @param count how many
   * @param bytes their bytes, headers included
   * @param withStack how many have a stack
   * @param described how many of them something describes, so that their fields are known
   * @param names TraceLogging: the names in the events, with the number of events of each
   * @param sums sums of {@link EventCounts#sums}, in their order
   */
  public record Row(
      Guid providerGuid,
      @Nullable String provider,
      boolean providerListed,
      @Nullable String event,
      int id,
      int opcode,
      int version,
      long count,
      long bytes,
      long withStack,
      long described,
      Map<String, Long> names,
      List<FieldSum> sums) {
    /** Returns true for stack records, which are attached to events and none themselves. */
    public boolean isStackRecord() {
      return EventDisplayName.isStackRecord(provider, event);
    }

    /** One text for the screen. */
    public String text() {
      return names.size() > 1
          ? EventDisplayName.source(providerGuid, provider, event) + "/(" + names.size() + " names)"
          : EventDisplayName.text(providerGuid, provider, event, id, opcode, version);
    }
  }

  /** Returns how many of the records are stack records, which are no events themselves. */
  public long stackRecords() {
    return rows.stream().filter(Row::isStackRecord).mapToLong(Row::count).sum();
  }

  /** Counts in the pass that learns what events are called. */
  static final class Counting implements SurveyRows<Counting> {
    final SchemaIndex schemas;
    final KernelEvents kernel;
    final StackNotes stacks;
    final DeferredStackJoin deferred;
    final EventTypeCounter counts = new EventTypeCounter();
    final RowsByUse rows = new RowsByUse();

    Counting(EtwRecording recording, SchemaIndex schemas, KernelEvents kernel, StackJoin stacks) {
      this.schemas = schemas;
      this.kernel = kernel;
      this.stacks = stacks.notes();
      this.deferred = new DeferredStackJoin(recording);
      StackNotes.ask(rows);
    }

    @Override
    public void visitSome(int file, RecordCursor record, RecordTable table, int from, int to) {
      rows.list(file, table, from, to);
      countOthers(file, record, table);
      stacks.visitSome(file, record, table, rows.stacks(), to);
    }

    /** Counts the records of kernel events, but for those that were not told by their type. */
    private void countHooks() {
      rows.forEach((_, kind, hook, version, count, bytes) -> {
        if (RecordKind.values()[kind].isHook() && version != RecordTable.MORE) {
          counts.countHooks(kernel, hook, version, count, bytes);
        }
      });
    }

    private void countOthers(int file, RecordCursor record, RecordTable table) {
      RowsByUse.Rows others = rows.others();
      int i = 0;
      while ((i = counts.countPlain(record, table, others, i)) < others.count()) {
        record.moveTo(table, others.get(i));
        countOther(file, record);
        i++;
      }
    }

    private void countOther(int file, RecordCursor record) {
      if (record.kind().isHook()) {
        counts.count(record, kernel, schemas);
        return;
      }
      schemas.visit(file, record);
      int row = counts.count(record, kernel, schemas);
      if (record.kind().isEvent()) {
        boolean hasStackItem = record.hasExtendedItems() && record.hasStackItem();
        if (hasStackItem) {
          counts.countStack(row);
        }
        deferred.visit(file, record, row, hasStackItem);
        if (SchemaIndex.isPlain(record) && !ProviderStacks.isClr(record)) {
          counts.rememberPlain(record, row);
        }
      }
    }

    @Override
    public Counting merge(Counting other) {
      schemas.merge(other.schemas);
      other.countHooks();
      other.stacks.finish();
      deferred.merge(other.deferred, counts.merge(other.counts));
      return this;
    }

    @Override
    public void settle() {
      schemas.settle();
      countHooks();
      stacks.finish();
    }

    /** Adds the stacks that are not in the events themselves. */
    void addStacks(EventTypeCounter named) {
      counts.merge(named);
      deferred.join(
          record -> counts.row(record, kernel), counts::countStack, counts::takeBackStack);
    }
  }

  /** Counts all records, with what the built-in tables and the schemas of the recording. */
  public static EventCounts of(EtwRecording recording, int cores) {
    return of(recording, cores, new SchemaSources(UserSchemas.NONE));
  }

  /** Counts all records. */
  public static EventCounts of(EtwRecording recording, int cores, SchemaSources sources) {
    KernelEvents kernel = sources.kernel();
    StackJoin stacks = new StackJoin(recording, kernel, record -> 0);
    Counting counted =
        recording.survey(cores, () -> new Counting(recording, sources.index(), kernel, stacks));
    EventTypeCounter withStack =
        stacks.events(
            cores,
            EventTypeCounter::new,
            (counts, event, count) ->
                counts.countStacks(counts.row(kernel, event.hook(), event.version()), count),
            (a, b) -> {
              a.merge(b);
              return a;
            });
    return of(recording, cores, counted, withStack, stacks);
  }

  /**
   * The answer to what a survey counted.
   *
   * @param withStack counts the events that stack records name
   * @param stacks how they were found
   */
  static EventCounts of(
      EtwRecording recording,
      int cores,
      Counting counted,
      EventTypeCounter withStack,
      StackJoin stacks) {
    counted.addStacks(withStack);
    return result(
        counted.counts,
        counted.schemas,
        List.of(),
        List.of(),
        List.of(),
        recording.covered(cores, Long.MIN_VALUE, Long.MAX_VALUE),
        !stacks.isIncomplete());
  }

  /** The events of a stretch of time that a filter lets through, and then of all before it. */
  private static final class Selected implements EventStretches.Part {
    private final Events events;
    private final List<String> added;
    private final EventTypeCounter counts = new EventTypeCounter();
    private final FieldNames fields = new FieldNames();

    /** Sums of fields, by row. */
    private final List<List<FieldSum>> sums = new ArrayList<>();

    Selected(Events events, List<String> added) {
      this.events = events;
      this.added = added;
    }

    @Override
    public void add(EventReader event, boolean hasStack) {
      int row = counts.count(event.record(), events.kernel(), events.schemas());
      if (!added.isEmpty()) {
        fields.meet(event.type());
        FieldSum.add(sums(row), added, event);
      }
      if (hasStack) {
        counts.countStack(row);
      }
    }

    void add(Selected later) {
      int[] rows = counts.merge(later.counts);
      fields.addSeen(later.fields);
      for (int row = 0; row < later.sums.size(); row++) {
        FieldSum.add(sums(rows[row]), later.sums.get(row));
      }
    }

    private List<FieldSum> sums(int row) {
      while (sums.size() <= row) {
        sums.add(FieldSum.none(added.size()));
      }
      return sums.get(row);
    }
  }

  /** Memory of the heap for each thread: open buffers, stack records, counts. */
  private static final long THREAD_BYTES = 96L << 20;

  /**
   * Counts the records that a filter lets through, and adds up fields, on as many cores as the
   * events may use. {@link Events.Learn#STACKS} must have been requested.
   *
   * @param added names of the fields; rows are sorted by the first one, the largest first
   */
  public static EventCounts selected(EventStretches chosen, List<String> added) {
    Events events = chosen.events();
    Selected all = new Selected(events, added);
    boolean stacksKnown;
    if (EventStretches.canFindStacks(events)) {
      chosen.run(true, THREAD_BYTES, () -> new Selected(events, added), all::add);
      StackRecords stacks = events.stacks();
      stacksKnown = stacks != null && stacks.leftOut() == 0;
    } else {
      try (Events.Walk walk =
          events.walkWithStacks(chosen.filter(), chosen.fromNanos(), chosen.toNanos())) {
        while (walk.next()) {
          all.add(walk.event(), walk.hasStack());
        }
        stacksKnown = walk.knowsStacks() && walk.stackCounts().leftOut() == 0;
      }
    }
    return result(
        all.counts,
        events.schemas(),
        all.sums,
        added,
        all.fields.unmatched(added),
        events.recording().covered(events.cores(), chosen.fromNanos(), chosen.toNanos()),
        stacksKnown);
  }

  private static EventCounts result(
      EventTypeCounter counts,
      SchemaIndex schemas,
      List<List<FieldSum>> sums,
      List<String> added,
      List<UnmatchedTerm> unmatched,
      long nanos,
      boolean stacksKnown) {
    List<Row> rows = new ArrayList<>(counts.rows(schemas, sums));
    rows.sort(added.isEmpty() ? EventCounts::byCount : EventCounts::bySum);
    return new EventCounts(
        rows.stream().mapToLong(Row::count).sum(),
        rows.stream().mapToLong(Row::bytes).sum(),
        nanos,
        stacksKnown,
        List.copyOf(rows),
        List.copyOf(added),
        unmatched,
        counts.sources(schemas),
        schemas.problems());
  }

  private static int bySum(Row a, Row b) {
    int bySum = Double.compare(-a.sums.getFirst().size(), -b.sums.getFirst().size());
    return bySum != 0 ? bySum : byCount(a, b);
  }

  private static int byCount(Row a, Row b) {
    int byCount = Long.compare(b.count, a.count);
    int byProvider =
        byCount != 0 ? byCount : a.providerGuid.toString().compareTo(b.providerGuid.toString());
    int byId = byProvider != 0 ? byProvider : Integer.compare(a.id, b.id);
    int byOpcode = byId != 0 ? byId : Integer.compare(a.opcode, b.opcode);
    return byOpcode != 0 ? byOpcode : Integer.compare(a.version, b.version);
  }
}
