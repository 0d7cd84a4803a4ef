package io.ntrail.analysis.model;

/** Listener to the progress of reading; called by whatever threads read, and not to wait. */
@FunctionalInterface
public interface ReadingListener {
  /** Ignores the progress. */
  ReadingListener NONE = (_, _) -> {};

  /**
   * Called after each buffer.
   *
   * @param bytes bytes of buffers that all passes so far have visited: a second pass counts again
   * @param size bytes of the recording
   */
  void read(long bytes, long size);
}
