package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.GrowingInput;
import java.io.IOException;
import java.nio.file.Path;

/**
 * File that a session writes: whole buffers of one size, one after the other, and in a ring those
 * of before are written over, from behind the first on, which is the header. Buffers have the times
 * at which they were written, which tell new ones from old ones.
 */
public final class GrowingEtlFile implements AutoCloseable {
  /** Bytes that are read at once, at most. */
  private static final int MOST = 1 << 26;

  private final GrowingInput file;
  private final int size;
  private long at;
  private long last = Long.MIN_VALUE;
  private long buffers;
  private boolean isRound;

  /**
   * Opens a file that a session has open, too.
   *
   * @param size bytes of a buffer
   */
  public GrowingEtlFile(Path path, int size) throws IOException {
    this.file = new GrowingInput(path);
    this.size = size;
    this.at = size;
  }

  /** Returns its name. */
  public String name() {
    return file.name();
  }

  /** Returns the number of buffers that were read, the header not counted. */
  public long buffers() {
    return buffers;
  }

  /** Returns whether it began to write over what it had. */
  public boolean isRound() {
    return isRound;
  }

  /**
   * Reads what is new.
   *
   * @return the header and the new buffers, a recording of its own; without any, the header alone
   */
  public byte[] read() throws IOException {
    BytesBuilder part = new BytesBuilder(2 * size);
    if (file.size() < size) {
      return part.toArray();
    }
    part.bytes(file.read(0, size).array(0, size));
    while (part.size() < MOST && isNew()) {
      Bytes buffer = file.read(at, size);
      last = Math.max(last, BufferHeader.read(buffer, 0).timeStamp());
      part.bytes(buffer.array(0, size));
      buffers++;
      at += size;
    }
    return part.toArray();
  }

  /** Returns whether the next buffer is one that was not read; goes back to the first if it is. */
  private boolean isNew() throws IOException {
    if (at + size <= file.size() && isWrittenAfter(at)) {
      return true;
    }
    if (buffers > 0 && at > size && isWrittenAfter(size)) {
      at = size;
      isRound = true;
      return true;
    }
    return false;
  }

  private boolean isWrittenAfter(long place) throws IOException {
    BufferHeader head = BufferHeader.read(file.read(place, EtlLayout.BUFFER_HEADER), 0);
    // As long as the file grows, all is new whatever the clock says.
    return head.bufferSize() == size && (!isRound && place == at || head.timeStamp() > last);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
