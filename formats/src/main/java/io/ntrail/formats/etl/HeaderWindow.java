package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.NativeBuffer;

/**
 * Window that moves on over a file whose headers are read one after the other. Far apart from each
 * other they are read alone, as pages of a mapping that nobody has looked at are expensive; close
 * together, most lie in the window of the one before.
 */
final class HeaderWindow implements AutoCloseable {
  private static final int AHEAD = 64 << 10;

  /** Bytes that are read of a header that is far from the one before, with its first record. */
  private static final int ALONE = 256;

  /** Distance up to which it costs less to read what is between two headers as well. */
  private static final int CLOSE = 8 << 10;

  private final InputFile input;
  private final NativeBuffer memory = new NativeBuffer(AHEAD);
  private Bytes bytes = RecordHeader.NOTHING;
  private long last = -CLOSE - 1;

  HeaderWindow(InputFile input) {
    this.input = input;
  }

  /**
   * Moves on if need be, so that bytes of the file are in the window.
   *
   * @param length at most 64 KB
   * @return where they are in {@link #bytes()}
   * @throws io.ntrail.formats.bytes.DamagedInput if the file is shorter
   */
  int moveTo(long offset, int length) {
    long at = offset - bytes.base();
    if (at < 0 || at > bytes.length() - length) {
      boolean isClose = offset >= last && offset - last <= CLOSE;
      int ahead = (int) Math.min(isClose ? AHEAD : ALONE, input.size() - offset);
      Bytes read = input.read(offset, Math.max(length, ahead), memory);
      bytes = read == null ? input.window(offset, Math.max(length, ahead)) : read;
      at = 0;
    }
    last = offset;
    return (int) at;
  }

  /** The window, until the next {@link #moveTo}. */
  Bytes bytes() {
    return bytes;
  }

  @Override
  public void close() {
    memory.close();
  }
}
