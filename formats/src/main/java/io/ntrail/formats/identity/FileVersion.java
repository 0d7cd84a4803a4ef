package io.ntrail.formats.identity;

/**
 * Version of a file, as VS_FIXEDFILEINFO of verrsrc.h has it: four 16-bit numbers, the first one in
 * the highest bits.
 */
public final class FileVersion {
  private FileVersion() {}

  /** Returns {@code 10.0.19041.1348}. */
  public static String text(long version) {
    return (version >>> 48)
        + "."
        + (version >>> 32 & 0xFFFF)
        + "."
        + (version >>> 16 & 0xFFFF)
        + "."
        + (version & 0xFFFF);
  }
}
