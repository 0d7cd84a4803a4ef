package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.etl.RecordCursor;

/**
 * Part of a survey: learns from all records of a recording in the same pass as the {@link Survey}.
 * Each thread of the pass fills one of its own; they are merged into one.
 *
 * @param <P> itself
 */
public interface SurveyPart<P> {
  /** Learns from a record; those of one buffer come one after the other, buffers in any order. */
  void visit(int fileNumber, RecordCursor record);

  /** Adds what another one learned from other buffers; in any order. */
  P merge(P other);

  /** Puts in order what was learned, so that it does not depend on who learned what. */
  void settle();
}
