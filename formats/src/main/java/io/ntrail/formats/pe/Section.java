package io.ntrail.formats.pe;

/**
 * A row of the section table (IMAGE_SECTION_HEADER), as it is stored.
 *
 * @param number its place in the table, from 1, as symbols and tables count them
 * @param name at most 8 characters; {@code /123} is an offset into the string table of COFF symbols
 * @param virtualSize bytes in memory before rounding; 0: as many as are stored
 * @param rva VirtualAddress
 * @param rawSize SizeOfRawData
 * @param rawOffset PointerToRawData, before the loader rounds it
 * @param characteristics IMAGE_SCN_ flags
 */
public record Section(
    int number,
    String name,
    long virtualSize,
    long rva,
    long rawSize,
    long rawOffset,
    long relocationsOffset,
    long lineNumbersOffset,
    int relocationCount,
    int lineNumberCount,
    int characteristics) {
  /** IMAGE_SCN_CNT_CODE. */
  public static final int CODE = 0x20;

  /** IMAGE_SCN_MEM_DISCARDABLE. */
  public static final int DISCARDABLE = 0x0200_0000;

  /** IMAGE_SCN_MEM_SHARED. */
  public static final int SHARED = 0x1000_0000;

  /** IMAGE_SCN_MEM_EXECUTE. */
  public static final int EXECUTE = 0x2000_0000;

  /** IMAGE_SCN_MEM_READ. */
  public static final int READ = 0x4000_0000;

  /** IMAGE_SCN_MEM_WRITE. */
  public static final int WRITE = 0x8000_0000;

  /** Returns true if all bits of a flag are set. */
  public boolean is(int flag) {
    return (characteristics & flag) == flag;
  }

  /** Bytes in memory before rounding up to pages. */
  public long size() {
    return virtualSize == 0 ? rawSize : virtualSize;
  }

  /** Returns true if an RVA is in it, counting whole pages as the loader maps them. */
  public boolean contains(long address) {
    return address >= rva && address < end();
  }

  /** Returns the RVA past its last page. */
  public long end() {
    return rva + (size() + 0xFFF & ~0xFFFL);
  }
}
