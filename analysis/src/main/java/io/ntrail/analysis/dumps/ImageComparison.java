package io.ntrail.analysis.dumps;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.formats.pe.fixups.Relocations;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Bytes of a module that differ between memory and file: hot patches, breakpoints, hooks, damage.
 * The file is relocated to where the module was. Not compared is what is meant to differ: sections
 * that the program can write, import address tables, pointers of Control Flow Guard, and in the
 * header the image base.
 *
 * @param differences by address
 * @param compared number of bytes that were compared
 * @param notSaved number of bytes that the file has and the dump does not
 * @param aside number of saved bytes that were not compared
 * @param leftOut number of differences beyond those that are listed
 */
public record ImageComparison(
    List<Difference> differences, long compared, long notSaved, long aside, long leftOut) {
  /** Differences that are listed. */
  public static final int MOST = 10_000;

  private static final int PAGE = 0x1000;

  /** Bytes of a difference that are kept. */
  private static final int MOST_BYTES = 64;

  /** Equal bytes between two differences that belong together. */
  private static final int JOINED = 3;

  /** Copies the list. */
  public ImageComparison {
    differences = List.copyOf(differences);
  }

  /**
   * A stretch that differs.
   *
   * @param rva its start
   * @param length bytes; a few equal ones may be among them
   * @param section name of its section; empty in the header
   * @param memory its bytes in the dump, at most 64 of them
   * @param file its bytes in the file, relocated
   */
  public record Difference(long rva, long length, String section, Bytes memory, Bytes file) {}

  /** Compares the saved memory of a module with a file of the same build. */
  public static ImageComparison of(DumpedModule module, PeImage file) {
    return new Comparer(module, file).run();
  }

  /** Goes through the image page by page. */
  private static final class Comparer {
    private final ImageView memory;
    private final PeImage file;
    private final Relocations relocations;
    private final long delta;
    private final LoaderTables tables;
    private final List<Difference> differences = new ArrayList<>();
    private long compared;
    private long notSaved;
    private long aside;
    private long leftOut;

    /** Start and last differing byte of the open difference; -1: there is none. */
    private long open = -1;

    private long openLast;

    Comparer(DumpedModule module, PeImage file) {
      this.memory = module.savedView();
      this.file = file;
      this.relocations = Relocations.of(file);
      this.delta = module.base() - file.headers().imageBase();
      this.tables = LoaderTables.of(file);
    }

    ImageComparison run() {
      // Where one piece of either ends, so does what can be compared at once.
      TreeSet<Long> borders = new TreeSet<>();
      for (ImageView.Extent extent : file.view().extents()) {
        borders.add(extent.rva());
        borders.add(extent.end());
      }
      for (ImageView.Extent extent : memory.extents()) {
        borders.add(extent.rva());
        borders.add(extent.end());
      }
      long begin = -1;
      for (long end : borders) {
        if (begin >= 0) {
          compare(begin, end);
        }
        begin = end;
      }
      return new ImageComparison(differences, compared, notSaved, aside, leftOut);
    }

    private void compare(long begin, long end) {
      long at = begin;
      while (at < end) {
        long next = Math.min(end, at / PAGE * PAGE + PAGE);
        boolean isInFile = file.view().has(at, next - at);
        if (isInFile && !memory.has(at, next - at)) {
          notSaved += next - at;
        } else if (isInFile && isWritable(at)) {
          aside += next - at;
        } else if (isInFile) {
          page(at, (int) (next - at));
        }
        close();
        at = next;
      }
    }

    private boolean isWritable(long rva) {
      return file.section(rva).map(section -> section.is(Section.WRITE)).orElse(false);
    }

    private void page(long rva, int length) {
      Bytes inMemory = memory.bytes(rva, length);
      Bytes inFile;
      try {
        inFile = relocations.relocated(rva, length, delta).bytes();
      } catch (DamagedInput e) {
        aside += length;
        return;
      }
      for (int i = 0; i < length; i++) {
        if (tables.contain(rva + i)) {
          aside++;
          close();
          continue;
        }
        compared++;
        if (inMemory.u8(i) != inFile.u8(i)) {
          if (open >= 0 && rva + i - openLast > JOINED + 1) {
            close();
          }
          open = open < 0 ? rva + i : open;
          openLast = rva + i;
        }
      }
    }

    private void close() {
      if (open < 0) {
        return;
      }
      if (differences.size() < MOST) {
        int shown = (int) Math.min(MOST_BYTES, openLast - open + 1);
        differences.add(
            new Difference(
                open,
                openLast - open + 1,
                file.section(open).map(file::sectionName).orElse(""),
                memory.bytes(open, shown),
                relocations.relocated(open, shown, delta).bytes()));
      } else {
        leftOut++;
      }
      open = -1;
    }
  }
}
