package io.ntrail.formats.archives;

/**
 * A member of a zip, as its directory or its local header has it.
 *
 * @param headerAt offset of its local header
 * @param dataAt offset of its data, behind the local header
 * @param packedSize bytes of its data; -1 if only the end of the data tells
 * @param size bytes when inflated; -1 if only the end of the data tells
 * @param crc checksum of the inflated bytes; of no meaning if their number is not known
 */
public record ZipMember(
    String name,
    int flags,
    int method,
    long headerAt,
    long dataAt,
    long packedSize,
    long size,
    int crc) {
  static final int STORED = 0;
  static final int DEFLATED = 8;

  private static final int ENCRYPTED = 1;
  private static final int SIZES_FOLLOW = 8;

  /** Returns true if sizes and checksum are behind the data, not in the local header. */
  boolean sizesFollow() {
    return (flags & SIZES_FOLLOW) != 0;
  }

  boolean isFolder() {
    return name.endsWith("/");
  }

  /** Returns the offset behind its data. */
  long end() {
    return dataAt + packedSize;
  }

  /** Returns the reason why it cannot be inflated, as words that follow its name; or empty. */
  String refusal() {
    if ((flags & ENCRYPTED) != 0) {
      return "is encrypted";
    }
    return method == STORED || method == DEFLATED
        ? ""
        : "is compressed with method %d, which ntrail does not read".formatted(method);
  }
}
