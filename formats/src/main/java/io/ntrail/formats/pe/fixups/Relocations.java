package io.ntrail.formats.pe.fixups;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import java.util.Locale;

/**
 * Base relocations (directory 5): the places that hold addresses, and must be changed when an image
 * is not mapped at its preferred base.
 *
 * <p>Blocks of {@code u32 page RVA, u32 size of the block in bytes, u16 entries of type << 12 |
 * offset in the page}. No entries are held: an image can have millions of them, so every use walks
 * the stored bytes again; of blocks in ascending order only those that it needs. A block of zeros
 * ends the table; one that is smaller than its own header or extends past the table is a gap, and
 * nothing after it is read.
 *
 * <p>Types 5, 7, 8 and 9 differ by machine. Source: "PE Format" of Microsoft's documentation; for
 * RISC-V and LoongArch the names of the header ntimage.h.
 */
public final class Relocations {
  /** IMAGE_REL_BASED_ABSOLUTE: does nothing, pads a block to four bytes. */
  public static final int ABSOLUTE = 0;

  /** IMAGE_REL_BASED_HIGH: the high half of the difference is added to 16 bits. */
  public static final int HIGH = 1;

  /** IMAGE_REL_BASED_LOW: the low half of the difference is added to 16 bits. */
  public static final int LOW = 2;

  /** IMAGE_REL_BASED_HIGHLOW: the difference is added to 32 bits. */
  public static final int HIGHLOW = 3;

  /** IMAGE_REL_BASED_HIGHADJ: a high half whose low half is the next entry. */
  public static final int HIGHADJ = 4;

  /** IMAGE_REL_BASED_DIR64: the difference is added to 64 bits. */
  public static final int DIR64 = 10;

  private static final int TYPES = 16;

  /** The longest operand that is changed here, in bytes. */
  private static final int WIDEST = 8;

  /** Bytes that parts of a file are padded to at least, whatever its header says. */
  private static final int LEAST_ALIGNMENT = 512;

  /** Bytes that the offsets of a block cover. */
  private static final int PAGE = 0x1000;

  private final PeImage image;
  private final Range range;
  private final int readable;
  private final long[] counts;
  private final RelocationIndex blocks;

  private Relocations(
      PeImage image, Range range, int readable, long[] counts, RelocationIndex blocks) {
    this.image = image;
    this.range = range;
    this.readable = readable;
    this.counts = counts;
    this.blocks = blocks;
  }

