package io.ntrail.analysis.probe.aggregation;

/** Memory that the keys and values of all aggregations of a program may take: option aggsize. */
public final class KeyRoom {
  private long left;

  /** Room for so many bytes. */
  public KeyRoom(long bytes) {
    left = bytes;
  }

  /** Takes bytes; false if so many are not left. */
  boolean take(long bytes) {
    if (bytes > left) {
      return false;
    }
    left -= bytes;
    return true;
  }

  /** Gives bytes back. */
  void give(long bytes) {
    left += bytes;
  }
}
