package io.ntrail.formats.pdb.codeview;

/**
 * A stretch of code that belongs to one line of a source file.
 *
 * @param section from 1
 * @param offset in the section
 * @param length bytes; up to the next row, or to the end of the code that the table is about
 * @param file what names the file: for {@link C13Lines} the place of a checksum, see {@link
 *     C13Lines#file}; for {@link C11Lines} the place of its name in the table
 * @param line from 1; 0 where there is none
 * @param endLine the last line, the same one if only one is known
 * @param column from 1; 0: not recorded
 * @param isStatement whether a statement begins here, and not just an expression
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

  /** Whether it is a mark for debuggers and no line of a source. */
  public boolean isMark() {
    return line == NEVER_STEP || line == ALWAYS_STEP;
  }

  /** Whether an offset of its section lies in it. */
  public boolean contains(long other) {
    return other >= offset && other < offset + length;
  }
}
