package io.ntrail.formats.elf;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One ELF file of a little-endian machine: its segments, and on demand its symbols. May be used by
 * several threads while the input is open.
 */
public final class ElfImage {
  private static final int MAGIC = 0x464C_457F;
  private static final int CLASS_32 = 1;
  private static final int CLASS_64 = 2;
  private static final int LITTLE_ENDIAN = 1;
  private static final int PT_LOAD = 1;
  private static final int SHT_SYMTAB = 2;
  private static final int SHT_DYNSYM = 11;
  private static final int STT_FUNC = 2;
  private static final int STT_GNU_IFUNC = 10;
  private static final int SHN_UNDEF = 0;

  /** From here on a section's number has a meaning of its own: no address, or a common one. */
  private static final int SHN_LORESERVE = 0xFF00;

  private static final int HEADER_32 = 52;
  private static final int HEADER_64 = 64;

  /** Bytes of a name at most: longer ones are cut. */
  private static final int LONGEST_NAME = 4096;

  private final InputFile input;
  private final boolean isWide;
  private final List<ElfSegment> segments;

  private ElfImage(InputFile input) {
    this.input = input;
    Bytes start = input.window(0, (int) Math.min(input.size(), HEADER_64));
    int fileClass = start.u8(4);
    if ((fileClass != CLASS_32 && fileClass != CLASS_64) || start.u8(5) != LITTLE_ENDIAN) {
      throw new DamagedInput(input.name(), 4, "an ELF file of a kind that is not read");
    }
    this.isWide = fileClass == CLASS_64;
    if (start.length() < (isWide ? HEADER_64 : HEADER_32)) {
      throw new DamagedInput(input.name(), start.length(), "the ELF header is cut");
    }
    this.segments = readSegments(start);
  }

  /** Returns true if the first bytes are those of an ELF file. */
  public static boolean looksLikeElf(InputFile input) {
    return input.size() >= HEADER_32 && input.window(0, Integer.BYTES).i32(0) == MAGIC;
  }

  /**
   * Reads the headers.
   *
   * @throws DamagedInput if they are damaged, or not those of an ELF file that is read
   */
  public static ElfImage of(InputFile input) {
    if (!looksLikeElf(input)) {
      throw new DamagedInput(input.name(), 0, "not an ELF file");
    }
    return new ElfImage(input);
  }

  private long address(Bytes bytes, int at) {
    return isWide ? bytes.i64(at) : bytes.u32(at);
  }

  /** Returns a window on a table, none of whose entries is outside of the file. */
  private Bytes table(long offset, long entries, int size, String what) {
    long length = entries * size;
    if (offset < 0 || length > Integer.MAX_VALUE || offset > input.size() - length) {
      throw new DamagedInput(input.name(), Math.max(0, offset), what + " is outside of the file");
    }
    return input.window(offset, (int) length);
  }

  private List<ElfSegment> readSegments(Bytes header) {
    int size = isWide ? 56 : 32;
    long offset = address(header, isWide ? 32 : 28);
    int stored = header.u16(isWide ? 54 : 42);
    int entries = header.u16(isWide ? 56 : 44);
    if (entries > 0 && stored != size) {
      throw new DamagedInput(input.name(), isWide ? 54 : 42, "program headers of another size");
    }
    Bytes table = table(offset, entries, size, "the table of program headers");
    List<ElfSegment> found = new ArrayList<>();
    for (int at = 0; at < table.length(); at += size) {
      if (table.i32(at) == PT_LOAD) {
        ElfSegment segment =
            isWide
                ? new ElfSegment(
                    table.i64(at + 16),
                    table.i64(at + 40),
                    table.i64(at + 8),
                    table.i64(at + 32),
                    table.i32(at + 4))
                : new ElfSegment(
                    table.u32(at + 8),
                    table.u32(at + 20),
                    table.u32(at + 4),
                    table.u32(at + 16),
                    table.i32(at + 24));
        if (segment.memorySize() > 0) {
          found.add(clipped(segment));
        }
      }
    }
    found.sort(Comparator.comparingLong(segment -> segment.address() ^ Long.MIN_VALUE));
    return List.copyOf(found);
  }

  /** Returns a segment with what of it is in the file. */
  private ElfSegment clipped(ElfSegment segment) {
    long left = segment.offset() < 0 ? 0 : Math.max(0, input.size() - segment.offset());
    long stored = Math.clamp(segment.fileSize(), 0, Math.min(left, segment.memorySize()));
    return new ElfSegment(
        segment.address(), segment.memorySize(), segment.offset(), stored, segment.flags());
  }

  /** Returns the name of the input. */
  public String name() {
    return input.name();
  }

  /** Returns true for a file of 64-bit programs. */
  public boolean isWide() {
    return isWide;
  }

  /** Returns what is mapped, by address. */
  public List<ElfSegment> segments() {
    return segments;
  }

  /** Returns the lowest address that the linker gave; 0 if nothing is mapped. */
  public long lowest() {
    return segments.isEmpty() ? 0 : segments.getFirst().address();
  }

  /** Returns bytes of the file. */
  public Bytes bytes(long offset, int length) {
    return input.window(offset, length);
  }

  /**
   * Returns the defined symbols that have a name, in the order of the tables.
   *
   * @throws DamagedInput if a table is outside of the file
   */
  public List<ElfSymbol> symbols() {
    Bytes header = input.window(0, isWide ? HEADER_64 : HEADER_32);
    int size = isWide ? 64 : 40;
    long offset = address(header, isWide ? 40 : 32);
    int entries = header.u16(isWide ? 60 : 48);
    if (offset == 0 || header.u16(isWide ? 58 : 46) != size) {
      return List.of();
    }
    Bytes sections = table(offset, entries, size, "the table of sections");
    List<ElfSymbol> symbols = new ArrayList<>();
    for (int at = 0; at < sections.length(); at += size) {
      int type = sections.i32(at + 4);
      int names = sections.i32(at + (isWide ? 40 : 24));
      if ((type == SHT_SYMTAB || type == SHT_DYNSYM) && names >= 0 && names < entries) {
        read(part(sections, at), part(sections, names * size), symbols);
      }
    }
    return symbols;
  }

  /** Returns the bytes of a section. */
  private Bytes part(Bytes sections, int at) {
    long offset = address(sections, at + (isWide ? 24 : 16));
    long length = address(sections, at + (isWide ? 32 : 20));
    return table(offset, length < 0 ? Long.MAX_VALUE : length, 1, "a section of symbols");
  }

  private void read(Bytes table, Bytes names, List<ElfSymbol> into) {
    int size = isWide ? 24 : 16;
    for (int at = 0; at + size <= table.length(); at += size) {
      int name = table.i32(at);
      int info = table.u8(at + (isWide ? 4 : 12));
      int section = table.u16(at + (isWide ? 6 : 14));
      int type = info & 15;
      boolean isAddress =
          section != SHN_UNDEF
              && section < SHN_LORESERVE
              && (type <= STT_FUNC || type == STT_GNU_IFUNC);
      if (name > 0 && name < names.length() && isAddress) {
        int end = Math.min(names.length(), name + LONGEST_NAME);
        into.add(
            new ElfSymbol(
                names.utf8z(name, end),
                address(table, at + (isWide ? 8 : 4)),
                address(table, at + (isWide ? 16 : 8)),
                type >= STT_FUNC));
      }
    }
  }
}
