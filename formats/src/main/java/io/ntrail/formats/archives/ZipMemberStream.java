package io.ntrail.formats.archives;

import io.ntrail.formats.bytes.InputFile;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * A member of a zip, inflated while it is read. It ends at the size that the directory gives,
 * however much there is to inflate.
 */
final class ZipMemberStream extends InputStream {
  private final InputFile zip;
  private final ZipMember member;
  private final byte[] packed = new byte[1 << 16];
  private final @Nullable Inflater inflater;
  private final CRC32 checksum = new CRC32();
  private final long end;
  private long at;
  private long done;
  private boolean finished;

  /**
   * Opens a member.
   *
   * @param end offset that its data cannot reach beyond
   */
  ZipMemberStream(InputFile zip, ZipMember member, long end) {
    this.zip = zip;
    this.member = member;
    this.at = member.dataAt();
    this.end = member.packedSize() < 0 ? end : Math.min(end, member.end());
    this.inflater = member.method() == ZipMember.DEFLATED ? new Inflater(true) : null;
  }

  /** Returns the offset behind what was inflated; for a deflated member that was read whole. */
  long inflatedTo() {
    return inflater == null ? at : member.dataAt() + inflater.getBytesRead();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int to, int most) throws IOException {
    Objects.checkFromIndexSize(to, most, target.length);
    if (most == 0) {
      return 0;
    }
    if (finished) {
      return -1;
    }
    int n = inflater == null ? copy(target, to, most) : inflate(inflater, target, to, most);
    if (n < 0) {
      finished = true;
      check();
      return -1;
    }
    if (member.size() >= 0 && n > member.size() - done) {
      n = (int) (member.size() - done);
      if (n == 0) {
        finished = true;
        throw new ZipException("it inflates to more than its directory entry");
      }
    }
    done += n;
    checksum.update(target, to, n);
    return n;
  }

  private int copy(byte[] target, int to, int most) {
    int n = (int) Math.min(most, end - at);
    if (n <= 0) {
      return -1;
    }
    zip.window(at, n).copyTo(0, target, to, n);
    at += n;
    return n;
  }

  private int inflate(Inflater inflater, byte[] target, int to, int most) throws IOException {
    try {
      while (true) {
        int n = inflater.inflate(target, to, most);
        if (n > 0) {
          return n;
        }
        if (inflater.finished()) {
          return -1;
        }
        if (inflater.needsDictionary() || !inflater.needsInput()) {
          throw new ZipException("invalid deflated data");
        }
        int length = (int) Math.min(packed.length, end - at);
        if (length <= 0) {
          throw new EOFException();
        }
        zip.window(at, length).copyTo(0, packed, 0, length);
        at += length;
        inflater.setInput(packed, 0, length);
      }
    } catch (DataFormatException e) {
      throw new ZipException(e.getMessage());
    }
  }

  private void check() throws ZipException {
    if (member.size() < 0) {
      return;
    }
    if (done < member.size()) {
      throw new ZipException(
          "it inflates to %,d bytes, not the %,d of its directory entry"
              .formatted(done, member.size()));
    }
    int sum = (int) checksum.getValue();
    if (sum != member.crc()) {
      throw new ZipException(
          "its checksum is %08x, not %08x: some of it is wrong".formatted(sum, member.crc()));
    }
  }

  @Override
  public void close() {
    if (inflater != null) {
      inflater.end();
    }
  }
}
