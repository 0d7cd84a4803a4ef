package io.ntrail.formats.dump;

/**
 * Bytes of a dump (MINIDUMP_LOCATION_DESCRIPTOR).
 *
 * @param offset in the file
 * @param size bytes, as the dump claims
 */
public record FileRange(long offset, long size) {
  /** No bytes. */
  public static final FileRange NONE = new FileRange(0, 0);

  /**
   * Returns true if there are no bytes: no size, or no place, as the stacks of threads have none in
   * dumps with full memory.
   */
  public boolean isEmpty() {
    return size == 0 || offset == 0;
  }
}
