package io.ntrail.analysis.etw.ipt;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.pt.IptOptions;
import io.ntrail.formats.pt.TraceTiming;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaTable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Pieces of Processor Trace of a recording, each with the event that it follows. Their bytes stay
 * in the file. Events of which the sizes contradict each other are no pieces but gaps of the
 * recording.
 */
public final class TracePieces {
  /**
   * One piece.
   *
   * @param timeNanos time of its own record
   * @param eventNanos time of the event that it names
   * @param event name of that event, {@code PerfInfo/SysClExit}; null if it is not there
   * @param cpu number of the CPU
   * @param processId of the traced thread
   * @param threadId the traced thread
   * @param options settings of the trace
   * @param bytes size of the trace
   * @param isWrapped whether it fills its ring, so that older packets were probably overwritten
   * @param isSynchronised whether a PSB is in it
   * @param timing the finest packets of time in it; of one without a PSB those that were asked for
   */
  public record Piece(
      long timeNanos,
      long eventNanos,
      @Nullable String event,
      int cpu,
      int processId,
      int threadId,
      IptOptions options,
      int bytes,
      boolean isWrapped,
      boolean isSynchronised,
      TraceTiming timing) {}

  private final EtwRecording recording;
  private final PieceTable pieces;
  private final KernelEvents kernel;
  private final SchemaTable table;
  private final int[] events;

  private TracePieces(
      EtwRecording recording,
      PieceTable pieces,
      KernelEvents kernel,
      SchemaTable table,
      int[] events) {
    this.recording = recording;
    this.pieces = pieces;
    this.kernel = kernel;
    this.table = table;
    this.events = events;
  }

  /**
   * Finds the events of pieces.
   *
   * @param pieces what a survey of the recording collected
   */
  public static TracePieces of(
      EtwRecording recording,
      int cores,
      PieceTable pieces,
      KernelEvents kernel,
      SchemaTable table) {
    int[] events = PieceEvents.of(recording, cores, pieces, kernel);
    return new TracePieces(recording, pieces, kernel, table, events);
  }

  /** Returns the number of pieces. */
  public long count() {
    return pieces.count();
  }

  /** Returns the bytes of trace of all pieces. */
  public long bytes() {
    return pieces.bytes();
  }

  /** Returns the number of pieces that fill their ring. */
  public long wrapped() {
    return pieces.wrapped();
  }

  /** Returns the number of pieces without a PSB. */
  public long unsynchronised() {
    return pieces.unsynchronised();
  }

  /** Returns the number of pieces without timing, see {@link Piece#timing}. */
  public long untimed() {
    return pieces.untimed();
  }

  /** Returns the number of pieces whose options are not known, or name a smaller ring. */
  public long odd() {
    return pieces.odd();
  }

  /** Returns the number of pieces that are not listed, at the end: there are too many. */
  public long leftOut() {
    return pieces.count() - pieces.rows();
  }

  /** Returns the number of listed pieces whose event is not there. */
  public long unpaired() {
    long unpaired = 0;
    for (int event : events) {
      unpaired += event < 0 ? 1 : 0;
    }
    return unpaired;
  }

  /** Gives the pieces by time. */
  public void forEach(Consumer<Piece> sink) {
    for (int i = 0; i < events.length; i++) {
      sink.accept(piece(i));
    }
  }

  /** Returns the number of pieces that are listed. */
  public int listed() {
    return events.length;
  }

  /**
   * Returns a piece.
   *
   * @param number of it among those that are listed, by time, from 0
   */
  public Piece piece(int number) {
    return new Piece(
        recording.nanosOf(pieces.key(number)),
        recording.nanosOf(pieces.named(number)),
        events[number] < 0 ? null : name(events[number]),
        pieces.cpu(number),
        pieces.process(number),
        pieces.thread(number),
        new IptOptions(pieces.options(number)),
        pieces.size(number),
        pieces.isWrapped(number),
        pieces.isSynchronised(number),
        pieces.timing(number));
  }

  /** Returns the key of the event that a piece names, see {@link EtwRecording#key}. */
  public long eventKey(int number) {
    return pieces.named(number);
  }

  /** Returns a reader of the bytes of pieces, for one thread. */
  public PieceReader reader() {
    return new PieceReader(recording, pieces);
  }

  private String name(int event) {
    int hook = event & 0xFFFF;
    Schema schema = table.schema(kernel.classGuid(hook), hook, event >>> 16);
    String name = schema == null ? null : schema.event();
    return name == null ? kernel.task(hook) + "/" + KernelEvent.type(hook) : name;
  }
}
