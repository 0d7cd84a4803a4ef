package io.ntrail.formats.pdb.codeview;

/**
 * A range of code that belongs to one line of a source file.
 *
 * @param section from 1
 * @param offset in the section
 * @param length bytes; up to the next row, or to the end of the code that the table is about
 * @param file key of the file: for {@link C13Lines} the offset of a checksum, see {@link
 *     C13Lines#file}; for {@link C11Lines} the offset of its name in the table
 * @param line from 1; 0 where there is none
 * @param endLine the last line, equal to {@code line} if only one is known
 * @param column from 1; 0: not recorded
 * @param isStatement whether a statement starts here, and not just an expression
 */
public record LineRow(
    int section,
    long offset,
    long length,
    long file,
    int line,
    int endLine,
    int column,
    boolean isStatement) {
  /** A debugger steps over what follows. */
  static final int NEVER_STEP = 0xF0_0F00;

  /** A debugger steps into what follows. */
  static final int ALWAYS_STEP = 0xFE_EFEE;

  /** Returns true if it is a mark for debuggers and not a source line. */
  public boolean isMark() {
    return line == NEVER_STEP || line == ALWAYS_STEP;
  }

  /** Returns true if an offset of its section is in it. */
  public boolean contains(long other) {
    return other >= offset && other < offset + length;
  }
}
