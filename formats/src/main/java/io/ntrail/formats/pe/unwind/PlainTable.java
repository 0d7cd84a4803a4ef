package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.pe.ImageView;
import java.util.Optional;

/**
 * Check of a function table where it is stored, of which a large library has some 600,000 entries
 * and a thread of the program may wait for it: each byte is read once, many at a time.
 */
final class PlainTable {
  /** Entries that are copied at a time, an even number. */
  private static final int AT_ONCE = 1024;

  /** 64-bit numbers that two entries are. */
  private static final int LONGS = 3;

  /** Bit of the first byte of unwind information that continues another one. */
  private static final int CONTINUES = UnwindInfo.CHAININFO << 3;

  private final ImageView view;
  private final IntList continuing = new IntList();
  private final long[] numbers = new long[AT_ONCE / 2 * LONGS];
  private final int[] begins = new int[AT_ONCE];
  private final int[] ends = new int[AT_ONCE];
  private final int[] infos = new int[AT_ONCE];

  /** Bytes of the section that has the first unwind information, and mostly all of it. */
  private Bytes unwind = Bytes.copyOf(new byte[0], FunctionTable.WHAT);

  private long unwindFrom;

  /** Furthest end of the ranges before. */
  private int reach;

  private PlainTable(ImageView view) {
    this.view = view;
  }

  /**
   * Returns the ascending numbers of the entries that continue a function; empty if the ranges do
   * not ascend, or are not apart from one another.
   */
  static Optional<int[]> continuing(ImageView view, Bytes table, int count) {
    PlainTable check = new PlainTable(view);
    for (int done = 0; done < count; done += AT_ONCE) {
      int some = Math.min(AT_ONCE, count - done);
      check.copy(table, done, some);
      if (!check.isPlain(some)) {
        return Optional.empty();
      }
      check.look(done, some);
    }
    return Optional.of(check.continuing.toArray());
  }

  /** Takes entries apart. */
  private void copy(Bytes table, int first, int count) {
    int whole = count & -2;
    table.copyTo(first * RuntimeFunction.SIZE, numbers, whole / 2 * LONGS);
    int at = 0;
    for (int i = 0; i < whole; i += 2) {
      long one = numbers[at++];
      long two = numbers[at++];
      long three = numbers[at++];
      begins[i] = (int) one;
      ends[i] = (int) (one >> Integer.SIZE);
      infos[i] = (int) two;
      begins[i + 1] = (int) (two >> Integer.SIZE);
      ends[i + 1] = (int) three;
      infos[i + 1] = (int) (three >> Integer.SIZE);
    }
    if (whole < count) {
      int last = (first + whole) * RuntimeFunction.SIZE;
      begins[whole] = table.i32(last);
      ends[whole] = table.i32(last + 4);
      infos[whole] = table.i32(last + 8);
    }
  }

  private boolean isPlain(int count) {
    int end = reach;
    for (int i = 0; i < count; i++) {
      // RVAs of 2 GiB and more are as negative numbers, which no plain table has.
      if (begins[i] < end || ends[i] <= begins[i]) {
        return false;
      }
      end = ends[i];
    }
    reach = end;
    return true;
  }

  /** Adds those of the entries that continue a function. */
  private void look(int first, int count) {
    Bytes stored = unwind;
    long from = unwindFrom;
    int length = stored.length();
    for (int i = 0; i < count; i++) {
      long info = infos[i] & 0xFFFF_FFFFL;
      long at = info - from;
      int flags = at >= 0 && at < length ? stored.u8((int) at) : elsewhere(info);
      if (((infos[i] & 1) | (flags & CONTINUES)) != 0) {
        continuing.add(first + i);
      }
    }
  }

  /** Returns the first byte of unwind information that is not where others were; 0 if none is. */
  private int elsewhere(long info) {
    for (ImageView.Extent extent : view.extents()) {
      if (unwind.length() == 0
          && extent.rva() <= info
          && info - extent.rva() < extent.storedLength()) {
        unwind = extent.stored();
        unwindFrom = extent.rva();
      }
    }
    return view.has(info, 1) ? view.u8(info) : 0;
  }
}
