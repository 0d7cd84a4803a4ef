package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.GrowingInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * File that a session writes: places for buffers of one size, one after the other, which in a ring
 * are written over, from behind the first on, which is the header. A place is new if its buffer has
 * another number or time than what was read there: no order of times is relied on.
 */
public final class GrowingEtlFile implements AutoCloseable {
  /** Bytes that are read at once, at most. */
  private static final int MOST = 1 << 26;

  private final GrowingInput file;
  private final int size;

  /** Identity of the buffer that was read at each place; 0: none. */
  private long[] seen = new long[64];

  /** Places from the first on that had a buffer. */
  private int places;

  private int next;
  private boolean isRound;
  private long buffers;

  /** Buffers that the session counts and that were not read, and whether it is known. */
  private long before;

  private boolean isCounted;

  /**
   * Opens a file that a session has open, too.
   *
   * @param size bytes of a buffer
   */
  public GrowingEtlFile(Path path, int size) throws IOException {
    this.file = new GrowingInput(path);
    this.size = size;
  }

  /** Returns its name. */
  public String name() {
    return file.name();
  }

  /** Returns the number of buffers that were read, the header not counted. */
  public long buffers() {
    return buffers;
  }

  /**
   * Returns the buffers that were written over before they were read, since it was asked before.
   *
   * @param written buffers that the session has written so far, by its own count, before the last
   *     reading; what it counts besides those in the file is the same at all times
   */
  public long missed(long written) {
    long ahead = written - buffers;
    long missed = isRound && isCounted ? Math.max(0, ahead - before) : 0;
    before = isCounted ? before + missed : ahead;
    isCounted = true;
    return missed;
  }

  /**
   * Reads what is new.
   *
   * @return the header and the new buffers, a recording of its own; without any, the header alone
   */
  public byte[] read() throws IOException {
    BytesBuilder part = new BytesBuilder(2 * size);
    long inFile = file.size() / size - 1;
    if (inFile < 0) {
      return part.toArray();
    }
    part.bytes(file.read(0, size).array(0, size));
    int there = (int) Math.min(inFile, Integer.MAX_VALUE / 2);
    if (there > seen.length) {
      seen = Arrays.copyOf(seen, 2 * there);
    }
    if (there > places) {
      // While it grows, nothing of before is written over; what is, is found the next time.
      while (places < there && part.size() < MOST && isNew(places)) {
        add(places++, part);
      }
      next = places == there ? 0 : places;
      return part.toArray();
    }
    int from = next;
    for (int i = 0; i < places && part.size() < MOST; i++) {
      int place = (from + i) % places;
      if (isNew(place)) {
        add(place, part);
        next = (place + 1) % places;
      }
    }
    return part.toArray();
  }

  private void add(int place, BytesBuilder part) throws IOException {
    part.bytes(file.read((1L + place) * size, size).array(0, size));
    buffers++;
  }

  private boolean isNew(int place) throws IOException {
    Bytes bytes = file.read((1L + place) * size, EtlLayout.BUFFER_HEADER);
    BufferHeader head = BufferHeader.read(bytes, 0);
    // The lowest bit tells a buffer from none.
    long identity = 31 * head.timeStamp() + head.sequenceNumber() << 1 | 1;
    if (head.bufferSize() != size || identity == seen[place]) {
      return false;
    }
    isRound |= seen[place] != 0;
    seen[place] = identity;
    return true;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
