package io.ntrail.analysis.merge;

import io.ntrail.testkit.LittleEndian;
import java.util.zip.CRC32C;

/**
 * Recordings of calls whose checksums are right, whatever else is wrong: docs/ntr.md, section 2.
 */
final class MendedNtr {
  static final int HEADER = 32;

  /** Bytes of the head of events that its checksum is about. */
  static final int HEAD = 140;

  static final int EVENTS = 3;

  private MendedNtr() {}

  /** Returns a file with the right checksums in all chunks that can be found by their lengths. */
  static byte[] of(byte[] file) {
    byte[] mended = file.clone();
    for (int at = 0; at + HEADER <= file.length; ) {
      long length = LittleEndian.getU32(file, at + 8);
      long end = at + HEADER + (length + 7 & ~7L);
      if (end > file.length) {
        sum(mended, at + 28, at, at + 28);
        return mended;
      }
      mend(mended, at, (int) end);
      at = (int) end;
    }
    return mended;
  }

  /** Gives a chunk the right checksums: of the head of events, of the payload, of its header. */
  static void mend(byte[] file, int from, int to) {
    if (LittleEndian.getU16(file, from + 4) == EVENTS && to - from >= HEADER + HEAD + 4) {
      sum(file, from + HEADER + HEAD, from + HEADER, from + HEADER + HEAD);
    }
    sum(file, from + 12, from + HEADER, to);
    sum(file, from + 28, from, from + 28);
  }

  private static void sum(byte[] file, int at, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(file, from, to - from);
    LittleEndian.putU32(file, at, crc.getValue());
  }
}
