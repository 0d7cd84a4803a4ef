package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.List;

/**
 * An address map of a program that was rearranged after it was linked (struct OMAP of imagehlp.h):
 * pairs of {@code u32 rva} and {@code u32 rvaTo}, by rva. An address moves like the last pair whose
 * rva is not greater. One of the two maps of a PDB leads from the image to the program as it was
 * linked, which symbols and lines refer to, the other one back.
 */
public final class Omap {
  private static final int ENTRY = 8;

  /** Targets of eliminated code: 0 from Microsoft's tools, the other two from Syzygy. */
  private static final long[] NOWHERE = {0, 0x8000_0000L, 0xFFFF_FFFFL};

  /**
   * A stretch of addresses.
   *
   * @param begin RVA
   * @param length bytes
   */
  public record Range(long begin, long length) {}

  /** A map that leads from nowhere to nowhere. */
  static final Omap NOTHING = new Omap(Bytes.copyOf(new byte[0], "no map"));

  private final Bytes table;
  private final int count;

  private Omap(Bytes table) {
    this.table = table;
    this.count = table.length() / ENTRY;
  }

  /**
   * The map that a stream holds.
   *
   * @throws DamagedInput if its pairs are not in order, which would lead to wrong addresses
   */
  public static Omap read(MsfStream stream) {
    Omap omap = new Omap(stream.window(0, (int) Math.min(stream.length(), Integer.MAX_VALUE - 15)));
    for (int i = 1; i < omap.count; i++) {
      if (omap.from(i) < omap.from(i - 1) || omap.from(i) == 0) {
        throw new DamagedInput(
            stream.name(),
            stream.fileOffset((long) ENTRY * i),
            "an address map that goes from %Xh to %Xh".formatted(omap.from(i - 1), omap.from(i)));
      }
    }
    return omap;
  }

  /** Returns the number of pairs. */
  public int count() {
    return count;
  }

  private long from(int index) {
    return table.u32(ENTRY * index);
  }

  /** Returns the target of a pair, -1 if eliminated. */
  private long to(int index) {
    long to = table.u32(ENTRY * index + 4);
    for (long nowhere : NOWHERE) {
      if (to == nowhere) {
        return -1;
      }
    }
    return to;
  }

  /**
   * Returns the last pair whose rva is not greater than an address; of equal ones the last one
   * counts.
   */
  private int pair(long rva) {
    return Search.last(0, count, i -> from(i) <= rva);
  }

  /** Returns an address on the other side; -1 if it is not there. */
  public long translate(long rva) {
    int pair = pair(rva);
    long to = pair < 0 ? -1 : to(pair);
    return to < 0 ? -1 : to + (rva - from(pair));
  }

  /**
   * Returns the address of the first byte of a symbol that was not eliminated.
   *
   * @param length of the symbol, at least 1 byte is looked at
   * @return -1 if none of them is there
   */
  public long firstSurviving(long rva, long length) {
    long here = translate(rva);
    if (here >= 0) {
      return here;
    }
    for (int i = pair(rva) + 1; i < count && from(i) < rva + length; i++) {
      if (to(i) >= 0 && (i + 1 == count || from(i + 1) > from(i))) {
        return to(i);
      }
    }
    return -1;
  }

  /** Returns where the bytes of a range went, joined where they stayed together. */
  public List<Range> ranges(long rva, long length) {
    List<Range> ranges = new ArrayList<>();
    long at = rva;
    long end = rva + length;
    for (int i = Math.max(0, pair(rva)); i < count && at < end; i++) {
      long stop = i + 1 < count ? Math.min(end, from(i + 1)) : end;
      if (stop <= at || from(i) > at && from(i) >= end) {
        continue;
      }
      long begin = Math.max(at, from(i));
      if (to(i) >= 0 && stop > begin) {
        add(ranges, to(i) + (begin - from(i)), stop - begin);
      }
      at = stop;
    }
    return ranges;
  }

  private static void add(List<Range> ranges, long begin, long length) {
    Range last = ranges.isEmpty() ? null : ranges.getLast();
    if (last != null && last.begin + last.length == begin) {
      ranges.removeLast();
      ranges.add(new Range(last.begin, last.length + length));
    } else {
      ranges.add(new Range(begin, length));
    }
  }
}
