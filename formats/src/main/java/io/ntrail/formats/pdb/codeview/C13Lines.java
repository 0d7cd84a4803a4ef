package io.ntrail.formats.pdb.codeview;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.LongLongMap;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The lines of a module since Visual C++ 8: subsections of {@code u32 kind}, {@code u32 size} and
 * data, padded to 4 bytes (CV_DebugSSubsectionHeader_t of cvinfo.h). Only their heads are read
 * first; the lines of one address cost one subsection.
 */
public final class C13Lines {
  private static final int LINES = 0xF2;
  private static final int CHECKSUMS = 0xF4;
  private static final int INLINEES = 0xF6;
  private static final int IMPORTS = 0xF7;
  private static final int EXPORTS = 0xF8;
  private static final int HEAD = 8;
  private static final int LINES_HEAD = 12;
  private static final int BLOCK_HEAD = 12;
  private static final int COLUMNS = 1;

  /** Lines of a stretch of code. */
  private record Covered(int section, long offset, long size, long at, int length) {
    static final Comparator<Covered> BY_ADDRESS =
        (a, b) ->
            a.section != b.section
                ? Integer.compare(a.section, b.section)
                : Long.compare(a.offset, b.offset);
  }

  private static final Comparator<LineRow> BY_OFFSET =
      (a, b) -> Long.compare(a.offset(), b.offset());

  private record Part(long at, int length) {}

  /**
   * Source position of the declaration of a function that was inlined somewhere.
   *
   * @param item of the IPI stream
   * @param file as in {@link LineRow#file}
   */
  public record Inlinee(long item, long file, int line) {}

  /**
   * A source file.
   *
   * @param name offset in the PDB's table of names
   * @param hashKind 0 none, 1 MD5, 2 SHA-1, 3 SHA-256
   * @param hash in hexadecimal digits; empty if there is none
   */
  public record SourceFile(long name, int hashKind, String hash) {}

  private final MsfStream stream;
  private final List<Covered> covered = new ArrayList<>();
  private final List<Part> checksums = new ArrayList<>();
  private final Map<Long, Inlinee> inlinees = new HashMap<>();
  private final LongLongMap exports = new LongLongMap();
  private final List<Part> imports = new ArrayList<>();
  private long furthest;

  private C13Lines(MsfStream stream) {
    this.stream = stream;
  }

  /**
   * Reads the heads of the subsections.
   *
   * @param stream the part of a module's stream that has them
   * @throws DamagedInput if a subsection is none or runs past the end
   */
  public static C13Lines read(MsfStream stream) {
    C13Lines lines = new C13Lines(stream);
    long at = 0;
    while (stream.has(at, HEAD)) {
      Bytes head = stream.window(at, HEAD);
      long size = head.u32(4);
      at += HEAD;
      if (!stream.has(at, size) || size > Integer.MAX_VALUE) {
        throw new DamagedInput(
            stream.name(),
            stream.fileOffset(at),
            "a subsection of %d bytes, but only %d are left".formatted(size, stream.length() - at));
      }
      if (head.i32(0) == 0) {
        throw new DamagedInput(stream.name(), head.base(), "a subsection of lines of kind 0");
      }
      // The highest bit says that a subsection is to be ignored, which the kinds below have not.
      lines.subsection(head.i32(0), at, (int) size);
      at += size + 3 & ~3L;
    }
    lines.covered.sort(Covered.BY_ADDRESS);
    return lines;
  }

  private void subsection(int kind, long at, int length) {
    switch (kind) {
      case LINES -> {
        if (length >= LINES_HEAD) {
          Bytes head = stream.window(at, LINES_HEAD);
          Covered c = new Covered(head.u16(4), head.u32(0), head.u32(8), at, length);
          covered.add(c);
          furthest = Math.max(furthest, c.size);
        }
      }
      case CHECKSUMS -> checksums.add(new Part(at, length));
      case INLINEES -> inlinees(stream.window(at, length));
      case IMPORTS -> imports.add(new Part(at, length));
      case EXPORTS -> {
        Bytes pairs = stream.window(at, length);
        for (int i = 0; pairs.has(i, 8); i += 8) {
          if (!exports.containsKey(pairs.u32(i))) {
            exports.put(pairs.u32(i), pairs.u32(i + 4));
          }
        }
      }
      default -> {
        // Symbols of objects, IL offsets and tables of managed methods: nothing that is requested.
      }
    }
  }

  private void inlinees(Bytes table) {
    boolean extra = table.length() >= 4 && table.u32(0) == 1;
    int at = 4;
    while (table.has(at, 12)) {
      Inlinee inlinee = new Inlinee(table.u32(at), table.u32(at + 4), table.i32(at + 8));
      inlinees.putIfAbsent(inlinee.item, inlinee);
      at += 12;
      if (extra && table.has(at, 4)) {
        at += (int) Math.min(table.length(), 4 + 4 * table.u32(at));
      }
    }
  }

  /** All rows of all subsections: these by address, in each the rows by address. */
  public List<LineRow> rows() {
    List<LineRow> rows = new ArrayList<>();
    for (Covered c : covered) {
      rows.addAll(rows(c));
    }
    return rows;
  }

  /** Returns true if there is a table of source files. */
  public boolean hasFiles() {
    return !checksums.isEmpty();
  }

  /** The row of an address; empty if it has none. */
  public Optional<LineRow> row(int section, long offset) {
    return row(section, offset, false);
  }

  /**
   * The row of the start of a function: of those that begin there the first one, which is where the
   * function is declared and often has no bytes; empty if it has none.
   */
  public Optional<LineRow> startRow(int section, long offset) {
    return row(section, offset, true);
  }

