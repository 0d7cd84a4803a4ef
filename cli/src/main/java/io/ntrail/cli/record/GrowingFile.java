package io.ntrail.cli.record;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * File that a session writes: whole buffers of one size, one after the other, and in a ring those
 * of before are written over, from behind the first on, which is the header. Buffers have the times
 * at which they were written, which tell new ones from old ones.
 */
final class GrowingFile implements AutoCloseable {
  /** Bytes that are read at once, at most. */
  private static final int MOST = 1 << 26;

  private static final int HEAD = 0x48;

  /** WMI_BUFFER_HEADER: u32 size, i64 time. */
  private static final int TIME = 0x10;

  private final FileChannel channel;
  private final String name;
  private final int size;
  private long at;
  private long last = Long.MIN_VALUE;
  private long buffers;
  private boolean isRound;

  /**
   * Opens a file.
   *
   * @param size bytes of a buffer
   */
  GrowingFile(Path file, int size) throws IOException {
    this.channel = FileChannel.open(file, StandardOpenOption.READ);
    this.name = file.toString();
    this.size = size;
    this.at = size;
  }

  /** Returns its name. */
  String name() {
    return name;
  }

  /** Returns the number of buffers that were read, the header not counted. */
  long buffers() {
    return buffers;
  }

  /** Returns whether it began to write over what it had. */
  boolean isRound() {
    return isRound;
  }

  /**
   * Reads what is new.
   *
   * @return the header and the new buffers, a recording of its own; without any, the header alone
   */
  byte[] read() throws IOException {
    BytesBuilder part = new BytesBuilder(2 * size);
    if (channel.size() < size) {
      return part.toArray();
    }
    part.bytes(bytes(0, size));
    while (part.size() < MOST && isNew()) {
      byte[] buffer = bytes(at, size);
      last = Math.max(last, Bytes.copyOf(buffer, name).i64(TIME));
      part.bytes(buffer);
      buffers++;
      at += size;
    }
    return part.toArray();
  }

  /** Returns whether the next buffer is one that was not read; goes back to the first if it is. */
  private boolean isNew() throws IOException {
    if (at + size <= channel.size() && isWrittenAfter(at)) {
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
    Bytes head = Bytes.copyOf(bytes(place, HEAD), name);
    boolean isWritten = head.u32(0) == size;
    // As long as the file grows, all is new whatever the clock says.
    return isWritten && (!isRound && place == at || head.i64(TIME) > last);
  }

  private byte[] bytes(long place, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining() && channel.read(bytes, place + bytes.position()) >= 0) {
      // What is not there stays 0, which is no buffer.
    }
    return bytes.array();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