  /** Visitor of entries. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * One entry.
     *
     * @param rva the place that is changed
     * @param type 0 to 15, see {@link #typeName}
     * @param low the low half of a {@link #HIGHADJ}, signed; else 0
     */
    void relocation(long rva, int type, int low);
  }

  /** Reads the relocations of an image; none if it has no such directory. */
  public static Relocations of(PeImage image) {
    Range range = image.directory(DataDirectory.BASE_RELOCATION);
    if (!range.isPresent() || range.size() == 0) {
      return new Relocations(image, range, 0, new long[TYPES], new RelocationIndex());
    }
    return image.reading(
        "base relocations",
        range.rva(),
        new Relocations(image, range, 0, new long[TYPES], new RelocationIndex()),
        () -> counted(image, range));
  }

  private static Relocations counted(PeImage image, Range range) {
    Bytes table = image.view().window(range.rva(), range.size());
    long[] counts = new long[TYPES];
    RelocationIndex blocks = new RelocationIndex();
    Pieces pieces = new Pieces(image.view());
    int[] behind = new int[1];
    int stop =
        RelocationBlocks.walk(
            table,
            0,
            table.length(),
            (page, at, end) -> {
              blocks.add(page, at, end);
              behind[0] = end;
              boolean changes = count(table, at, end, counts);
              if (changes && !pieces.contain(page) && !pieces.containAny(table, page, at, end)) {
                image.gap(
                    range.rva() + at - RelocationBlocks.HEADER,
                    end - at + RelocationBlocks.HEADER,
                    "base relocations",
                    "a block is for RVA 0x"
                        + Long.toHexString(page)
                        + ", where the image has nothing");
              }
            });
    if (stop < table.length()) {
      image.gap(range.rva() + stop, range.size() - stop, "base relocations", why(table, stop));
    } else if (stop - behind[0] >= Math.max(LEAST_ALIGNMENT, image.headers().fileAlignment())) {
      image.gap(
          range.rva() + behind[0],
          stop - behind[0],
          "base relocations",
          "zeros, more than the alignment of the file needs");
    } else if (table.length() < range.size() && !endsWithZeros(image, table, range)) {
      image.gap(
          range.rva() + table.length(),
          range.size() - table.length(),
          "base relocations",
          "the directory extends past the stored data");
    }
    return new Relocations(image, range, stop, counts, blocks);
  }

  /** Returns why a walk stopped before the end of the table. */
  private static String why(Bytes table, int stop) {
    int left = table.length() - stop;
    if (left >= RelocationBlocks.HEADER && table.isZero(stop, RelocationBlocks.HEADER)) {
      return "zeros in place of a block, with others behind them";
    }
    return "a block claims "
        + (left >= RelocationBlocks.HEADER ? table.u32(stop + 4) : 0)
        + " bytes, but only "
        + left
        + " are left";
  }

  /**
   * Returns true if the stored bytes are followed by zeros of the loader, which end the table like
   * any others.
   */
  private static boolean endsWithZeros(PeImage image, Bytes table, Range range) {
    return image.view().has(range.rva() + table.length(), RelocationBlocks.HEADER);
  }

  /**
   * Contiguous ranges of the image, from start to end. Hostile tables need them a million times for
   * images with thousands of sections.
   */
  private static final class Pieces {
    private final Columns rows = new Columns();
    private final LongColumn begins = rows.longs();
    private final LongColumn ends = rows.longs();

    Pieces(ImageView view) {
      for (ImageView.Extent extent : view.extents()) {
        int last = rows.rows() - 1;
        if (last < 0 || ends.get(last) != extent.rva()) {
          last = rows.add();
          begins.set(last, extent.rva());
        }
        ends.set(last, extent.end());
      }
    }

    boolean contain(long rva) {
      int piece = Search.floor(begins.array(), rows.rows(), rva);
      return piece >= 0 && rva < ends.get(piece);
    }

    /** Returns true if any place of a block is there: its page may begin before a section does. */
    boolean containAny(Bytes table, long page, int from, int end) {
      boolean[] any = new boolean[1];
      entries(table, page, from, end, (rva, _, _) -> any[0] |= contain(rva));
      return any[0];
    }
  }

  /** Counts the entries of a block; whether any of them is more than padding. */
  private static boolean count(Bytes table, int from, int end, long[] counts) {
    long padding = counts[ABSOLUTE];
    int entries = 0;
    for (int at = from; at + 2 <= end; at += 2) {
      int type = table.u16(at) >>> 12;
      counts[type]++;
      entries++;
      if (type == HIGHADJ) {
        at += 2;
      }
    }
    return entries > counts[ABSOLUTE] - padding;
  }

  private static long sum(long[] counts) {
    long sum = 0;
    for (int type = 1; type < TYPES; type++) {
      sum += counts[type];
    }
    return sum;
  }

  /** Returns the range of the directory. */
  public Range range() {
    return range;
  }

  /** Returns the number of blocks read. */
  public int blocks() {
    return blocks.blocks();
  }

  /** Returns the number of entries of a type, padding included for {@link #ABSOLUTE}. */
  public long count(int type) {
    return counts[type];
  }

  /** Returns the number of entries without padding. */
  public long count() {
    return sum(counts);
  }

  /** Every entry in the order of the table, padding left out. */
  public void forEach(Visitor visitor) {
    visit(0, Long.MAX_VALUE, visitor);
  }

  /** Every entry of the blocks whose page can reach into {@code from} to {@code to}. */
  private void visit(long from, long to, Visitor visitor) {
    if (readable < RelocationBlocks.HEADER) {
      return;
    }
    Bytes table = image.view().window(range.rva(), readable);
    if (blocks.isUsable()) {
      blocks.visit(firstPage(from), to, (page, at, end) -> entries(table, page, at, end, visitor));
      return;
    }
    RelocationBlocks.walk(
        table,
        0,
        table.length(),
        (page, at, end) -> {
          if (page < to && page >= firstPage(from)) {
            entries(table, page, at, end, visitor);
          }
        });
  }

  static void entries(Bytes table, long page, int from, int end, Visitor visitor) {
    for (int at = from; at + 2 <= end; at += 2) {
      int entry = table.u16(at);
      int type = entry >>> 12;
      int low = 0;
      if (type == HIGHADJ) {
        at += 2;
        low = at + 2 <= end ? (short) table.u16(at) : 0;
      }
      if (type != ABSOLUTE) {
        visitor.relocation(page + (entry & 0xFFF), type, low);
      }
    }
  }

  /**
   * Returns whether a part of the image may be another one where the image is mapped elsewhere.
   *
   * @param rva start of the part
   * @param length its bytes
   */
  public boolean reach(long rva, int length) {
    return blocks.isUsable()
        ? blocks.has(firstPage(rva), rva + length)
        : readable >= RelocationBlocks.HEADER;
  }

  /** Returns the first page of which an entry can reach to a place. */
  private static long firstPage(long rva) {
    return rva - PAGE - WIDEST + 1;
  }

  /**
   * A part of an image after relocation.
   *
   * @param bytes the part as it is in memory
   * @param changed number of entries that were applied, whole or in part, to it
   * @param unknown number of its entries whose type is not applied here: their bytes are as stored
   */
  public record Relocated(Bytes bytes, int changed, int unknown) {}

  /**
   * Returns a part of the image as it is in memory where the image is mapped elsewhere. The image
   * must be one that was not relocated yet, that is one read from a file.
   *
   * @param rva start of the part
   * @param length its bytes; a copy of that size is made
   * @param delta the address that the image is mapped at, less its preferred base
   * @throws DamagedInput if the image does not have all of the part
   */
  public Relocated relocated(long rva, int length, long delta) {
    // An operand that begins before the piece, or ends after it, is changed as a whole; the room
    // around the piece is for that.
    ImageView view = image.view();
    int before = (int) Math.min(WIDEST, rva);
    while (before > 0 && !view.has(rva - before, before)) {
      before--;
    }
    int after = Math.clamp(view.available(rva) - length, 0, WIDEST);
    byte[] work =
        view.bytes(rva - before, before + length + after).array(0, before + length + after);
    RelocatedOperands change =
        new RelocatedOperands(work, rva - before, delta, image.headers().machine());
    int[] done = new int[2];
    visit(
        rva - before,
        rva + length,
        (at, type, low) -> {
          int width = change.width(type);
          if (at < rva + length && at + Math.max(1, width) > rva) {
            boolean applied = width > 0 && change.apply(at, type, low);
            done[applied ? 0 : 1]++;
          }
        });
    byte[] piece = new byte[length];
    System.arraycopy(work, before, piece, 0, length);
    return new Relocated(Bytes.copyOf(piece, image.name()), done[0], done[1]);
  }

  /** The name of a type for a machine, without {@code IMAGE_REL_BASED_}. */
  public static String typeName(int machine, int type) {
    return switch (type) {
      case ABSOLUTE -> "ABSOLUTE";
      case HIGH -> "HIGH";
      case LOW -> "LOW";
      case HIGHLOW -> "HIGHLOW";
      case HIGHADJ -> "HIGHADJ";
      case 6 -> "RESERVED";
      case DIR64 -> "DIR64";
      case 5, 7, 8, 9 -> machineTypeName(RelocationFamily.of(machine), type);
      default -> String.format(Locale.ROOT, "%d", type);
    };
  }

  private static String machineTypeName(RelocationFamily family, int type) {
    return switch (family) {
      case ARM ->
          switch (type) {
            case 5 -> "ARM_MOV32";
            case 7 -> "THUMB_MOV32";
            default -> "MACHINE_SPECIFIC_" + type;
          };
      case MIPS ->
          switch (type) {
            case 5 -> "MIPS_JMPADDR";
            case 9 -> "MIPS_JMPADDR16";
            default -> "MACHINE_SPECIFIC_" + type;
          };
      case RISCV ->
          switch (type) {
            case 5 -> "RISCV_HIGH20";
            case 7 -> "RISCV_LOW12I";
            case 8 -> "RISCV_LOW12S";
            default -> "MACHINE_SPECIFIC_" + type;
          };
      case LOONGARCH -> type == 8 ? "LOONGARCH_MARK_LA" : "MACHINE_SPECIFIC_" + type;
      case IA64 -> type == 9 ? "IA64_IMM64" : "MACHINE_SPECIFIC_" + type;
      case OTHER -> "MACHINE_SPECIFIC_" + type;
    };
  }
}