  private Optional<LineRow> row(int section, long offset, boolean isStart) {
    int last =
        Search.last(
            0,
            covered.size(),
            i -> {
              Covered c = covered.get(i);
              return c.section < section || c.section == section && c.offset <= offset;
            });
    Optional<LineRow> found = Optional.empty();
    long place = -1;
    for (int i = last; i >= 0; i--) {
      Covered c = covered.get(i);
      if (c.section != section
          || c.offset + furthest <= offset
          || place >= 0 && c.offset != place) {
        break;
      }
      // Functions that were folded into one have a subsection each: the first is the first one's.
      if (offset < c.offset + c.size) {
        List<LineRow> rows = rows(c);
        Optional<LineRow> row =
            (isStart ? firstAt(rows, offset) : Optional.<LineRow>empty())
                .or(() -> last(rows, offset));
        if (row.isPresent()) {
          place = c.offset;
          found = row;
        }
      }
    }
    return found;
  }

  /** Returns the first of the rows that begin at a place and are a line. */
  static Optional<LineRow> firstAt(List<LineRow> rows, long offset) {
    return rows.stream().filter(row -> row.offset() == offset && !row.isMark()).findFirst();
  }

  /** Of rows at one place the last one, which has the bytes. */
  private static Optional<LineRow> last(List<LineRow> rows, long offset) {
    for (LineRow row : rows.reversed()) {
      if (row.contains(offset)) {
        return Optional.of(row);
      }
    }
    return Optional.empty();
  }

  /** The rows of a subsection: its blocks are by file, and interleave. */
  private List<LineRow> rows(Covered c) {
    Bytes b = stream.window(c.at, c.length);
    boolean columns = (b.u16(6) & COLUMNS) != 0;
    List<LineRow> rows = new ArrayList<>();
    int at = LINES_HEAD;
    while (b.has(at, BLOCK_HEAD)) {
      long file = b.u32(at);
      long count = b.u32(at + 4);
      long size = b.u32(at + 8);
      long needed = BLOCK_HEAD + count * (columns ? 12 : 8);
      if (size < BLOCK_HEAD || size > b.length() - at || needed > size) {
        throw new DamagedInput(
            b.name(), b.base() + at, "a block of %d lines in %d bytes".formatted(count, size));
      }
      int first = at + BLOCK_HEAD;
      int column = first + 8 * (int) count;
      for (int i = 0; i < count; i++) {
        long bits = b.u32(first + 8 * i + 4);
        int line = (int) bits & 0xFF_FFFF;
        rows.add(
            new LineRow(
                c.section,
                c.offset + b.u32(first + 8 * i),
                0,
                file,
                line,
                line + (int) (bits >> 24 & 0x7F),
                columns ? b.u16(column + 4 * i) : 0,
                bits >> 31 != 0));
      }
      at += (int) size;
    }
    rows.sort(BY_OFFSET);
    return withLengths(rows, c.offset + c.size);
  }

  /** Returns the rows with lengths: a row extends to the next one, the last one to the end. */
  static List<LineRow> withLengths(List<LineRow> rows, long end) {
    List<LineRow> whole = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      LineRow row = rows.get(i);
      long next = i + 1 < rows.size() ? Math.min(end, rows.get(i + 1).offset()) : end;
      whole.add(
          new LineRow(
              row.section(),
              row.offset(),
              Math.max(0, next - row.offset()),
              row.file(),
              row.line(),
              row.endLine(),
              row.column(),
              row.isStatement()));
    }
    return whole;
  }

  /** Returns the source position of an inlined function; empty if the module does not have it. */
  public Optional<Inlinee> inlinee(long item) {
    return Optional.ofNullable(inlinees.get(item));
  }

  /** Returns all inlinees. */
  public List<Inlinee> inlinees() {
    return List.copyOf(inlinees.values());
  }

  /**
   * Returns a source file.
   *
   * @param file as in a row
   * @return empty if there is no such file
   */
  public Optional<SourceFile> file(long file) {
    for (Part part : checksums) {
      if (file >= 0 && file + 6 <= part.length) {
        Bytes entry = stream.window(part.at + file, 6);
        int size = entry.u8(4);
        String hash =
            file + 6 + size <= part.length
                ? HexFormat.of().formatHex(stream.window(part.at + file + 6, size).array(0, size))
                : "";
        return Optional.of(new SourceFile(entry.u32(0), entry.u8(5), hash));
      }
    }
    return Optional.empty();
  }

  /**
   * The target of an item with bit 31, which is an item of another module: link-time code
   * generation inlines across modules.
   *
   * @param module offset of the other module's name in the PDB's table of names
   * @param item its number there, to look up among that module's exports
   */
  public record Import(long module, long item) {}

  /** Returns the import of an item with bit 31. */
  public Optional<Import> imported(long item) {
    int which = (int) (item >> 20 & 0x7FF);
    long number = item & 0xF_FFFF;
    for (Part part : imports) {
      Bytes table = stream.window(part.at, part.length);
      int index = 0;
      int at = 0;
      while (table.has(at, 8)) {
        long count = table.u32(at + 4);
        if (count > (table.length() - at - 8) / 4) {
          break;
        }
        if (index++ == which && number < count) {
          return Optional.of(new Import(table.u32(at), table.u32(at + 8 + 4 * (int) number)));
        }
        at += 8 + 4 * (int) count;
      }
    }
    return Optional.empty();
  }

  /** The item that a module exports under a number. */
  public Optional<Long> exported(long item) {
    return exports.containsKey(item) ? Optional.of(exports.get(item)) : Optional.empty();
  }
}
