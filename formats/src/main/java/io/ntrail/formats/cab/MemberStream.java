package io.ntrail.formats.cab;

import java.io.InputStream;
import java.util.Objects;

/** One file of a cabinet, unpacked while it is read. */
final class MemberStream extends InputStream {
  private final FolderReader reader;
  private final long end;
  private long at;

  MemberStream(FolderReader reader, long offset, long size) {
    this.reader = reader;
    this.at = offset;
    this.end = offset + size;
  }

  @Override
  public int read() {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int to, int most) {
    Objects.checkFromIndexSize(to, most, target.length);
    if (most == 0) {
      return 0;
    }
    if (at == end) {
      return -1;
    }
    int count = reader.read(at, target, to, (int) Math.min(most, end - at));
    at += count;
    return count;
  }
}
