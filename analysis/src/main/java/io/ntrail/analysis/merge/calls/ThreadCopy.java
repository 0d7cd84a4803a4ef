package io.ntrail.analysis.merge.calls;

import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallSelection;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Copies records of a thread.
 *
 * @param <T> a copy of a record that waits
 */
interface ThreadCopy<T> extends CallSelection.Output<T>, AutoCloseable {
  /** The records of the thread. */
  CallCursor records();

  /**
   * Begins.
   *
   * @param by which records are chosen; null for all
   */
  void begin(@Nullable CallSelection<T> by) throws IOException;

  /** Ends, after the last record. */
  void end() throws IOException;

  @Override
  void close();
}
