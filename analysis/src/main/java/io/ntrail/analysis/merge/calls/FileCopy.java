package io.ntrail.analysis.merge.calls;

import io.ntrail.formats.ntr.NtrWriter;
import java.io.IOException;

/** A recording of calls on its way into a smaller one. */
interface FileCopy extends AutoCloseable {
  /** Writes the smaller one. */
  NtrWriter writer();

  /**
   * Copies records of a thread.
   *
   * @param thread by its place in the source
   */
  ThreadCopy<?> thread(int thread);

  /** Ends, after the last thread. */
  void end() throws IOException;

  @Override
  void close() throws IOException;
}
