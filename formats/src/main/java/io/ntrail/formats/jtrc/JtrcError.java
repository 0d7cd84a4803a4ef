package io.ntrail.formats.jtrc;

/** Errors of NTrace's own reader, under its names. */
public enum JtrcError {
  /** The file does not start with {@code JTRC}. */
  INVALID_SIGNATURE(0xC004_9400),
  /** The version is not 1000h. */
  INVALID_VERSION(0xC004_9401),
  /** Not exactly one clock, or not exactly one width of records. */
  INVALID_CHARACTERISTICS(0xC004_9402),
  /** Records of 64 bits, which were never written. */
  BITNESS_NOT_SUPPORTED(0xC004_9403),
  /** The file has no bytes. */
  FILE_EMPTY(0xC004_9404),
  /** The file ends inside a header or a chunk. */
  EOF(0xC004_9405),
  /** A chunk of a type that is not 0, 1 or 2. */
  UNRECOGNIZED_CHUNK_TYPE(0xC004_9406),
  /** Bytes that have to be 0 are not. */
  RESERVED_FIELDS_USED(0xC004_9407),
  /** A chunk is shorter than its own header. */
  TRUNCATED_CHUNK(0xC004_9408),
  /** A chunk crosses the border of a segment. */
  CHUNK_STRADDLES_SEGMENT(0xC004_9409),
  /** A record is neither entry nor exit nor unwind. */
  INVALID_TRANSITION(0xC004_940B),
  /** A routine is in no image of the file. */
  MODULE_UNKNOWN(0xC004_940C);

  private final int code;

  JtrcError(int code) {
    this.code = code;
  }

  /** The HRESULT. */
  public int code() {
    return code;
  }

  /** The name, and what was found. */
  String text(String found) {
    return name() + ": " + found;
  }
}
