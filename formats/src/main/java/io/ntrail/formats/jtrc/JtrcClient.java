package io.ntrail.formats.jtrc;

import io.ntrail.formats.collections.Search;

/**
 * A thread that was recorded: its chunks in the order of their first time stamps. Immutable.
 *
 * <p>Thread 0 of process 0 is the idle thread; newer drivers put the address of the thread's object
 * there.
 */
public final class JtrcClient {
  private final long pid;
  private final long tid;
  private final long[] offsets;
  private final long[] firstTicks;

  /** Number of the first record of each chunk, then the number of all records. */
  private final long[] firstRecords;

  JtrcClient(long pid, long tid, long[] offsets, long[] firstTicks, long[] firstRecords) {
    this.pid = pid;
    this.tid = tid;
    this.offsets = offsets;
    this.firstTicks = firstTicks;
    this.firstRecords = firstRecords;
  }

  /** Its process. */
  public long pid() {
    return pid;
  }

  /** The thread. */
  public long tid() {
    return tid;
  }

  /** Number of its chunks. */
  public int chunks() {
    return offsets.length;
  }

  /** Returns the offset of a chunk in the file. */
  public long offset(int chunk) {
    return offsets[chunk];
  }

  /** The first time stamp of a chunk, in ticks. */
  public long firstTicks(int chunk) {
    return firstTicks[chunk];
  }

  /** The number, in this client, of the first record of a chunk. */
  public long firstRecord(int chunk) {
    return firstRecords[chunk];
  }

  /** Records of a chunk. */
  public int records(int chunk) {
    return (int) (firstRecords[chunk + 1] - firstRecords[chunk]);
  }

  /** Records of all of its chunks. */
  public long records() {
    return firstRecords[offsets.length];
  }

  /** Returns the chunk of a record; the last one for numbers past the end. */
  int chunkOf(long record) {
    return Search.floor(firstRecords, offsets.length, record);
  }
}
