package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.LastSwitches;
import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.programs.unwind.FrameTrust;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The events of a recording: what a survey learned of it, and walks over them in time order. One
 * thread at a time.
 */
public final class Events {
  /** Things that a survey may learn beside names and owners. Each costs time and memory. */
  public enum Learn {
    /** Sources of the descriptions of all events: {@link Events#all}. */
    COUNTS,
    /** Presence of stacks: {@link Walk#hasStack}. */
    STACKS,
    /** Images and methods at the addresses of stacks: {@link Walk#stack}. */
    ADDRESSES,
    /** Threads that run at any time: {@link EventStretches}. */
    SWITCHES
  }

  /** All that one pass learns. */
  private static final class Learned implements SurveyPart<Learned> {
    final Machine machine;
    final SchemaIndex schemas;
    final KernelEvents kernel;
    final @Nullable EventTypeCounter counts;
    final @Nullable StackRecords stacks;
    final @Nullable LastSwitches switches;

    Learned(
        Machine machine,
        SchemaIndex schemas,
        KernelEvents kernel,
        @Nullable EventTypeCounter counts,
        @Nullable StackRecords stacks,
        @Nullable LastSwitches switches) {
      this.machine = machine;
      this.schemas = schemas;
      this.kernel = kernel;
      this.counts = counts;
      this.stacks = stacks;
      this.switches = switches;
    }

    @Override
    public void visit(int fileNumber, RecordCursor record) {
      machine.visit(fileNumber, record);
      schemas.visit(fileNumber, record);
      if (counts != null) {
        counts.count(record, kernel, schemas);
      }
      if (stacks != null) {
        // Shared by all.
        stacks.visit(fileNumber, record);
      }
      if (switches != null) {
        // Shared by all, too.
        switches.visit(fileNumber, record);
      }
    }

    @Override
    public Learned merge(Learned other) {
      machine.merge(other.machine);
      schemas.merge(other.schemas);
      if (counts != null && other.counts != null) {
        counts.merge(other.counts);
      }
      return this;
    }

    @Override
    public void settle() {
      machine.settle();
      schemas.settle();
      if (stacks != null) {
        stacks.settle();
      }
    }
  }

  private final EtwRecording recording;
  private final SchemaSources sources;
  private final int cores;
  private final Machine machine;
  private final SchemaIndex schemas;
  private final ValueDescriptions meanings;
  private final @Nullable SchemaSourceCounts all;
  private final @Nullable StackRecords stacks;
  private final @Nullable LastSwitches switches;

  private Events(EtwRecording recording, SchemaSources sources, int cores, Learned learned) {
    this.recording = recording;
    this.cores = cores;
    this.sources = sources;
    this.machine = learned.machine;
    this.schemas = learned.schemas;
    this.meanings = new ValueDescriptions(machine, sources.statusCodes());
    this.all = learned.counts == null ? null : learned.counts.sources(schemas);
    this.stacks = learned.stacks;
    this.switches = learned.switches;
  }

  /** Surveys a recording. */
  public static Events of(
      EtwRecording recording, SchemaSources sources, int cores, Learn... alsoLearned) {
    Set<Learn> also = EnumSet.noneOf(Learn.class);
    also.addAll(List.of(alsoLearned));
    boolean addresses = also.contains(Learn.ADDRESSES);
    StackRecords stacks =
        addresses || also.contains(Learn.STACKS)
            ? new StackRecords(recording, sources.kernel(), cores)
            : null;
    LastSwitches switches =
        also.contains(Learn.SWITCHES) ? new LastSwitches(recording, sources.kernel()) : null;
    Learned learned =
        recording.survey(
            cores,
            () ->
                new Learned(
                    new Machine(recording, sources.kernel(), sources.kernelTable(), addresses),
                    sources.index(),
                    sources.kernel(),
                    also.contains(Learn.COUNTS) ? new EventTypeCounter() : null,
                    stacks,
                    switches));
    return new Events(recording, sources, cores, learned);
  }

  /**
   * Returns the sources of the descriptions of all events; null if {@link Learn#COUNTS} was not
   * requested.
   */
  public @Nullable SchemaSourceCounts all() {
    return all;
  }

  /** The recording. */
  public EtwRecording recording() {
    return recording;
  }

  /** Processes, threads, files. */
  public Machine machine() {
    return machine;
  }

  /** Returns the problems with the recording's own descriptions of events. */
  public List<String> problems() {
    return schemas.problems();
  }

  /**
   * Records about processes, threads and files that were skipped at the memory limit: some names
   * may then be missing, or be those of an earlier process, thread or file.
   */
  public long leftOut() {
    return machine.leftOut();
  }

  /**
   * Returns the terms of a filter that fitted no event, with the name that was probably meant.
   * Known when a walk with it has come to its end; empty before. What only got to see events that
   * something else let through, fitted none of those.
   */
  public List<UnmatchedTerm> unmatched(EventFilter filter) {
    return filter.unmatched(machine);
  }

  /** Returns the events of the kernel, by hook id. */
  public KernelEvents kernel() {
    return sources.kernel();
  }

  /** Returns the number of threads that go over the recording at once. */
  public int cores() {
    return cores;
  }

  SchemaSources sources() {
    return sources;
  }

  /** Returns the types of all events. */
  public SchemaIndex schemas() {
    return schemas;
  }

  /** All events that a filter lets through, in time order. */
  public Walk walk(EventFilter filter) {
    return new Walk(filter, Long.MIN_VALUE, Long.MAX_VALUE, false, null);
  }

