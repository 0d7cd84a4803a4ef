package io.ntrail.formats.pt;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;

/**
 * Finds PSBs: {@code 02 82} eight times, at any alignment. If the pattern is longer, because the
 * packet before ends with the same bytes, its last 16 bytes are the PSB.
 *
 * <p>Each byte is looked at a constant number of times, whatever the bytes are.
 */
public final class PsbSearch {
  /** Bytes of a PSB. */
  public static final int LENGTH = 16;

  private static final long EVEN = 0x8202_8202_8202_8202L;
  private static final long ODD = 0x0282_0282_0282_0282L;

  /** Bytes that are looked at through one window. */
  private static final int WINDOW = 1 << 26;

  /** Bytes of the start of a file that show whether it is a stream. */
  private static final int NEAR = 1 << 16;

  private PsbSearch() {}

  /**
   * Returns true if a PSB is among the first bytes, where that of a ring would be at the latest.
   */
  public static boolean isNear(InputFile input) {
    return next(input.window(0, (int) Math.min(NEAR, input.size())), true) >= 0;
  }

  /** Returns the offset of the first PSB that begins at or after an offset; -1 if there is none. */
  public static long next(InputFile input, long from) {
    long begin = Math.max(0, from);
    while (input.size() - begin >= LENGTH) {
      int length = (int) Math.min(WINDOW, input.size() - begin);
      Bytes window = input.window(begin, length);
      boolean isLast = begin + length == input.size();
      int found = next(window, isLast);
      if (found >= 0) {
        return begin + found;
      }
      if (isLast) {
        return -1;
      }
      // A pattern that reaches the end of the window is looked at again, with what follows.
      begin += length - 2 * LENGTH;
    }
    return -1;
  }

  private static int next(Bytes window, boolean isLast) {
    int end = window.length();
    int at = 0;
    while (at <= end - Long.BYTES) {
      long word = window.i64(at);
      if (word != EVEN && word != ODD) {
        at += Long.BYTES;
        continue;
      }
      int start = word == EVEN ? at : at + 1;
      for (int back = 0; back < LENGTH && start >= 2 && isPair(window, start - 2); back += 2) {
        start -= 2;
      }
      int stop = start;
      while (stop <= end - 2 && isPair(window, stop)) {
        stop += 2;
      }
      if (stop - start >= LENGTH && (isLast || stop <= end - 2)) {
        return stop - LENGTH;
      }
      at = Math.max(at + Long.BYTES, stop);
    }
    return -1;
  }

  private static boolean isPair(Bytes window, int at) {
    return window.u16(at) == 0x8202;
  }

  /** Returns the offset of the last PSB that begins before an offset; -1 if there is none. */
  public static long previous(InputFile input, long before) {
    long top = Math.min(input.size() - LENGTH, before - 1);
    while (top >= 0) {
      long begin = Math.max(0, top - WINDOW);
      // Two bytes more tell whether the pattern goes on.
      Bytes window =
          input.window(begin, (int) Math.min(input.size() - begin, top - begin + LENGTH + 2));
      for (int at = (int) (top - begin); at >= 0; at--) {
        if (window.i64(at) == EVEN
            && window.i64(at + Long.BYTES) == EVEN
            && !(window.has(at + LENGTH, 2) && isPair(window, at + LENGTH))) {
          return begin + at;
        }
      }
      top = begin - 1;
    }
    return -1;
  }
}
