package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.OutputFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Keeps the last bytes of a recording that has no end: it is written in parts of an eighth of the
 * size limit, each a complete {@code .ntr} with all definitions, and the oldest part is deleted
 * when there are too many. {@link #close} makes one file of those that are left (docs/ntr.md
 * section 11).
 *
 * <p>Parts are beside the file, as {@code NAME.1}, {@code NAME.2} and so on; if making the file
 * fails, they stay. Joining takes as much space again as the parts have. Used by one thread.
 */
public final class NtrRing implements AutoCloseable {
  /** The least that can be kept, in bytes. */
  public static final long LEAST = 1 << 16;

  private static final int PARTS = 8;

  /** Bytes of an event, rather more than less. */
  private static final int EVENT_BYTES = 4;

  /** A part; {@code repeated} bytes at its start repeat earlier parts. */
  private static final class Part {
    final Path path;
    final long repeated;
    final List<Long> ended = new ArrayList<>();
    long bytes;
    EventTally tally = EventTally.NONE;

    Part(Path path, long repeated) {
      this.path = path;
      this.repeated = repeated;
    }
  }

  private static final int UNKNOWN = -1;

  /** Bytes at the end of a file besides an index: the last statistics, the end. */
  private static final int END = 2048;

  /** Bytes of an entry of the index, at most. */
  private static final int ENTRY = 64;

  private final Path file;
  private final OutputFile output;
  private final long most;
  private final NtrHeader header;
  private final int recording;
  private final NtrWriter writer;
  private final Deque<Part> parts = new ArrayDeque<>();
  private int number = 1;
  private long droppedBytes;
  private EventTally dropped = EventTally.NONE;
  private boolean kept = true;
  private boolean closed;
  private long joined = UNKNOWN;

  /**
   * Starts a recording.
   *
   * @param file what {@link #close} makes
   * @param most bytes to keep, at least {@link #LEAST}; repeated definitions are included. The file
   *     becomes no longer, unless the definitions alone are
   * @param recording any number
   * @throws IOException if the first part cannot be written
   */
  public NtrRing(Path file, long most, NtrHeader header, int recording) throws IOException {
    if (most < LEAST) {
      throw new IllegalArgumentException("a ring of " + most + " bytes");
    }
    this.file = file;
    this.most = most;
    this.header = header;
    this.recording = recording;
    Path first = path(number);
    int events = Math.clamp(most / PARTS / EVENT_BYTES, 256, NtrWriter.CHUNK_EVENTS);
    writer =
        new NtrWriter(
            Files.newOutputStream(first), header, recording, NtrWriter.Packing.FAST, events);
    output = OutputFile.reserve(file, "-o");
    writer.remember();
    parts.add(new Part(first, 0));
  }

  private Path path(int part) {
    return file.resolveSibling(file.getFileName() + "." + part);
  }

  /**
   * Sets whether {@link #close} makes the file, as it does at first; else nothing is left of the
   * recording then.
   */
  public void keep(boolean is) {
    kept = is;
  }

  /** Returns the writer of definitions and events; closed with this ring, and only by it. */
  public NtrWriter writer() {
    return writer;
  }

  /** The files of the parts that are kept, the oldest first. */
  public List<Path> parts() {
    return parts.stream().map(part -> part.path).toList();
  }

  /** Bytes of the parts that are kept; once they are joined, of the file. */
  public long bytes() {
    if (joined != UNKNOWN) {
      return joined;
    }
    long sum = writer.position();
    for (Part part : parts) {
      sum += part.bytes;
    }
    return sum;
  }

  /** Bytes of the parts that went. */
  public long droppedBytes() {
    return droppedBytes;
  }

  /** Events of the parts that went. */
  public EventTally dropped() {
    return dropped;
  }

  /** Records that a thread ended; it is forgotten with the last part that refers to it. */
  public void ended(long thread) {
    parts.getLast().ended.add(thread);
  }

