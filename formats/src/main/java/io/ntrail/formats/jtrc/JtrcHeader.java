package io.ntrail.formats.jtrc;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;

/**
 * The first 16 bytes of a file.
 *
 * @param version always 1000h
 * @param characteristics the clock and the width of the records, see the constants
 */
public record JtrcHeader(int version, int characteristics) {
  /** Bytes of it. */
  public static final int BYTES = 16;

  /** {@code JTRC}. */
  static final int SIGNATURE = 0x4352_544A;

  /** The only version there is. */
  static final int VERSION = 0x1000;

  /** Time stamps are those of the processor (TSC): ticks of an unknown rate. */
  public static final int TIMESTAMP_TSC = 1;

  /** Time stamps are those of the performance counter: ticks of an unknown rate, one clock. */
  public static final int TIMESTAMP_PERFCOUNTER = 2;

  /** Records are of 32-bit code. */
  public static final int RECORDS_32 = 4;

  /** Records are of 64-bit code; no writer ever made them. */
  public static final int RECORDS_64 = 8;

  /** Returns true if the input starts like such a file, as far as it goes. */
  public static boolean looksLike(InputFile input) {
    return input.size() >= 4 && input.window(0, 4).i32(0) == SIGNATURE;
  }

  /**
   * Reads it.
   *
   * @throws DamagedInput if NTrace's own reader would have refused the file, with its reason
   */
  static JtrcHeader read(InputFile input) {
    String name = input.name();
    Bytes start = input.window(0, (int) Math.min(BYTES, input.size()));
    if (start.length() == 0) {
      throw new DamagedInput(name, 0, JtrcError.FILE_EMPTY.text("the file is empty"));
    }
    if (start.length() < 4 || start.i32(0) != SIGNATURE) {
      throw new DamagedInput(name, 0, JtrcError.INVALID_SIGNATURE.text("it should be JTRC"));
    }
    if (start.length() >= 6 && start.u16(4) != VERSION) {
      throw new DamagedInput(
          name,
          4,
          JtrcError.INVALID_VERSION.text(
              "it has version 0x"
                  + Integer.toHexString(start.u16(4))
                  + ", only 0x1000 can be read"));
    }
    if (start.length() < BYTES) {
      throw new DamagedInput(
          name,
          start.length(),
          JtrcError.EOF.text("the file ends after " + start.length() + " of 16 bytes of header"));
    }
    int characteristics = start.u16(6);
    int clock = characteristics & (TIMESTAMP_TSC | TIMESTAMP_PERFCOUNTER);
    int width = characteristics & (RECORDS_32 | RECORDS_64);
    int known = TIMESTAMP_TSC | TIMESTAMP_PERFCOUNTER | RECORDS_32 | RECORDS_64;
    if (Integer.bitCount(clock) != 1
        || Integer.bitCount(width) != 1
        || (characteristics & ~known) != 0) {
      throw new DamagedInput(
          name,
          6,
          JtrcError.INVALID_CHARACTERISTICS.text(
              "0x"
                  + Integer.toHexString(characteristics)
                  + " does not select one clock and one record width"));
    }
    if (width == RECORDS_64) {
      throw new DamagedInput(name, 6, JtrcError.BITNESS_NOT_SUPPORTED.text("64-bit records"));
    }
    if (start.i64(8) != 0) {
      throw new DamagedInput(
          name, 8, JtrcError.RESERVED_FIELDS_USED.text("8 reserved bytes are not 0"));
    }
    return new JtrcHeader(start.u16(4), characteristics);
  }

  /** Returns true if time stamps are of the performance counter, which all processors share. */
  public boolean performanceCounter() {
    return (characteristics & TIMESTAMP_PERFCOUNTER) != 0;
  }
}
