package io.ntrail.cli.stacks;

import io.ntrail.analysis.etw.events.StacksAtTime;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.formats.etl.RecordCursor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Thread whose stack it is, and when.
 *
 * @param tid its id; -1 if unknown
 * @param name of the thread; null if it has none
 * @param isFaulting whether it is why a dump was written
 * @param pid id of its process; -1 if unknown
 * @param process name of the image of its process; null if unknown
 * @param moment the event that has the stack; null if the stack is of no event
 */
record StackHead(
    long tid,
    @Nullable String name,
    boolean isFaulting,
    long pid,
    @Nullable String process,
    @Nullable Moment moment) {
  /**
   * Event that has a stack.
   *
   * @param cpu that recorded it
   * @param nanos since the start of the recording
   */
  record Moment(int cpu, String event, long nanos) {}

  static StackHead of(StacksAtTime.Found found) {
    return new StackHead(
        id(found.tid()),
        null,
        false,
        id(found.pid()),
        found.process(),
        new Moment(found.cpu(), found.event(), found.nanos()));
  }

  private static long id(int id) {
    return id == RecordCursor.NO_ID ? -1 : Integer.toUnsignedLong(id);
  }

  /** Returns the columns that every row of a stack begins with. */
  static ListingColumns<StackRow> columns() {
    return new ListingColumns<StackRow>()
        .knownCount("tid", row -> row.head().tid)
        .name("name", row -> row.head().name)
        .flag("faulting", row -> row.head().isFaulting)
        .knownCount("pid", row -> row.head().pid)
        .name("process", row -> row.head().process)
        .value("cpu", (row, cell) -> moment(row, cell, m -> cell.count(m.cpu)))
        .value("event", (row, cell) -> moment(row, cell, m -> cell.name(m.event)))
        .value("timeNanos", (row, cell) -> moment(row, cell, m -> cell.count(m.nanos)));
  }

  private static void moment(StackRow row, CellWriter cell, Consumer<Moment> present) {
    Moment known = row.head().moment;
    if (known == null) {
      cell.absent();
    } else {
      present.accept(known);
    }
  }
}
