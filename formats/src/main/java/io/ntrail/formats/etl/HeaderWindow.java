package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;

/**
 * Window that moves on over a file whose headers are read one after the other: most lie in the
 * window of the one before, and need none of their own.
 */
final class HeaderWindow {
  private static final int AHEAD = 1 << 20;

  private final InputFile input;
  private Bytes bytes = RecordHeader.NOTHING;

  HeaderWindow(InputFile input) {
    this.input = input;
  }

  /**
   * Moves on if need be, so that bytes of the file are in the window.
   *
   * @return where they are in {@link #bytes()}
   * @throws io.ntrail.formats.bytes.DamagedInput if the file is shorter
   */
  int moveTo(long offset, int length) {
    long at = offset - bytes.base();
    if (at < 0 || at > bytes.length() - length) {
      bytes = input.window(offset, (int) Math.max(length, Math.min(AHEAD, input.size() - offset)));
      at = 0;
    }
    return (int) at;
  }

  /** The window, until the next {@link #moveTo}. */
  Bytes bytes() {
    return bytes;
  }
}
