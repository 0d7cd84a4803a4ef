package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;

/**
 * Part of a survey: learns from all records of a recording in the same pass as the {@link Survey}.
 * Each thread of the pass fills one of its own; they are merged into one.
 *
 * @param <P> itself
 */
public interface SurveyPart<P> extends SurveyRows<P> {
  /** Learns from a record; those of one buffer come one after the other, buffers in any order. */
  void visit(int fileNumber, RecordCursor record);

  @Override
  default void visitSome(int fileNumber, RecordCursor record, RecordTable table, int from, int to) {
    for (int i = from; i < to; i++) {
      record.moveTo(table, i);
      visit(fileNumber, record);
    }
  }
}
