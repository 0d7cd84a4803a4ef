package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.List;

/**
 * An entry of the section table that the PDB keeps (IMAGE_SECTION_HEADER), for addresses without
 * the image.
 *
 * @param number from 1, as symbols count
 * @param rva its address
 * @param size bytes in memory
 * @param characteristics IMAGE_SCN_ flags
 */
public record PdbSection(int number, String name, long rva, long size, int characteristics) {
  private static final int SIZE = 40;
  private static final int MOST = 0xFFFF;
  private static final int MAP_HEADER = 4;
  private static final int MAP_ENTRY = 20;
  private static final int PAGE = 0x1000;
  private static final int EXECUTE = 4;
  private static final long LAST_ADDRESS = 0x1_0000_0000L;

  /** An address in no section: SECDESC of dbicommon.h. */
  private static final int ABSOLUTE = 0x200;

  /**
   * All rows of a stream.
   *
   * @throws DamagedInput if no image has such a table: one wrong row gives wrong addresses, and
   *     which one it is remains unknown
   */
  static List<PdbSection> read(MsfStream stream) {
    if (stream.length() % SIZE != 0) {
      throw new DamagedInput(
          stream.name(), stream.fileOffset(0), "a section table of " + stream.length() + " bytes");
    }
    int count = (int) Math.min(MOST, stream.length() / SIZE);
    Bytes bytes = stream.window(0, count * SIZE);
    List<PdbSection> sections = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int at = i * SIZE;
      sections.add(
          new PdbSection(
              i + 1,
              bytes.utf8z(at, at + 8),
              bytes.u32(at + 12),
              bytes.u32(at + 8),
              bytes.i32(at + 36)));
    }
    refuseOthers(stream, sections);
    return List.copyOf(sections);
  }

  /**
   * Refuses sections that do not lie one after the other. An address of 0 has only the one section
   * of a PDB whose offsets count from the start of the image.
   */
  private static void refuseOthers(MsfStream stream, List<PdbSection> sections) {
    long end = 0;
    for (PdbSection section : sections) {
      long next = section.rva + Math.max(1, section.size);
      boolean isNowhere = section.rva == 0 && section.size == 0;
      if (section.rva < end || isNowhere || next > LAST_ADDRESS) {
        throw new DamagedInput(
            stream.name(),
            stream.fileOffset((long) (section.number - 1) * SIZE),
            "section %d at %Xh with %Xh bytes, after one that ends at %Xh"
                .formatted(section.number, section.rva, section.size, end));
      }
      end = next;
    }
  }

  /**
   * Returns the sections of an image whose PDB lacks the section table, as with NGEN: the section
   * map has their sizes, and such images have them one after the other, each on the next page.
   * {@link #imageSize} checks whether an image is laid out so.
   */
  static List<PdbSection> ofMap(MsfStream map) {
    List<PdbSection> sections = new ArrayList<>();
    long rva = PAGE;
    for (long at = MAP_HEADER; map.has(at, MAP_ENTRY); at += MAP_ENTRY) {
      Bytes entry = map.window(at, MAP_ENTRY);
      if ((entry.u16(0) & ABSOLUTE) == 0) {
        long size = entry.u32(16);
        int flags = (entry.u16(0) & EXECUTE) == 0 ? 0 : 0x2000_0000;
        sections.add(new PdbSection(sections.size() + 1, "", rva, size, flags));
        rva += size + PAGE - 1 & -PAGE;
      }
    }
    return List.copyOf(sections);
  }

  /** Returns the size in memory of an image with these sections; 0 for none. */
  public static long imageSize(List<PdbSection> sections) {
    return sections.isEmpty()
        ? 0
        : sections.getLast().rva + sections.getLast().size + PAGE - 1 & -PAGE;
  }

  /** Returns true if code can run in it. */
  public boolean isExecutable() {
    return (characteristics & 0x2000_0000) != 0;
  }
}
