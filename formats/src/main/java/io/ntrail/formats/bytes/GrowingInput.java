package io.ntrail.formats.bytes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * File that another program writes while it is read: nothing of it is kept, and no size is fixed.
 */
public final class GrowingInput implements AutoCloseable {
  private final FileChannel channel;
  private final String name;

  /**
   * Opens a file.
   *
   * @throws IOException if that is not possible
   */
  public GrowingInput(Path path) throws IOException {
    this.name = path.toString();
    SpecialFile.refuse(path, name);
    OutputFile.noteRead(path);
    this.channel = FileChannel.open(path, StandardOpenOption.READ);
  }

  /** Returns its name. */
  public String name() {
    return name;
  }

  /** Returns its size at this moment. */
  public long size() throws IOException {
    return channel.size();
  }

  /** Reads bytes; those that are not there yet are 0. */
  public Bytes read(long place, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    int more = 0;
    while (bytes.hasRemaining() && more >= 0) {
      more = channel.read(bytes, place + bytes.position());
    }
    return Bytes.copyOf(bytes.array(), name);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
