package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A row of the section table as the PDB keeps it (IMAGE_SECTION_HEADER), so that addresses can be
 * told without the image.
 *
 * @param number from 1, as symbols count
 * @param rva where it is mapped
 * @param size bytes in memory
 * @param characteristics IMAGE_SCN_ flags
 */
public record PdbSection(int number, String name, long rva, long size, int characteristics) {
  private static final int SIZE = 40;
  private static final int MOST = 0xFFFF;

  /** All rows of a stream. */
  static List<PdbSection> read(MsfStream stream) {
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
    return List.copyOf(sections);
  }

  /** Whether code can run in it. */
  public boolean isExecutable() {
    return (characteristics & 0x2000_0000) != 0;
  }
}
