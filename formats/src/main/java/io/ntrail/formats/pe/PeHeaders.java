package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.DataDirectory.Range;
import java.util.List;

/**
 * Headers of an image: IMAGE_FILE_HEADER and IMAGE_OPTIONAL_HEADER, as stored. PE32 and PE32+
 * differ in the width of five fields; here all are wide.
 *
 * @param peOffset e_lfanew: offset of the signature; in an image in memory its RVA
 * @param optionalSize SizeOfOptionalHeader: decides where the section table starts
 * @param magic 10B PE32, 20B PE32+
 * @param baseOfData only PE32 has it, else 0
 * @param directories 16, of which those that the header is too short for are {@link Range#NONE}
 */
public record PeHeaders(
    long peOffset,
    int machine,
    int sectionCount,
    long timestamp,
    long symbolTableOffset,
    long symbolCount,
    int optionalSize,
    int characteristics,
    int magic,
    int linkerMajor,
    int linkerMinor,
    long sizeOfCode,
    long sizeOfInitializedData,
    long sizeOfUninitializedData,
    long entryPoint,
    long baseOfCode,
    long baseOfData,
    long imageBase,
    long sectionAlignment,
    long fileAlignment,
    int osMajor,
    int osMinor,
    int imageMajor,
    int imageMinor,
    int subsystemMajor,
    int subsystemMinor,
    long win32Version,
    long sizeOfImage,
    long sizeOfHeaders,
    long checksum,
    int subsystem,
    int dllCharacteristics,
    long stackReserve,
    long stackCommit,
    long heapReserve,
    long heapCommit,
    long loaderFlags,
    long directoryCount,
    List<Range> directories) {
  /** IMAGE_FILE_RELOCS_STRIPPED. */
  public static final int RELOCS_STRIPPED = 0x1;

  /** IMAGE_FILE_DLL. */
  public static final int DLL = 0x2000;

  /** IMAGE_FILE_SYSTEM. */
  public static final int SYSTEM = 0x1000;

  /** IMAGE_DLLCHARACTERISTICS_HIGH_ENTROPY_VA. */
  public static final int HIGH_ENTROPY_VA = 0x20;

  /** IMAGE_DLLCHARACTERISTICS_DYNAMIC_BASE. */
  public static final int DYNAMIC_BASE = 0x40;

  /** IMAGE_DLLCHARACTERISTICS_FORCE_INTEGRITY. */
  public static final int FORCE_INTEGRITY = 0x80;

  /** IMAGE_DLLCHARACTERISTICS_NX_COMPAT. */
  public static final int NX_COMPAT = 0x100;

  /** IMAGE_DLLCHARACTERISTICS_NO_SEH. */
  public static final int NO_SEH = 0x400;

  /** IMAGE_DLLCHARACTERISTICS_WDM_DRIVER. */
  public static final int WDM_DRIVER = 0x2000;

  /** IMAGE_DLLCHARACTERISTICS_GUARD_CF. */
  public static final int GUARD_CF = 0x4000;

  public static final int PE32 = 0x10B;
  public static final int PE32_PLUS = 0x20B;

  /** Bytes of the signature and the file header, before the optional header. */
  public static final int FILE_HEADER = 24;

  private static final int SECTION = 40;

  /** Signatures of older kinds of programs in place of PE's. */
  private static final int NE = 0x454E;

  private static final int LE = 0x454C;
  private static final int LX = 0x584C;

  /**
   * Returns whether they are of the build that others are of, which may be loaded elsewhere: builds
   * that can be repeated have no time, or one that is a hash.
   */
  public boolean isSameBuild(PeHeaders other) {
    return timestamp == other.timestamp
        && sizeOfImage == other.sizeOfImage
        && checksum == other.checksum;
  }

  /**
   * Reads the headers.
   *
   * @param start the start of the input, as much of it as a window can hold
   * @throws CannotGoOn if it is not a PE image, with what it is instead
   */
  static PeHeaders read(Bytes start) {
    String name = start.name();
    if (!start.has(0, 2) || start.u16(0) != 0x5A4D) {
      throw notPe(name, "it does not start with MZ");
    }
    if (!start.has(0x3C, 4)) {
      throw notPe(name, "it ends inside the MZ header, after " + start.length() + " bytes");
    }
    long at = start.u32(0x3C);
    if (at + 4 > start.length()) {
      throw notPe(
          name,
          "its MZ header points to offset 0x"
              + Long.toHexString(at)
              + ", past the end of the file");
    }
    int pe = (int) at;
    if (start.i32(pe) != 0x4550) {
      throw notPe(name, instead(start.u16(pe)));
    }
    if (!start.has(pe, FILE_HEADER + 2)) {
      throw notPe(name, "it ends inside the PE headers, after " + start.length() + " bytes");
    }
    int optional = pe + FILE_HEADER;
    int magic = start.u16(optional);
    if (magic != PE32 && magic != PE32_PLUS) {
      throw notPe(
          name, "its optional header has the magic 0x" + Integer.toHexString(magic) + ", not PE32");
    }
    // Up to the directories; what a short header does not have reads as what follows, as for the
    // loader.
    if (!start.has(optional, magic == PE32 ? 96 : 112)) {
      throw notPe(name, "it ends inside the PE headers, after " + start.length() + " bytes");
    }
    return fields(start, pe, magic == PE32_PLUS);
  }

  private static PeHeaders fields(Bytes start, int pe, boolean wide) {
    int file = pe + 4;
    int optional = pe + FILE_HEADER;
    int word = wide ? 8 : 4;
    int stack = optional + 72;
    int last = stack + 4 * word;
    long count = start.u32(last + 4);
    return new PeHeaders(
        pe,
        start.u16(file),
        start.u16(file + 2),
        start.u32(file + 4),
        start.u32(file + 8),
        start.u32(file + 12),
        start.u16(file + 16),
        start.u16(file + 18),
        start.u16(optional),
        start.u8(optional + 2),
        start.u8(optional + 3),
        start.u32(optional + 4),
        start.u32(optional + 8),
        start.u32(optional + 12),
        start.u32(optional + 16),
        start.u32(optional + 20),
        wide ? 0 : start.u32(optional + 24),
        wide ? start.i64(optional + 24) : start.u32(optional + 28),
        start.u32(optional + 32),
        start.u32(optional + 36),
        start.u16(optional + 40),
        start.u16(optional + 42),
        start.u16(optional + 44),
        start.u16(optional + 46),
        start.u16(optional + 48),
        start.u16(optional + 50),
        start.u32(optional + 52),
        start.u32(optional + 56),
        start.u32(optional + 60),
        start.u32(optional + 64),
        start.u16(optional + 68),
        start.u16(optional + 70),
        start.pointer(stack, word),
        start.pointer(stack + word, word),
        start.pointer(stack + 2 * word, word),
        start.pointer(stack + 3 * word, word),
        start.u32(last),
        count,
        directories(start, last + 8, count));
  }

  private static List<Range> directories(Bytes start, int at, long count) {
    Range[] directories = new Range[DataDirectory.values().length];
    for (int i = 0; i < directories.length; i++) {
      directories[i] =
          i < count && start.has(at + 8 * i, 8)
              ? new Range(start.u32(at + 8 * i), start.u32(at + 8 * i + 4))
              : Range.NONE;
    }
    return List.of(directories);
  }

  private static String instead(int word) {
    return switch (word) {
      case NE -> "it is a 16-bit program (NE)";
      case LE, LX -> "it is a linear executable (LE or LX) of OS/2 or a driver of Windows 9x";
      default -> "it is a DOS program: no PE signature follows its MZ header";
    };
  }

  private static CannotGoOn notPe(String name, String why) {
    return CannotGoOn.of(
        CannotGoOn.Reason.OTHER_KIND,
        name,
        name + " is not a PE image: " + why,
        "give an .exe, .dll, .sys or other image of 32 or 64-bit Windows");
  }

  /** Returns true if it is worth reading on: MZ, and as much of the word at 3Ch as there is. */
  static boolean beginsLikeOne(Bytes start) {
    return start.has(0, 0x3D) && start.u16(0) == 0x5A4D;
  }

  /** Returns the end of the fixed part of the headers, in a file an offset. */
  public long end() {
    return peOffset + FILE_HEADER + (isWide() ? 112 : 96);
  }

  /** Returns the offset of the section table. */
  long sectionTable() {
    return peOffset + FILE_HEADER + optionalSize;
  }

  /** Row {@code number} (from 1) of the section table. */
  static Section section(Bytes table, int number) {
    int at = (number - 1) * SECTION;
    return new Section(
        number,
        table.utf8z(at, at + 8),
        table.u32(at + 8),
        table.u32(at + 12),
        table.u32(at + 16),
        table.u32(at + 20),
        table.u32(at + 24),
        table.u32(at + 28),
        table.u16(at + 32),
        table.u16(at + 34),
        table.i32(at + 36));
  }

  /** Returns true if it is PE32+. */
  public boolean isWide() {
    return magic == PE32_PLUS;
  }

  /** Returns the RVA, and offset in the file, of the image base. */
  public long imageBaseOffset() {
    return peOffset + FILE_HEADER + (isWide() ? 24 : 28);
  }

  /** Bytes of a pointer: 4 or 8. */
  public int pointerBytes() {
    return isWide() ? 8 : 4;
  }

  /** Returns true if all bits of an IMAGE_FILE_ flag are set. */
  public boolean is(int flag) {
    return (characteristics & flag) == flag;
  }

  /** Returns true if all bits of an IMAGE_DLLCHARACTERISTICS_ flag are set. */
  public boolean isDll(int flag) {
    return (dllCharacteristics & flag) == flag;
  }

  /** A directory as the header has it. */
  public Range directory(DataDirectory directory) {
    return directories.get(directory.ordinal());
  }
}
