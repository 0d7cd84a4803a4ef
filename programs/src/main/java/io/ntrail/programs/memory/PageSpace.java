package io.ntrail.programs.memory;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.collections.LongIntMap;
import java.util.Optional;
import java.util.Set;

/**
 * Pages that were copied out of a machine: a file of their addresses, 8 bytes each, and a file of
 * their bytes, 4,096 each, in the same order. An address that is not that of a page says that there
 * was none. Of two pages with one address the first counts. May be used by several threads.
 */
public final class PageSpace implements AddressSpace {
  private static final int SHIFT = 12;

  /** Bytes of a page. */
  public static final int PAGE = 1 << SHIFT;

  private final InputFile dump;
  private final LongIntMap places = new LongIntMap();

  /**
   * Reads the addresses.
   *
   * @param dump stays open while the space is used; pages that it does not have any more are
   *     missing
   */
  public PageSpace(InputFile addresses, InputFile dump) {
    this.dump = dump;
    long count = Math.min(addresses.size() / Long.BYTES, dump.size() / PAGE);
    for (int place = 0; place < count; place++) {
      long address = addresses.window((long) place * Long.BYTES, Long.BYTES).i64(0);
      if ((address & PAGE - 1) == 0 && places.get(address >>> SHIFT) < 0) {
        places.put(address >>> SHIFT, place);
      }
    }
  }

  @Override
  public String name() {
    return dump.name();
  }

  /** Returns the number of pages. */
  public int pages() {
    return places.size();
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return places.get(address >>> SHIFT) < 0
        ? Optional.empty()
        : Optional.of(new MemoryRegion(address & -PAGE, PAGE, Set.of(), name()));
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    int first = places.get(address >>> SHIFT);
    if (first < 0) {
      return Bytes.copyOf(new byte[0], name());
    }
    int within = (int) address & PAGE - 1;
    if (within + most <= PAGE) {
      return page(first).slice(within, most);
    }
    byte[] bytes = new byte[most];
    int length = 0;
    int place = first;
    while (length < most && place >= 0) {
      int from = (int) (address + length) & PAGE - 1;
      int part = Math.min(PAGE - from, most - length);
      page(place).copyTo(from, bytes, length, part);
      length += part;
      place = places.get(address + length >>> SHIFT);
    }
    return Bytes.copyOf(bytes, name()).slice(0, length);
  }

  private Bytes page(int place) {
    return dump.window((long) place * PAGE, PAGE);
  }
}
