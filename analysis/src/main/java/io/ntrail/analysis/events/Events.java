package io.ntrail.analysis.events;

import io.ntrail.analysis.machine.Machine;
import io.ntrail.analysis.recording.OrderedCursor;
import io.ntrail.analysis.recording.Recording;
import io.ntrail.analysis.recording.SurveyPart;
import io.ntrail.formats.etl.RecordCursor;
import java.util.List;

/**
 * The events of a recording: what a survey learned of it, and walks over them in time order. One
 * thread at a time.
 */
public final class Events {
  /** All that one pass learns. */
  private static final class Learned implements SurveyPart<Learned> {
    final Machine machine;
    final SchemaIndex schemas;

    Learned(Machine machine, SchemaIndex schemas) {
      this.machine = machine;
      this.schemas = schemas;
    }

    @Override
    public void visit(int fileNumber, RecordCursor record) {
      machine.visit(fileNumber, record);
      schemas.visit(fileNumber, record);
    }

    @Override
    public Learned merge(Learned other) {
      machine.merge(other.machine);
      schemas.merge(other.schemas);
      return this;
    }

    @Override
    public void settle() {
      machine.settle();
      schemas.settle();
    }
  }

  private final Recording recording;
  private final SchemaSources sources;
  private final Machine machine;
  private final SchemaIndex schemas;
  private final Meanings meanings;

  private Events(Recording recording, SchemaSources sources, Learned learned) {
    this.recording = recording;
    this.sources = sources;
    this.machine = learned.machine;
    this.schemas = learned.schemas;
    this.meanings = new Meanings(machine, sources.statusCodes());
  }

  /** Surveys a recording. */
  public static Events of(Recording recording, SchemaSources sources, int cores) {
    Learned learned =
        recording.survey(
            cores,
            () ->
                new Learned(
                    new Machine(recording, sources.kernel(), sources.kernelTable()),
                    sources.index()));
    return new Events(recording, sources, learned);
  }

  /** The recording. */
  public Recording recording() {
    return recording;
  }

  /** Processes, threads, files. */
  public Machine machine() {
    return machine;
  }

  /** What of the recording's own descriptions of events could not be understood. */
  public List<String> problems() {
    return schemas.problems();
  }

  SchemaSources sources() {
    return sources;
  }

  SchemaIndex schemas() {
    return schemas;
  }

  /** All events that a filter lets through, in time order. */
  public Walk walk(EventFilter filter) {
    return new Walk(filter, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /**
   * The events that a filter lets through, in time order, from one time to another.
   *
   * @param fromNanos the first time
   * @param toNanos the time before which it ends
   */
  public Walk walk(EventFilter filter, long fromNanos, long toNanos) {
    return new Walk(filter, fromNanos, toNanos);
  }

  /** A walk over events in time order. */
  public final class Walk implements AutoCloseable {
    private final EventFilter filter;
    private final boolean all;
    private final long from;
    private final OrderedCursor cursor;
    private final EventReader event = new EventReader(recording, machine, schemas, meanings);

    private Walk(EventFilter filter, long fromNanos, long toNanos) {
      this.filter = filter;
      this.all = filter.passesAll();
      // Which thread runs on a CPU is known from its last context switch: that may lie before the
      // range, and an event must not belong to somebody else because of the range.
      boolean before = machine.contextSwitches();
      this.from = before ? fromNanos : Long.MIN_VALUE;
      this.cursor = recording.inOrder(before ? Long.MIN_VALUE : fromNanos, toNanos);
    }

    /** Goes to the next event; false after the last one. */
    public boolean next() {
      while (cursor.next()) {
        long nanos = cursor.nanos();
        RecordCursor record = cursor.record();
        if (nanos < from) {
          event.passBy(record, cursor.fileNumber());
          continue;
        }
        event.moveTo(record, cursor.fileNumber(), nanos);
        if (all || filter.passes(event)) {
          return true;
        }
      }
      return false;
    }

    /** The current event. */
    public EventReader event() {
      return event;
    }

    @Override
    public void close() {
      cursor.close();
    }
  }
}
