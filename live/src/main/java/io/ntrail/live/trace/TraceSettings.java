package io.ntrail.live.trace;

import java.nio.file.Path;

/**
 * Settings of a trace.
 *
 * @param file the {@code .ntr}
 * @param arguments how many arguments of each call are recorded: 0 to 12
 * @param chunks of 64 KiB between each program and the recorder; 0: as many as usual
 * @param waits true if threads of the program wait while all chunks are full; else records are lost
 * @param threads stacks that can be traced at once, at most
 * @param maxBytes recording stops when the file has so many; 0 = never
 * @param ringBytes the file keeps the last so many bytes; 0 = all
 * @param writer who writes the file, for its header
 */
public record TraceSettings(
    Path file,
    int arguments,
    int chunks,
    boolean waits,
    int threads,
    long maxBytes,
    long ringBytes,
    String writer) {
  private static final int CHUNKS = 512;

  /** There may be many children. */
  private static final int CHILD_CHUNKS = 128;

  /** Returns the number of chunks of the first program. */
  int firstChunks() {
    return chunks == 0 ? CHUNKS : chunks;
  }

  /** Returns the number of chunks of each child. */
  int childChunks() {
    return chunks == 0 ? CHILD_CHUNKS : chunks;
  }

  /** Returns the size of a record. */
  public int recordBytes() {
    return arguments == 0 ? 32 : arguments <= 4 ? 64 : 128;
  }
}
