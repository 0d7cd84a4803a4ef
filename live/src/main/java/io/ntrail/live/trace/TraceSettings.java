package io.ntrail.live.trace;

import io.ntrail.live.session.SessionFile;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Settings of a trace.
 *
 * @param file the {@code .ntr}
 * @param arguments how many arguments of each call are recorded: 0 to 12
 * @param buffers between each program and the recorder
 * @param threads stacks that can be traced at once, at most
 * @param maxBytes recording stops when the file has so many; 0 = never
 * @param ringBytes the file keeps the last so many bytes; 0 = all
 * @param writer who writes the file, for its header
 */
public record TraceSettings(
    Path file,
    int arguments,
    BufferSettings buffers,
    int threads,
    long maxBytes,
    long ringBytes,
    String writer) {
  /** Returns these settings for so many functions. */
  public TraceSettings expecting(int functions) {
    return new TraceSettings(
        file, arguments, buffers.expecting(functions), threads, maxBytes, ringBytes, writer);
  }

  /** Creates the session file of the first program. */
  SessionFile firstSession() throws IOException {
    return buffers.session(recordBytes(), true);
  }

  /** Returns the size of a record. */
  public int recordBytes() {
    return arguments == 0 ? 32 : arguments <= 4 ? 64 : 128;
  }
}
