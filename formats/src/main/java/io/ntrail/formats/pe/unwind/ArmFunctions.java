package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.ArmUnwind.Described;
import io.ntrail.formats.pe.unwind.ArmUnwind.Packed;
import io.ntrail.formats.pe.unwind.ArmUnwind.PackedThumb;
import io.ntrail.formats.pe.unwind.ArmUnwind.Unreadable;
import java.util.ArrayList;
import java.util.List;

/**
 * The exception directory of an ARM or ARM64 image: entries of eight bytes, the RVA of a function
 * and a word whose low two bits are its kind: 0 the RVA of a record, 1 packed data, 2 packed data
 * of a function fragment.
 *
 * <p>Images with ARM64 code for x64 programs (ARM64EC) have the machine of x64 and a {@link
 * FunctionTable} there; the table for their ARM64 code is a range given by their load
 * configuration.
 */
public final class ArmFunctions {
  private static final int ENTRY = 8;

  /** Bound of the number of entries; the rest is a gap. */
  private static final int MOST = 1 << 20;

  private static final String WHAT = "function table";

  /**
   * One entry.
   *
   * @param rva RVA of the entry
   * @param begin the first byte of code
   * @param unwind its unwind data
   */
  public record Entry(long rva, long begin, ArmUnwind unwind) {
    /** Returns true if an address is in its range. */
    public boolean contains(long address) {
      return address >= begin && address < begin + unwind.length();
    }
  }

  private ArmFunctions() {}

  /** The entries of an image in the order of its table; none if it is for another processor. */
  public static List<Entry> of(PeImage image) {
    int machine = image.headers().machine();
    Range range = image.directory(DataDirectory.EXCEPTION);
    boolean arm = machine == MachineType.ARM64 || machine == MachineType.ARMNT;
    return arm && range.isPresent() ? of(image, range, machine == MachineType.ARMNT) : List.of();
  }

  /**
   * The entries of a table that something else than the directory names.
   *
   * @param thumb whether it is for 32-bit ARM, else for ARM64
   */
  public static List<Entry> of(PeImage image, Range range, boolean thumb) {
    ImageView view = image.view();
    long stored = range.size() / ENTRY;
    long count = Math.min(Math.min(stored, MOST), view.available(range.rva()) / ENTRY);
    if (count < stored) {
      image.gap(
          range.rva() + count * ENTRY,
          -1,
          WHAT,
          "has " + stored + " entries, of which " + count + " can be read");
    }
    List<Entry> entries = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      long at = range.rva() + i * ENTRY;
      long begin = view.u32(at);
      long word = view.u32(at + 4);
      if ((begin | word) != 0) {
        entries.add(new Entry(at, thumb ? begin & ~1L : begin, unwind(view, word, thumb)));
      }
    }
    return List.copyOf(entries);
  }

  private static ArmUnwind unwind(ImageView view, long word, boolean thumb) {
    int kind = (int) word & 3;
    return switch (kind) {
      case 0 -> record(view, word, thumb);
      case 1, 2 -> thumb ? packedThumb((int) word) : packed((int) word);
      default -> new Unreadable(word, "unknown kind 3");
    };
  }

  private static Packed packed(int word) {
    return new Packed(
        4L * bits(word, 2, 11),
        (word & 3) == 2,
        bits(word, 13, 3),
        bits(word, 16, 4),
        bits(word, 20, 1) != 0,
        bits(word, 21, 2),
        16 * bits(word, 23, 9));
  }

  private static PackedThumb packedThumb(int word) {
    return new PackedThumb(
        2L * bits(word, 2, 11),
        (word & 3) == 2,
        bits(word, 13, 2),
        bits(word, 15, 1) != 0,
        bits(word, 16, 3),
        bits(word, 19, 1) != 0,
        bits(word, 20, 1) != 0,
        bits(word, 21, 1) != 0,
        bits(word, 22, 10));
  }

  private static ArmUnwind record(ImageView view, long rva, boolean thumb) {
    try {
      return described(view, rva, thumb);
    } catch (DamagedInput e) {
      return new Unreadable(rva, e.what());
    }
  }

  private static Described described(ImageView view, long rva, boolean thumb) {
    int header = view.i32(rva);
    int epilogs = thumb ? bits(header, 23, 5) : bits(header, 22, 5);
    int words = thumb ? bits(header, 28, 4) : bits(header, 27, 5);
    long at = rva + 4;
    if (epilogs == 0 && words == 0) {
      int more = view.i32(at);
      epilogs = bits(more, 0, 16);
      words = bits(more, 16, 8);
      at += 4;
    }
    boolean single = bits(header, 21, 1) != 0;
    long codes = at + (single ? 0 : 4L * epilogs);
    boolean handled = bits(header, 20, 1) != 0;
    long behind = codes + 4L * words;
    long handler = handled ? view.u32(behind) : 0;
    return new Described(
        rva,
        (thumb ? 2L : 4L) * bits(header, 0, 18),
        bits(header, 18, 2),
        thumb && bits(header, 22, 1) != 0,
        single,
        epilogs,
        words,
        codes,
        handler & (thumb ? ~1L : ~0L),
        handled ? behind + 4 : 0);
  }

  private static int bits(int word, int from, int count) {
    return word >>> from & (1 << count) - 1;
  }
}