  /**
   * Starts another part if this one is long enough, and drops the oldest ones if there are too many
   * bytes. To be called as often as there may be some more bytes.
   *
   * @throws IOException if it cannot be written; the parts stay as they are
   */
  public void turn() throws IOException {
    Part current = parts.getLast();
    long own = writer.position() - current.repeated;
    if (own < most / PARTS && own + writer.waiting() < most / PARTS) {
      return;
    }
    writer.flush();
    EventTally tally = writer.written();
    Path next = path(number + 1);
    number++;
    long before = writer.position();
    long repeated = writer.goOn(Files.newOutputStream(next));
    current.bytes = Math.max(before, Files.size(current.path));
    current.tally = tally;
    parts.add(new Part(next, repeated));
    while (parts.size() > 2 && bytes() > most - most / PARTS) {
      drop();
    }
  }

  /**
   * Drops the oldest parts until the file that {@link #close} makes is no longer than it may be. To
   * be called when there will be no more events.
   *
   * @throws IOException if that fails; the parts that are left can be read
   */
  public void trim() throws IOException {
    writer.flush();
    while (parts.size() > 1 && joinedBytes() > most) {
      drop();
    }
  }

  /** Returns whether the file will be longer than it should be. */
  public boolean isTooLong() {
    return joinedBytes() > most;
  }

  /** Returns the bytes to keep. */
  public long most() {
    return most;
  }

  /** Returns about how many bytes the parts have when they are one file; rather more than less. */
  private long joinedBytes() {
    Part first = parts.getFirst();
    Part last = parts.getLast();
    long sum = writer.position() - (last == first ? 0 : last.repeated);
    for (Part part : parts) {
      sum += part == last ? 0 : part.bytes - (part == first ? 0 : part.repeated);
    }
    return sum + (long) ENTRY * writer.unindexed() + END;
  }

  private void drop() throws IOException {
    Part oldest = parts.removeFirst();
    droppedBytes += oldest.bytes;
    dropped = dropped.plus(oldest.tally);
    oldest.ended.forEach(writer::forgetThread);
    Files.deleteIfExists(oldest.path);
  }

  /**
   * Completes the last part and makes one file of all.
   *
   * @throws IOException if that fails; the parts are left as they are
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    writer.close();
    try (output) {
      if (!kept) {
        joined = 0;
        for (Part part : parts) {
          Files.deleteIfExists(part.path);
        }
        return;
      }
      if (parts.size() == 1 && droppedBytes == 0) {
        output.check();
        Files.move(parts.getFirst().path, file, StandardCopyOption.REPLACE_EXISTING);
      } else {
        join();
      }
    } catch (UncheckedIOException | CannotGoOn e) {
      throw new IOException("the parts could not be joined", e);
    }
    joined = Files.size(file);
    for (Part part : parts) {
      Files.deleteIfExists(part.path);
    }
  }

  private void join() throws IOException {
    try (NtrWriter to = new NtrWriter(output.open(), header, recording)) {
      for (Part part : parts) {
        append(part, part == parts.getFirst(), to);
      }
    }
    output.complete();
  }

  private void append(Part part, boolean first, NtrWriter to) throws IOException {
    String name = part.path.toString();
    try (InputFile input = InputFile.map(part.path, name)) {
      NtrChunkReader reader = new NtrChunkReader(input);
      ChunkScanner.Visitor visitor =
          new ChunkScanner.Visitor() {
            @Override
            public void chunk(NtrChunkReader.Header chunk) {
              boolean wanted =
                  chunk.kind() == NtrLayout.STATISTICS
                      || chunk.kind() == NtrLayout.DEFINITIONS
                          && (first || chunk.offset() >= part.repeated);
              if (wanted) {
                copy(() ->
                    to.copy(chunk.kind(), chunk.flags(), reader.payload(chunk), chunk.payload()));
              }
            }

            @Override
            public void events(EventChunk head) {
              NtrChunkReader.Header chunk = reader.header(head.offset());
              if (chunk != null) {
                copy(() -> to.copy(head, reader.payload(chunk)));
              }
            }
          };
      // A part whose last write failed ends in a chunk that is cut: it is as if it were not there.
      new ChunkScanner(input, reader, recording, new Gaps()).scan(visitor);
    }
  }

  private interface Copying {
    void run() throws IOException;
  }

  private static void copy(Copying copying) {
    try {
      copying.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
