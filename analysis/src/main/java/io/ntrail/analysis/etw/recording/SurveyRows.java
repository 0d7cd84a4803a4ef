package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;

/**
 * Part of a survey that goes over lists of records by itself: one that is asked of every record can
 * pass most by without going to them. Each thread of the pass fills one of its own; they are merged
 * into one.
 *
 * @param <P> itself
 */
public interface SurveyRows<P> {
  /**
   * Learns from some records of a buffer; those of one buffer come one after the other, buffers in
   * any order.
   *
   * @param record goes to one of the records by {@link RecordCursor#moveTo}
   * @param table lists all records of the buffer
   * @param from the first row that is meant
   * @param to the row before which it ends
   */
  void visitSome(int fileNumber, RecordCursor record, RecordTable table, int from, int to);

  /** Adds what another one learned from other buffers; in any order. */
  P merge(P other);

  /** Puts in order what was learned, so that it does not depend on who learned what. */
  void settle();
}
