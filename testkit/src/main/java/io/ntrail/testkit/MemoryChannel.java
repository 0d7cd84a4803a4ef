package io.ntrail.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.SeekableByteChannel;

/** File in memory that is appended to, and neither read nor changed before its end. */
public final class MemoryChannel implements SeekableByteChannel {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** Nothing yet. */
  public MemoryChannel() {}

  /** Returns what was written. */
  public byte[] toByteArray() {
    return bytes.toByteArray();
  }

  @Override
  public int write(ByteBuffer source) {
    byte[] more = new byte[source.remaining()];
    source.get(more);
    bytes.writeBytes(more);
    return more.length;
  }

  @Override
  public long position() {
    return bytes.size();
  }

  @Override
  public long size() {
    return bytes.size();
  }

  @Override
  public int read(ByteBuffer target) {
    throw new NonReadableChannelException();
  }

  @Override
  public SeekableByteChannel position(long to) {
    return atEnd(to);
  }

  @Override
  public SeekableByteChannel truncate(long to) {
    return atEnd(to);
  }

  private SeekableByteChannel atEnd(long to) {
    if (to != bytes.size()) {
      throw new IllegalArgumentException("at " + to + " of " + bytes.size() + ": not the end");
    }
    return this;
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void close() {
    // There is nothing to close.
  }
}
