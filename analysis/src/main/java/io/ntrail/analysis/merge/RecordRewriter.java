package io.ntrail.analysis.merge;

import io.ntrail.formats.etl.RecordCursor;

/** Changes the bytes of records that are copied; their lengths stay. */
public interface RecordRewriter {
  /** Leaves everything as it is. */
  RecordRewriter NONE =
      new RecordRewriter() {
        @Override
        public boolean isNone() {
          return true;
        }

        @Override
        public void rewrite(RecordCursor record, byte[] copy, int at) {}

        @Override
        public void rewrite(byte[] data, int from, int to) {}

        @Override
        public String rewrite(String text) {
          return text;
        }
      };

  /** Returns true if it leaves everything as it is, and may be used by several threads. */
  default boolean isNone() {
    return false;
  }

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
