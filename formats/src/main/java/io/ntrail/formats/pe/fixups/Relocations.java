package io.ntrail.formats.pe.fixups;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import java.util.Locale;

/**
 * Base relocations (directory 5): the places that hold addresses, and must be changed when an image
 * is not mapped at its preferred base.
 *
 * <p>Blocks of {@code u32 page RVA, u32 size of the block in bytes, u16 entries of type << 12 |
 * offset in the page}. Nothing is held: an image can have millions of them, so every use walks the
 * stored bytes again. A block of zeros ends the table; one that is smaller than its own header or
 * extends past the table is a gap, and nothing after it is read.
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

  private final PeImage image;
  private final Range range;
  private final int readable;
  private final long[] counts;
  private final int blocks;

  private Relocations(PeImage image, Range range, int readable, long[] counts, int blocks) {
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
      return new Relocations(image, range, 0, new long[TYPES], 0);
    }
    return image.reading(
        "base relocations",
        range.rva(),
        new Relocations(image, range, 0, new long[TYPES], 0),
        () -> counted(image, range));
  }

  private static Relocations counted(PeImage image, Range range) {
    Bytes table = image.view().window(range.rva(), range.size());
    long[] counts = new long[TYPES];
    int[] blocks = new int[1];
    Pieces pieces = new Pieces(image.view());
    int stop =
        RelocationBlocks.walk(
            table,
            0,
            table.length(),
            (page, at, end) -> {
              blocks[0]++;
              boolean changes = count(table, at, end, counts);
              if (changes && !pieces.contain(page)) {
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
      image.gap(
          range.rva() + stop,
          range.size() - stop,
          "base relocations",
          "a block claims "
              + (table.has(stop, RelocationBlocks.HEADER) ? table.u32(stop + 4) : 0)
              + " bytes, but only "
              + (table.length() - stop)
              + " are left");
    } else if (table.length() < range.size() && !endsWithZeros(image, table, range)) {
      image.gap(
          range.rva() + table.length(),
          range.size() - table.length(),
          "base relocations",
          "the directory extends past the stored data");
    }
    return new Relocations(image, range, stop, counts, blocks[0]);
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
    return blocks;
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
    RelocationBlocks.walk(
        table,
        0,
        table.length(),
        (page, at, end) -> {
          if (page < to && page + 0x1000 + WIDEST > from) {
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
    Change change = new Change(work, rva - before, delta, image.headers().machine());
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
      case 5, 7, 8, 9 -> machineTypeName(Family.of(machine), type);
      default -> String.format(Locale.ROOT, "%d", type);
    };
  }

  private static String machineTypeName(Family family, int type) {
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

  /** Machines that give types 5, 7, 8 and 9 the same meaning. */
  private enum Family {
    ARM,
    MIPS,
    RISCV,
    LOONGARCH,
    IA64,
    OTHER;

    static Family of(int machine) {
      return switch (machine) {
        case MachineType.ARMNT, 0x1C0, 0x1C2 -> ARM;
        case 0x162, 0x166, 0x168, 0x169, 0x266, 0x366, 0x466 -> MIPS;
        case 0x5032, 0x5064, 0x5128 -> RISCV;
        case 0x6232, 0x6264 -> LOONGARCH;
        case MachineType.IA64 -> IA64;
        default -> OTHER;
      };
    }
  }

  /** Applies entries to bytes of an image; an operand that is not wholly among them is skipped. */
  private static final class Change {
    private final byte[] bytes;
    private final long first;
    private final long delta;
    private final Family family;

    Change(byte[] bytes, long first, long delta, int machine) {
      this.bytes = bytes;
      this.first = first;
      this.delta = delta;
      this.family = Family.of(machine);
    }

    /** Bytes of an operand, 0 for a type that is not applied. */
    int width(int type) {
      return switch (type) {
        case HIGH, LOW, HIGHADJ -> 2;
        case HIGHLOW -> 4;
        case DIR64 -> 8;
        case 5 -> family == Family.ARM ? 8 : family == Family.MIPS ? 4 : 0;
        case 7 -> family == Family.ARM ? 8 : 0;
        default -> 0;
      };
    }

    boolean apply(long rva, int type, int low) {
      int at = (int) (rva - first);
      if (at < 0 || at > bytes.length - width(type)) {
        return false;
      }
      switch (type) {
        case HIGH -> put(at, 2, get(at, 2) + (delta >>> 16));
        case LOW -> put(at, 2, get(at, 2) + delta);
        case HIGHADJ -> put(at, 2, (get(at, 2) << 16) + low + delta + 0x8000 >> 16);
        case HIGHLOW -> put(at, 4, get(at, 4) + delta);
        case DIR64 -> put(at, 8, get(at, 8) + delta);
        case 5 -> {
          if (family == Family.MIPS) {
            jump(at);
          } else {
            putArm(at, getArm(at) + delta);
          }
        }
        default -> putThumb(at, getThumb(at) + delta);
      }
      return true;
    }

    private long get(int at, int width) {
      long value = 0;
      for (int i = width - 1; i >= 0; i--) {
        value = value << 8 | bytes[at + i] & 0xFF;
      }
      return value;
    }

    private void put(int at, int width, long value) {
      for (int i = 0; i < width; i++) {
        bytes[at + i] = (byte) (value >>> 8 * i);
      }
    }

    /** The 26-bit word address of a MIPS jump. */
    private void jump(int at) {
      long code = get(at, 4);
      long target = ((code & 0x3FF_FFFF) << 2) + delta;
      put(at, 4, code & ~0x3FF_FFFFL | target >>> 2 & 0x3FF_FFFF);
    }

    /**
     * Returns the number that an ARM MOVW and the MOVT after it load: 4 bits at 16, 12 bits at 0.
     */
    private long getArm(int at) {
      long low = get(at, 4);
      long high = get(at + 4, 4);
      return (low >>> 4 & 0xF000 | low & 0xFFF) | (high >>> 4 & 0xF000 | high & 0xFFF) << 16;
    }

    private void putArm(int at, long value) {
      putArmHalf(at, value & 0xFFFF);
      putArmHalf(at + 4, value >>> 16 & 0xFFFF);
    }

    private void putArmHalf(int at, long half) {
      put(at, 4, get(at, 4) & ~0xF_0FFFL | (half & 0xF000) << 4 | half & 0xFFF);
    }

    /**
     * Returns the number that a Thumb MOVW and MOVT load, whose halves are split in four: imm4, i,
     * imm3, imm8.
     */
    private long getThumb(int at) {
      return getThumbHalf(at) | getThumbHalf(at + 4) << 16;
    }

    private long getThumbHalf(int at) {
      long first = get(at, 2);
      long second = get(at + 2, 2);
      return (first & 0xF) << 12 | (first >>> 10 & 1) << 11 | second >>> 4 & 0x700 | second & 0xFF;
    }

    private void putThumb(int at, long value) {
      putThumbHalf(at, value & 0xFFFF);
      putThumbHalf(at + 4, value >>> 16 & 0xFFFF);
    }

    private void putThumbHalf(int at, long half) {
      put(at, 2, get(at, 2) & ~0x40FL | half >>> 12 | (half >>> 11 & 1) << 10);
      put(at + 2, 2, get(at + 2, 2) & ~0x70FFL | (half & 0x700) << 4 | half & 0xFF);
    }
  }
}
