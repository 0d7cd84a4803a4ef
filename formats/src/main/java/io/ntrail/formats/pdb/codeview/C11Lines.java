package io.ntrail.formats.pdb.codeview;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Lines of a module before Visual C++ 8 (the source module of cvexefmt.h): a table of files, each
 * with its name and, per section, offsets and lines. All places count from the start of the table;
 * offsets in sections are absolute.
 */
public final class C11Lines {
  private static final int MOST_NAME = 4096;

  private final Bytes table;
  private final List<LineRow> rows;

  private C11Lines(Bytes table, List<LineRow> rows) {
    this.table = table;
    this.rows = rows;
  }

  /**
   * Reads all of it.
   *
   * @param stream the part of a module's stream that has them
   * @throws DamagedInput if it names places outside
   */
  public static C11Lines read(MsfStream stream) {
    Bytes table = stream.window(0, (int) Math.min(stream.length(), Integer.MAX_VALUE - 15));
    List<LineRow> rows = new ArrayList<>();
    int files = table.length() < 4 ? 0 : table.u16(0);
    // Every row has 6 bytes of its own: what names more of them repeats itself.
    int most = table.length() / 6;
    for (int i = 0; i < files; i++) {
      file(table, place(table, 4 + 4 * i), most, rows);
    }
    rows.sort(Comparator.comparingInt(LineRow::section).thenComparingLong(LineRow::offset));
    return new C11Lines(table, List.copyOf(rows));
  }

  private static int place(Bytes table, int at) {
    long place = table.u32(at);
    if (place >= table.length()) {
      throw new DamagedInput(
          table.name(), table.base() + at, "an offset past the end of the lines");
    }
    return (int) place;
  }

  private static void file(Bytes table, int file, int most, List<LineRow> rows) {
    int sections = table.u16(file);
    int ranges = file + 4 + 4 * sections;
    int name = ranges + 8 * sections;
    for (int i = 0; i < sections; i++) {
      int block = place(table, file + 4 + 4 * i);
      // The end is that of the last byte.
      long end = table.u32(ranges + 8 * i + 4) + 1;
      int section = table.u16(block);
      int count = table.u16(block + 2);
      if (count > most - rows.size()) {
        throw new DamagedInput(
            table.name(), table.base() + block, "more lines than fit into the table");
      }
      List<LineRow> own = new ArrayList<>(count);
      for (int k = 0; k < count; k++) {
        int line = table.u16(block + 4 + 4 * count + 2 * k);
        own.add(new LineRow(section, table.u32(block + 4 + 4 * k), 0, name, line, line, 0, true));
      }
      own.sort(Comparator.comparingLong(LineRow::offset));
      rows.addAll(C13Lines.withLengths(own, end));
    }
  }

  /** All rows by address. */
  public List<LineRow> rows() {
    return rows;
  }

  /** The row of an address; empty if it has none. */
  public Optional<LineRow> row(int section, long offset) {
    Optional<LineRow> found = Optional.empty();
    for (LineRow row : rows) {
      if (row.section() == section && row.contains(offset)) {
        found = Optional.of(row);
      }
    }
    return found;
  }

  /** The row of the start of a function: the first of those that begin there. */
  public Optional<LineRow> startRow(int section, long offset) {
    List<LineRow> own = rows.stream().filter(row -> row.section() == section).toList();
    return C13Lines.firstAt(own, offset).or(() -> row(section, offset));
  }

  /** The name of a file as a row names it. */
  public String file(long file) {
    int at = (int) file;
    return table.utf8z(at, Math.min(table.length(), at + MOST_NAME));
  }
}
