package io.ntrail.formats.pdb.codeview;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import java.util.ArrayList;
import java.util.List;

/**
 * Line table of an inline site, from its binary annotations (CodeViewInfo.h, CVUncompressData and
 * BinaryAnnotationOpcode). The program moves an offset, relative to the start of the outermost
 * procedure, and a line, which starts at that of the function's declaration.
 */
public final class InlineSiteLines {
  private static final int END = 0;
  private static final int CODE_OFFSET = 1;
  private static final int CHANGE_CODE_OFFSET_BASE = 2;
  private static final int CHANGE_CODE_OFFSET = 3;
  private static final int CHANGE_CODE_LENGTH = 4;
  private static final int CHANGE_FILE = 5;
  private static final int CHANGE_LINE_OFFSET = 6;
  private static final int CHANGE_LINE_END_DELTA = 7;
  private static final int CHANGE_RANGE_KIND = 8;
  private static final int CHANGE_COLUMN_START = 9;
  private static final int CHANGE_COLUMN_END_DELTA = 10;
  private static final int CHANGE_CODE_OFFSET_AND_LINE_OFFSET = 11;
  private static final int CHANGE_CODE_LENGTH_AND_CODE_OFFSET = 12;
  private static final int CHANGE_COLUMN_END = 13;

  /** The length of a row that is not known yet. */
  private static final long OPEN = -1;

  /**
   * A range of code with its line.
   *
   * @param offset from the start of the procedure
   * @param length bytes
   * @param file as in {@link LineRow#file}
   */
  public record Row(long offset, long length, long file, int line) {
    /** Returns true if an offset of the procedure is in it. */
    public boolean contains(long other) {
      return other >= offset && other < offset + length;
    }
  }

  private final Bytes program;
  private final List<Row> rows = new ArrayList<>();
  private int at;
  private long base;
  private long offset;
  private long file;
  private int line;

  private InlineSiteLines(Bytes program, long file, int line) {
    this.program = program;
    this.file = file;
    this.line = line;
  }

  /**
   * Runs a program.
   *
   * @param file of the function's declaration
   * @param line of it
   * @param end end of the code around the site, from the start of the procedure: the end of a last
   *     row without a length
   * @throws DamagedInput if it has unknown instructions or ends inside one
   */
  public static List<Row> of(Bytes program, long file, int line, long end) {
    InlineSiteLines run = new InlineSiteLines(program, file, line);
    while (run.at < program.length() && run.step()) {
      // Each step is at least one byte.
    }
    run.close(end);
    return run.rows;
  }

  private boolean step() {
    int operation = unsigned();
    switch (operation) {
      case END -> {
        return false;
      }
      case CODE_OFFSET -> offset = unsigned();
      case CHANGE_CODE_OFFSET_BASE -> base = unsigned();
      case CHANGE_CODE_OFFSET -> {
        offset += unsigned();
        emit(OPEN);
      }
      case CHANGE_CODE_LENGTH -> {
        // Here the length moves the offset, which it does not below: so do all writers.
        long length = unsigned();
        lengthOfLast(length);
        offset += length;
      }
      case CHANGE_FILE -> file = unsigned();
      case CHANGE_LINE_OFFSET -> line += signed(unsigned());
      case CHANGE_LINE_END_DELTA,
          CHANGE_RANGE_KIND,
          CHANGE_COLUMN_START,
          CHANGE_COLUMN_END_DELTA,
          CHANGE_COLUMN_END ->
          unsigned();
      case CHANGE_CODE_OFFSET_AND_LINE_OFFSET -> {
        int both = unsigned();
        line += signed(both >>> 4);
        offset += both & 15;
        emit(OPEN);
      }
      case CHANGE_CODE_LENGTH_AND_CODE_OFFSET -> {
        long length = unsigned();
        offset += unsigned();
        emit(length);
      }
      default ->
          throw new DamagedInput(
              program.name(), program.base() + at, "annotation " + operation + " is unknown");
    }
    return true;
  }

  private void emit(long length) {
    long here = base + offset;
    close(here);
    rows.add(new Row(here, length, file, line));
  }

  /** Ends a row without a length where the next one starts. */
  private void close(long end) {
    if (!rows.isEmpty() && rows.getLast().length == OPEN) {
      lengthOfLast(Math.max(0, end - rows.getLast().offset));
    }
  }

  private void lengthOfLast(long length) {
    if (!rows.isEmpty()) {
      Row last = rows.removeLast();
      rows.add(new Row(last.offset, length, last.file, last.line));
    }
  }

  /** A number of 7, 14 or 29 bits, the highest first. */
  private int unsigned() {
    int first = program.u8(at);
    if ((first & 0x80) == 0) {
      at++;
      return first;
    }
    if ((first & 0xC0) == 0x80) {
      int value = (first & 0x3F) << 8 | program.u8(at + 1);
      at += 2;
      return value;
    }
    if ((first & 0xE0) == 0xC0) {
      int value =
          (first & 0x1F) << 24
              | program.u8(at + 1) << 16
              | program.u8(at + 2) << 8
              | program.u8(at + 3);
      at += 4;
      return value;
    }
    throw new DamagedInput(program.name(), program.base() + at, "not a compressed number");
  }

  /** The sign is the lowest bit. */
  private static int signed(int value) {
    return (value & 1) == 0 ? value >>> 1 : -(value >>> 1);
  }
}
