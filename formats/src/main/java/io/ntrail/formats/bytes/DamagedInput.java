package io.ntrail.formats.bytes;

/**
 * Thrown when bytes are not what the format requires.
 *
 * <p>Thrown inside a reader and turned into a {@link Gap} at its edge, or into the reason why a
 * file cannot be read at all; it never means a defect of ntrail.
 */
public final class DamagedInput extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final long offset;
  private final String what;

  /**
   * @param file the name of the input
   * @param offset where in the input, in bytes from its start
   * @param what what was being read and what was found instead
   */
  public DamagedInput(String file, long offset, String what) {
    super(file + " at offset " + offset + ": " + what);
    this.file = file;
    this.offset = offset;
    this.what = what;
  }

  /** The name of the input. */
  public String file() {
    return file;
  }

  /** Returns the offset in the input, in bytes. */
  public long offset() {
    return offset;
  }

  /** Returns what was being read and what was found instead. */
  public String what() {
    return what;
  }
}