  /**
   * The events that a filter lets through, in time order, from one time to another.
   *
   * @param fromNanos the first time
   * @param toNanos the time before which it ends
   */
  public Walk walk(EventFilter filter, long fromNanos, long toNanos) {
    return new Walk(filter, fromNanos, toNanos, false, null);
  }

  /**
   * Walks over events with their stacks, which {@link Learn#STACKS} or {@link Learn#ADDRESSES} must
   * have been requested.
   */
  public Walk walkWithStacks(EventFilter filter, long fromNanos, long toNanos) {
    return new Walk(filter, fromNanos, toNanos, true, null);
  }

  /** Walks over events with their stacks, named by symbols, with lines and inlined functions. */
  public Walk walkWithStacks(
      EventFilter filter, long fromNanos, long toNanos, RecordingSymbols symbols) {
    return new Walk(filter, fromNanos, toNanos, true, symbols);
  }

  /**
   * Returns the events of stretches of time, for one of several threads. Without {@link
   * Learn#SWITCHES} each stretch must begin where the one before has ended, and the first at the
   * beginning.
   */
  public EventStretches.Walk stretch() {
    return new EventStretches.Walk(this, false);
  }

  /** Returns the threads that run at any time; null if {@link Learn#SWITCHES} was not requested. */
  @Nullable LastSwitches switches() {
    return switches;
  }

  /**
   * Returns the stack records; null if neither {@link Learn#STACKS} nor {@link Learn#ADDRESSES} was
   * requested.
   */
  @Nullable StackRecords stacks() {
    return stacks;
  }

  /** Returns the types of records, for one of several threads. */
  public Function<RecordCursor, EventType> types() {
    return schemas.forThread();
  }

  /** Returns a reader of events, for one of several threads. */
  EventReader newReader() {
    return newReader(schemas.forThread());
  }

  private EventReader newReader(Function<RecordCursor, EventType> types) {
    return new EventReader(recording, machine, types, meanings, sources.kernel());
  }

  /** A walk over events in time order. */
  public final class Walk implements AutoCloseable {
    private final EventFilter filter;
    private final boolean passesAll;
    private final long from;
    private final long askedTo;
    private final OrderedCursor cursor;
    private final EventReader event = newReader(schemas::type);

    private final SchemaSourceCounts sources = new SchemaSourceCounts();
    private final @Nullable StackReader stackReader;

    private Walk(
        EventFilter filter,
        long fromNanos,
        long toNanos,
        boolean withStacks,
        @Nullable RecordingSymbols symbols) {
      this.filter = filter;
      this.askedTo = toNanos;
      this.passesAll = filter.passesAll();
      filter.begin();
      // Which thread runs on a CPU is known from its last context switch: that may lie before the
      // range, and an event must not change its owner because of the range.
      boolean before = machine.contextSwitches();
      this.from = before ? fromNanos : Long.MIN_VALUE;
      long begin = before ? Long.MIN_VALUE : fromNanos;
      this.cursor = recording.inOrder(begin, toNanos);
      this.stackReader =
          withStacks && stacks != null
              ? new StackReader(
                  stacks, new StackNames(recording, machine, symbols), () -> recording.ahead(begin))
              : null;
    }

    /** Goes to the next event; false after the last one. */
    public boolean next() {
      while (cursor.next()) {
        long nanos = cursor.nanos();
        if (stackReader != null) {
          stackReader.moveTo(cursor);
        }
        RecordCursor record = cursor.record();
        if (nanos < from) {
          event.passBy(record, cursor.fileNumber());
          continue;
        }
        event.moveTo(record, cursor.fileNumber(), nanos);
        if (passesAll || filter.passes(event)) {
          sources.add(event.type());
          return true;
        }
      }
      filter.finished();
      boolean whole =
          (from == Long.MIN_VALUE || machine.contextSwitches())
              && askedTo == Long.MAX_VALUE
              && recording.stopped().isEmpty();
      if (stackReader != null && whole) {
        stackReader.finish();
      }
      return false;
    }

    /** Returns true if stacks were requested. */
    public boolean knowsStacks() {
      return stackReader != null;
    }

    /** Returns true if the current event has a stack, wherever that was recorded. */
    public boolean hasStack() {
      return stackReader != null && stackReader.has(event);
    }

    /** The stack of the current event, innermost frame first; empty if it has none. */
    public List<NamedFrame> stack() {
      return stackReader == null ? List.of() : stackReader.frames(event);
    }

    /**
     * Returns the place that an address is in a process at the current event; without names if
     * stacks were not requested.
     */
    public NamedFrame place(int process, long address) {
      return stackReader == null
          ? NamedFrame.of(FrameTrust.RECORDED, address)
          : stackReader.place(event, process, address);
    }

    /** Returns the addresses of the current event's stack, which it must have. */
    StackAddresses stackAddresses() {
      return reader().addresses(event);
    }

    /** Returns the thread whose stack the current event has, which it must have. */
    int stackThread() {
      return reader().thread(event);
    }

    private StackReader reader() {
      if (stackReader == null) {
        throw new IllegalStateException("a walk without stacks");
      }
      return stackReader;
    }

    /** Returns the statistics of the stacks so far. */
    public StackStatistics stackCounts() {
      return stackReader == null ? StackStatistics.NONE : stackReader.counts();
    }

    /** Returns the sources of the descriptions of the events so far. */
    public SchemaSourceCounts sources() {
      return sources;
    }

    /** The current event. */
    public EventReader event() {
      return event;
    }

    @Override
    public void close() {
      if (stackReader != null) {
        stackReader.close();
      }
      cursor.close();
    }
  }
}
