package io.ntrail.analysis.merge;

import io.ntrail.formats.etl.RecordCursor;

/** Changes the bytes of records that are copied; their lengths stay. */
public interface RecordRewriter {
  /** Leaves everything as it is. */
  RecordRewriter NONE =
      new RecordRewriter() {
        @Override
        public void rewrite(RecordCursor record, byte[] copy, int at) {}

        @Override
        public void rewrite(byte[] data, int from, int to) {}

        @Override
        public String rewrite(String text) {
          return text;
        }
      };

  /**
   * Changes the copy of a record.
   *
   * @param record as it is in its recording
   * @param copy holds the copy
   * @param at where the copy begins
   */
  void rewrite(RecordCursor record, byte[] copy, int at);

  /** Changes bytes of which nothing is known. */
  void rewrite(byte[] data, int from, int to);

  /** Returns a text, changed. */
  String rewrite(String text);
}
