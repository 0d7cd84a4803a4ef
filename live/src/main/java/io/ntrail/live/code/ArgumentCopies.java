package io.ntrail.live.code;

import java.util.List;

/**
 * Memory that arguments point to, and of which entries get a copy in their records. Where it cannot
 * be read, the copy ends.
 *
 * @param copies in the order of the record
 */
public record ArgumentCopies(List<Copy> copies) {
  /** Nothing is copied. */
  public static final ArgumentCopies NONE = new ArgumentCopies(List.of());

  /** Number of arguments that records have. */
  public static final int ARGUMENTS = 12;

  /** Bytes of all copies at most, each with its head. */
  public static final int MOST_BYTES =
      SessionLayout.MOST_RECORD_BYTES - SessionLayout.RECORD_COPIES;

  /**
   * Memory that one argument points to.
   *
   * @param argument its number, 0 to 11
   * @param offset of the first byte from where the argument points to
   * @param length bytes at most
   * @param isText true if the copy ends behind the first NUL
   */
  public record Copy(int argument, int offset, int length, boolean isText) {
    /** Checks the number and the length. */
    public Copy {
      if (argument < 0 || argument >= ARGUMENTS || length < 0 || length > MOST_BYTES) {
        throw new IllegalArgumentException(length + " bytes of argument " + argument);
      }
    }

    /** Returns the bytes that it takes in a record. */
    public int recordBytes() {
      return ArgumentCopies.recordBytes(length);
    }
  }

  /** Copies the list. */
  public ArgumentCopies {
    copies = List.copyOf(copies);
  }

  /** Returns the bytes that a copy takes in a record. */
  public static int recordBytes(int length) {
    return SessionLayout.COPY_HEAD + (length + 7 & ~7);
  }

  /** Returns true if there are any. */
  public boolean exist() {
    return !copies.isEmpty();
  }

  /** Returns the bytes that all of them take in a record. */
  public int bytes() {
    return copies.stream().mapToInt(Copy::recordBytes).sum();
  }
}
