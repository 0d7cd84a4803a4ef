package io.ntrail.programs.memory;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes of an image in memory that are not as in its file: breakpoints, patches, hooks, damage.
 * What a program may change is left out: sections that can be written, and the import address
 * table. Base relocations are no difference.
 *
 * @param ranges that differ, by address; at most {@link #MOST_RANGES}
 * @param differing number of all bytes that differ
 * @param compared number of bytes that were compared
 * @param missing number of bytes that the memory does not have
 */
public record ImageDifferences(
    List<Difference> ranges, long differing, long compared, long missing) {
  /** Bound of the ranges that are told one by one. */
  public static final int MOST_RANGES = 1000;

  private static final int CHUNK = 1 << 16;

  /** Equal bytes between two that differ, up to which they are told as one range. */
  private static final int NEAR = 4;

  /**
   * A range of bytes that differ.
   *
   * @param rva of the first byte
   * @param length in bytes; up to {@value #NEAR} in a row inside may be equal
   * @param section the name of its section
   */
  public record Difference(long rva, long length, String section) {}

  /** Copies the list. */
  public ImageDifferences {
    ranges = List.copyOf(ranges);
  }

  /**
   * Compares.
   *
   * @param file the image as its file has it, at its address in memory
   */
  public static ImageDifferences of(ImageSpace file, AddressSpace memory) {
    Comparison comparison = new Comparison(file, memory);
    for (Section section : file.image().sections()) {
      if (!section.is(Section.WRITE)) {
        comparison.compare(section);
      }
    }
    return new ImageDifferences(
        comparison.ranges, comparison.differing, comparison.compared, comparison.missing);
  }

  private static final class Comparison {
    private final ImageSpace file;
    private final AddressSpace memory;
    private final Range imports;
    private final List<Difference> ranges = new ArrayList<>();
    private long differing;
    private long compared;
    private long missing;
    private long begin = -1;
    private long last;

    Comparison(ImageSpace file, AddressSpace memory) {
      this.file = file;
      this.memory = memory;
      PeImage image = file.image();
      this.imports = image.directory(DataDirectory.IAT);
    }

    void compare(Section section) {
      String name = file.image().sectionName(section);
      // Past the last stored byte both have zeros of the loader.
      long end =
          section.rva() + Math.min(section.size(), file.image().view().stored(section.rva()));
      long rva = section.rva();
      while (rva < end) {
        int most = (int) Math.min(CHUNK, end - rva);
        Bytes there = memory.readUpTo(file.base() + rva, most);
        if (there.length() == 0) {
          int gone = Math.max(1, memory.missingFrom(file.base() + rva, most));
          missing += gone;
          rva += gone;
          continue;
        }
        Bytes expected = file.readUpTo(file.base() + rva, there.length());
        if (expected.length() == 0) {
          rva += there.length();
          continue;
        }
        compare(rva, there, expected, name);
        rva += expected.length();
      }
      close(name);
    }

    private void compare(long rva, Bytes there, Bytes expected, String name) {
      compared += expected.length();
      for (int i = 0; i < expected.length(); i++) {
        boolean eight = i + 8 <= expected.length();
        if (eight && there.i64(i) == expected.i64(i)) {
          i += 7;
          continue;
        }
        if (there.u8(i) != expected.u8(i) && !isImport(rva + i)) {
          differ(rva + i, name);
        }
      }
    }

    private boolean isImport(long rva) {
      return rva >= imports.rva() && rva < imports.rva() + imports.size();
    }

    private void differ(long rva, String name) {
      differing++;
      if (begin >= 0 && rva - last > NEAR) {
        close(name);
      }
      if (begin < 0) {
        begin = rva;
      }
      last = rva;
    }

    private void close(String name) {
      if (begin >= 0 && ranges.size() < MOST_RANGES) {
        ranges.add(new Difference(begin, last + 1 - begin, name));
      }
      begin = -1;
    }
  }
}
