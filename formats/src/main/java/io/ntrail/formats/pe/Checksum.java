package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;

/**
 * The checksum of an image's file (CheckSum of the optional header): the sum of all 16-bit words
 * but its own two, with carries added in again, plus the length of the file. Drivers and libraries
 * that the system itself loads must have it; most others have 0.
 *
 * <p>Source: what CheckSumMappedFile does, as found out by many; the checksum of a real
 * kernel32.dll comes out the same.
 */
public final class Checksum {
  private static final int MOST = 1 << 30;

  private Checksum() {}

  /**
   * Returns the right value of an image's checksum field.
   *
   * @param image read from a file
   * @return -1 for an image from memory, which has no file
   */
  public static long of(PeImage image) {
    InputFile file = image.file().orElse(null);
    if (file == null) {
      return -1;
    }
    long field = image.headers().peOffset() + PeHeaders.FILE_HEADER + 64;
    long sum = 0;
    // Windows begin at even offsets, so that words do not straddle them.
    for (long from = 0; from < file.size(); from += MOST) {
      Bytes window = file.window(from, (int) Math.min(MOST, file.size() - from));
      sum += words(window);
    }
    return folded(sum - own(file, field), file.size());
  }

  /** Returns true if an image's field is right; an unset one is not. */
  public static boolean isRight(PeImage image) {
    return image.headers().checksum() == of(image);
  }

  /**
   * Returns the checksum of a file under construction.
   *
   * @param field offset of its four bytes, which do not count
   */
  public static long of(byte[] file, int field) {
    long sum = 0;
    for (int i = 0; i < file.length; i++) {
      if (i < field || i >= field + 4) {
        sum += (long) (file[i] & 0xFF) << (i % 2 == 0 ? 0 : 8);
      }
    }
    return folded(sum, file.length);
  }

  private static long words(Bytes window) {
    long sum = 0;
    int even = window.length() & ~1;
    for (int at = 0; at < even; at += 2) {
      sum += window.u16(at);
    }
    return even < window.length() ? sum + window.u8(even) : sum;
  }

  /**
   * Returns the contribution of the field itself to the sum; it may be at an odd offset in a
   * strange image.
   */
  private static long own(InputFile file, long field) {
    long sum = 0;
    for (long at = field; at < Math.min(field + 4, file.size()); at++) {
      sum += (long) file.window(at, 1).u8(0) << (at % 2 == 0 ? 0 : 8);
    }
    return sum;
  }

  private static long folded(long sum, long length) {
    long left = sum;
    while (left > 0xFFFF) {
      left = (left & 0xFFFF) + (left >>> 16);
    }
    return left + length & 0xFFFF_FFFFL;
  }
}
