package io.ntrail.formats.archives;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/**
 * The members of a gzip file, inflated one after the other while they are read. Zeros behind a
 * member are padding, which tapes need. Anything else that is no member is an error; {@link
 * java.util.zip.GZIPInputStream} takes it for the end, and what it hides is lost without a word.
 */
final class GzipStream extends InflaterInputStream {
  private static final int MAGIC_1 = 0x1F;
  private static final int MAGIC_2 = 0x8B;
  private static final int HEADER_CHECKSUM = 2;
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int COMMENT = 16;

  /** Bytes of time, level and system. */
  private static final int UNUSED = 6;

  private final CRC32 headerChecksum = new CRC32();
  private final CRC32 checksum = new CRC32();

  /** Place in the buffer of the next byte of a header or trailer. */
  private int at;

  private int headerBytes;
  private boolean finished;

  /**
   * Reads the header of the first member.
   *
   * @param size bytes that are read at a time
   * @throws ZipException if it is not one
   * @throws EOFException if the file ends inside it
   */
  GzipStream(InputStream in, int size) throws IOException {
    super(in, new Inflater(true), size);
    boolean isMember = false;
    try {
      isMember = readHeader(next());
    } finally {
      if (!isMember) {
        inf.end();
      }
    }
    if (!isMember) {
      throw new ZipException("no header");
    }
  }

  @Override
  public int read(byte[] target, int to, int most) throws IOException {
    Objects.checkFromIndexSize(to, most, target.length);
    if (most == 0) {
      return 0;
    }
    while (!finished) {
      int n = super.read(target, to, most);
      if (n > 0) {
        checksum.update(target, to, n);
        return n;
      }
      finished = true;
      at = len - inf.getRemaining();
      checkTrailer();
      finished = !startNext();
    }
    return -1;
  }

  private void checkTrailer() throws IOException {
    int sum = int32();
    int size = int32();
    if (sum != (int) checksum.getValue()) {
      throw new ZipException(
          "its checksum is %08x, not %08x: some of it is wrong"
              .formatted(checksum.getValue(), sum));
    }
    if (size != (int) inf.getBytesWritten()) {
      throw new ZipException(
          "it inflates to %,d bytes, and their number is wrong in its end"
              .formatted(inf.getBytesWritten()));
    }
  }

  private int int32() throws IOException {
    return next() | next() << 8 | next() << 16 | next() << 24;
  }

  /** Goes to the next member; false at the end. */
  private boolean startNext() throws IOException {
    int first = 0;
    while (first == 0) {
      if (at == len && !refill()) {
        return false;
      }
      first = next();
    }
    if (!readHeader(first)) {
      long bytes = headerBytes + len - at + in.transferTo(OutputStream.nullOutputStream());
      throw new ZipException(
          bytes == 1
              ? "a byte behind the last member is not gzip data"
              : "%,d bytes behind the last member are not gzip data".formatted(bytes));
    }
    return true;
  }

  /** Reads a header; false if it is not one. */
  private boolean readHeader(int first) throws IOException {
    headerChecksum.reset();
    headerChecksum.update(first);
    headerBytes = 1;
    if (first != MAGIC_1 || header() != MAGIC_2 || header() != Deflater.DEFLATED) {
      return false;
    }
    int flags = header();
    skipHeader(UNUSED);
    if ((flags & EXTRA) != 0) {
      skipHeader(header() | header() << 8);
    }
    skipText(flags & NAME);
    skipText(flags & COMMENT);
    if ((flags & HEADER_CHECKSUM) != 0) {
      int sum = (int) headerChecksum.getValue() & 0xFFFF;
      if ((header() | header() << 8) != sum) {
        return false;
      }
    }
    checksum.reset();
    inf.reset();
    inf.setInput(buf, at, len - at);
    return true;
  }

  private int header() throws IOException {
    int read = next();
    headerChecksum.update(read);
    headerBytes++;
    return read;
  }

  private void skipHeader(int bytes) throws IOException {
    for (int i = 0; i < bytes; i++) {
      header();
    }
  }

  private void skipText(int flag) throws IOException {
    int last = flag;
    while (last != 0) {
      last = header();
    }
  }

  private int next() throws IOException {
    if (at == len && !refill()) {
      throw new EOFException();
    }
    return buf[at++] & 0xFF;
  }

  private boolean refill() throws IOException {
    at = 0;
    len = Math.max(0, in.read(buf, 0, buf.length));
    return len > 0;
  }

  @Override
  public void close() throws IOException {
    super.close();
    inf.end();
  }
}
