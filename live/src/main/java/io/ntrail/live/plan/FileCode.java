package io.ntrail.live.plan;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.fixups.Relocations;
import java.util.Optional;

/**
 * Code of a module according to its file, at the base where the module was loaded. Differences in
 * memory are patches: by an anti-virus, another tracer, the program itself.
 *
 * <p>Bytes of the file are looked at where they are requested, and nowhere else. On Windows the
 * loader changes calls and jumps through import slots as well (dynamic relocations); such
 * instructions are never part of what is moved or overwritten.
 */
public final class FileCode {
  /** Size of the largest value that a relocation changes. */
  private static final int WIDEST = 8;

  private static final int PAGE = 0x1000;

  private final PeImage stored;
  private final Relocations relocations;
  private final long delta;
  private final long[] changed;

  private FileCode(PeImage stored, Relocations relocations, long delta, long[] changed) {
    this.stored = stored;
    this.relocations = relocations;
    this.delta = delta;
    this.changed = changed;
  }

  /**
   * Reads the code of a file, which must stay open.
   *
   * @param stored the file
   * @param base where it is loaded
   */
  public static FileCode of(PeImage stored, long base) {
    long delta = base - stored.headers().imageBase();
    Relocations relocations = Relocations.of(stored);
    Places places = new Places();
    if (delta != 0) {
      relocations.forEach((rva, _, _) -> {
        if (places.isCode(stored, rva)) {
          places.add(rva);
        }
      });
    }
    return new FileCode(stored, relocations, delta, places.sorted());
  }

  /**
   * Returns the addresses in code that relocations change: few in 64-bit code, millions in data.
   */
  private static final class Places {
    private final LongList places = new LongList();
    private long page = -1;
    private boolean code;

    private boolean isCode(PeImage image, long rva) {
      if (rva / PAGE != page) {
        page = rva / PAGE;
        code = image.isExecutable(rva);
      }
      return code;
    }

    private void add(long rva) {
      places.add(rva);
    }

    private long[] sorted() {
      places.sort();
      return places.toArray();
    }
  }

  /** Returns the bytes that memory should have; empty if the file does not have them. */
  Optional<byte[]> bytes(long rva, int length) {
    if (rva < 0 || !stored.view().has(rva, length)) {
      return Optional.empty();
    }
    try {
      int first = Search.ceiling(changed, changed.length, rva - WIDEST + 1);
      boolean moves = first < changed.length && changed[first] < rva + length;
      return Optional.of(
          moves
              ? relocations.relocated(rva, length, delta).bytes().array(0, length)
              : stored.view().bytes(rva, length).array(0, length));
    } catch (DamagedInput e) {
      return Optional.empty();
    }
  }
}
