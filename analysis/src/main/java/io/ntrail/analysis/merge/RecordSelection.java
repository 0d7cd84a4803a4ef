package io.ntrail.analysis.merge;

import io.ntrail.formats.etl.RecordCursor;

/** Choice of the records that a new recording is made of. */
interface RecordSelection {
  /** Answer for a record that is kept. */
  int KEPT = 0;

  /** Answer for a record outside of the time that is kept. */
  int TIME = 1;

  /** Answer for a record that a filter leaves out. */
  int FILTER = 2;

  /** Answer for a sample that is left out so that fewer remain. */
  int SAMPLE = 3;

  /** Number of answers. */
  int ANSWERS = 4;

  /** Keeps all records. */
  RecordSelection ALL =
      new RecordSelection() {
        @Override
        public boolean isAll() {
          return true;
        }

        @Override
        public int of(int file, RecordCursor record) {
          return KEPT;
        }
      };

  /** Returns true if no record is left out. */
  boolean isAll();

  /**
   * Decides about a record.
   *
   * @param file number of its file
   */
  int of(int file, RecordCursor record);
}
