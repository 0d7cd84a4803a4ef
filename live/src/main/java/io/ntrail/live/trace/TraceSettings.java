package io.ntrail.live.trace;

import io.ntrail.formats.ntr.RecordingFollower;
import io.ntrail.live.code.ArgumentCopies;
import io.ntrail.live.code.RecordLayout;
import io.ntrail.live.session.SessionFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Settings of a trace.
 *
 * @param file the {@code .ntr}; empty if nothing is kept
 * @param arguments how many arguments of each call are recorded: 0 to 12
 * @param copies memory that arguments point to and that is recorded with them
 * @param buffers between each program and the recorder
 * @param threads stacks that can be traced at once, at most
 * @param maxBytes recording stops when the file has so many; 0 = never
 * @param ringBytes the file keeps the last so many bytes; 0 = all
 * @param writer who writes the file, for its header
 * @param follower follows what is recorded
 */
public record TraceSettings(
    Optional<Path> file,
    int arguments,
    ArgumentCopies copies,
    BufferSettings buffers,
    int threads,
    long maxBytes,
    long ringBytes,
    String writer,
    Optional<RecordingFollower> follower) {
  /** The most values of an entry. */
  private static final int MOST_VALUES = 12;

  /** Settings of a trace into a file that nobody follows. */
  public TraceSettings(
      Path file,
      int arguments,
      BufferSettings buffers,
      int threads,
      long maxBytes,
      long ringBytes,
      String writer) {
    this(
        Optional.of(file),
        arguments,
        ArgumentCopies.NONE,
        buffers,
        threads,
        maxBytes,
        ringBytes,
        writer,
        Optional.empty());
  }

  /** Returns these settings for so many functions. */
  public TraceSettings expecting(int functions) {
    return new TraceSettings(
        file,
        arguments,
        copies,
        buffers.expecting(functions),
        threads,
        maxBytes,
        ringBytes,
        writer,
        follower);
  }

  /**
   * Creates the session file of the first program.
   *
   * @param pointerBytes size of a pointer of the program
   */
  SessionFile firstSession(int pointerBytes) throws IOException {
    return buffers.session(records(pointerBytes), true, pointerBytes);
  }

  /**
   * Returns size and content of records. With pointers of 4 bytes the registers that may have
   * arguments come in addition, up to the largest records.
   *
   * @param pointerBytes size of a pointer of the program
   */
  RecordLayout records(int pointerBytes) {
    boolean isWords = pointerBytes == Integer.BYTES && arguments > 0;
    return RecordLayout.of(isWords ? Math.min(arguments + 2, MOST_VALUES) : arguments, copies);
  }

  /** Returns the recording as messages name it. */
  String fileName() {
    return file.map(Path::toString).orElse("the recording");
  }
}
