package io.ntrail.formats.jtrc;

/** Errors of NTrace's own reader, under its names. */
public enum JtrcError {
  /** The file does not start with {@code JTRC}. */
  INVALID_SIGNATURE(0xC004_9400, "not a call recording of NTrace"),
  /** The version is not 1000h. */
  INVALID_VERSION(0xC004_9401, "another version of the format"),
  /** Not exactly one clock, or not exactly one width of records. */
  INVALID_CHARACTERISTICS(0xC004_9402, "clock or width of records unclear"),
  /** Records of 64 bits, which were never written. */
  BITNESS_NOT_SUPPORTED(0xC004_9403, "records of 64 bits"),
  /** The file has no bytes. */
  FILE_EMPTY(0xC004_9404, "no bytes"),
  /** The file ends inside a header or a chunk. */
  EOF(0xC004_9405, "the file ends too early"),
  /** A chunk of a type that is not 0, 1 or 2. */
  UNRECOGNIZED_CHUNK_TYPE(0xC004_9406, "unknown type of chunk"),
  /** Bytes that have to be 0 are not. */
  RESERVED_FIELDS_USED(0xC004_9407, "bytes that have to be 0 are not"),
  /** A chunk is shorter than its own header. */
  TRUNCATED_CHUNK(0xC004_9408, "chunk shorter than its header"),
  /** A chunk crosses the border of a segment. */
  CHUNK_STRADDLES_SEGMENT(0xC004_9409, "chunk across the border of a segment"),
  /** A record is neither entry nor exit nor unwind. */
  INVALID_TRANSITION(0xC004_940B, "unknown kind of record"),
  /** A routine is in no image of the file. */
  MODULE_UNKNOWN(0xC004_940C, "routine in no image");

  private final int code;
  private final String meaning;

  JtrcError(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  /** The HRESULT. */
  public int code() {
    return code;
  }

  /** The name with what it means, and what was found. */
  String text(String found) {
    return name() + " (" + meaning + "): " + found;
  }
}
