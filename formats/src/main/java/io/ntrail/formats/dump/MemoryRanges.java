package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The memory in a dump by address: ranges that do not overlap, in ascending order. Where the lists
 * of the dump overlap, the first in the file counts. Bytes are read from the file when they are
 * requested. May be used by several threads.
 */
public final class MemoryRanges {
  /** Ranges of a list that are read: the largest processes have tens of thousands. */
  public static final int MOST = 1 << 20;

  private static final long MOST_WINDOW = Integer.MAX_VALUE - 15L;

  private final InputFile input;
  private final long[] starts;
  private final long[] lengths;
  private final long[] offsets;
  private final long bytes;
  private final int overlapping;

  private MemoryRanges(
      InputFile input, LongList starts, LongList lengths, LongList offsets, int overlapping) {
    this.input = input;
    this.starts = starts.toArray();
    this.lengths = lengths.toArray();
    this.offsets = offsets.toArray();
    this.overlapping = overlapping;
    long sum = 0;
    for (long length : this.lengths) {
      sum += length;
    }
    this.bytes = sum;
  }

  /** Returns the number of ranges. */
  public int count() {
    return starts.length;
  }

  /** Returns the first address of a range, unsigned. */
  public long start(int range) {
    return starts[range];
  }

  /** Returns the bytes of a range, from 1. */
  public long length(int range) {
    return lengths[range];
  }

  /** Returns where in the file the bytes of a range are. */
  public long offset(int range) {
    return offsets[range];
  }

  /** Returns the bytes of all ranges. */
  public long bytes() {
    return bytes;
  }

  /**
   * Returns how many ranges of the lists overlap an earlier one whose bytes are elsewhere in the
   * file: of them, only what is in no earlier one counts.
   */
  public int overlapping() {
    return overlapping;
  }

  /** Returns the range that contains an address, or -1. */
  public int at(long address) {
    int range = Search.floorUnsigned(starts, starts.length, address);
    return range >= 0 && Long.compareUnsigned(address - starts[range], lengths[range]) < 0
        ? range
        : -1;
  }

  /** Returns true if a byte of the file is one of the memory. */
  boolean haveByteOfFile(long place) {
    for (int range = 0; range < offsets.length; range++) {
      if (place >= offsets[range] && place - offsets[range] < lengths[range]) {
        return true;
      }
    }
    return false;
  }

  /** Returns the first range that starts after an address; {@link #count} if there is none. */
  public int after(long address) {
    return Search.floorUnsigned(starts, starts.length, address) + 1;
  }

  /**
   * Returns the bytes from an address up to the first one that is not in the dump; a copy where
   * they are not in one piece of the file.
   *
   * @param most limit in bytes, from 0
   */
  public Bytes readUpTo(long address, int most) {
    int range = at(address);
    if (range < 0 || most <= 0) {
      return input.window(0, 0);
    }
    long into = address - starts[range];
    long offset = offsets[range] + into;
    long length = lengths[range] - into;
    int next = range + 1;
    while (length < most && follows(next) && offsets[next] == offset + length) {
      length += lengths[next++];
    }
    if (length >= most || !follows(next)) {
      return input.window(offset, (int) Math.min(Math.min(length, most), MOST_WINDOW));
    }
    List<byte[]> pieces = new ArrayList<>();
    long left = most;
    while (true) {
      int taken = (int) Math.min(left, length);
      pieces.add(input.window(offset, taken).array(0, taken));
      left -= taken;
      if (left == 0 || !follows(next)) {
        return Bytes.joined(pieces, input.name());
      }
      offset = offsets[next];
      length = lengths[next++];
    }
  }

  /** Returns true if a range begins where the one before it ends. */
  private boolean follows(int range) {
    return range < starts.length && starts[range] == starts[range - 1] + lengths[range - 1];
  }

  /** Collects ranges in the order in which they count. */
  static final class Builder {
    private final InputFile input;
    private final LongList starts = new LongList();
    private final LongList lengths = new LongList();
    private final LongList offsets = new LongList();
    private int cut;
    private long missing;
    private int left;

    Builder(InputFile input) {
      this.input = input;
    }

    /** Adds the part of a range whose bytes the file has. */
    void add(long start, long length, long offset) {
      if (length == 0) {
        return;
      }
      if (starts.size() >= MOST) {
        left++;
        return;
      }
      long there = offset < 0 || offset > input.size() ? 0 : input.size() - offset;
      long kept = Long.compareUnsigned(length, there) < 0 ? length : there;
      if (kept != length) {
        cut++;
        missing = length < 0 || missing < 0 ? -1 : Math.max(-1, missing + length - kept);
      }
      // An address space ends with its last address.
      long room = -start;
      if (room != 0 && Long.compareUnsigned(kept, room) > 0) {
        kept = room;
      }
      if (kept > 0) {
        starts.add(start);
        lengths.add(kept);
        offsets.add(offset);
      }
    }

    MemoryRanges build(DumpReader reader) {
      if (cut > 0) {
        reader.gap(
            input.size(),
            missing,
            "memory",
            "the file ends before the memory of " + cut + (cut == 1 ? " range" : " ranges"));
      }
      if (left > 0) {
        reader.gap(
            0,
            -1,
            "memory",
            "there are " + left + " ranges more than the " + MOST + " that are read");
      }
      long[] start = starts.toArray();
      int[] order =
          RowSort.sorted(start.length, (a, b) -> Long.compareUnsigned(start[a], start[b]));
      return new Merge(order).run();
    }

    private long last(int row) {
      return starts.get(row) + lengths.get(row) - 1;
    }

    /** Goes through ranges by address; of those that are open, the first in the file counts. */
    private final class Merge {
      private final int[] order;
      private final LongList mergedStarts = new LongList();
      private final LongList mergedLengths = new LongList();
      private final LongList mergedOffsets = new LongList();
      private final PriorityQueue<Integer> open = new PriorityQueue<>();
      private int overlapping;
      private int lastRow = -1;

      Merge(int[] order) {
        this.order = order;
      }

      MemoryRanges run() {
        int next = 0;
        long at = 0;
        while (next < order.length || !open.isEmpty()) {
          if (open.isEmpty()) {
            at = starts.get(order[next]);
          }
          while (next < order.length && Long.compareUnsigned(starts.get(order[next]), at) <= 0) {
            open(order[next++]);
          }
          int row = open.element();
          long last = last(row);
          if (next < order.length) {
            long before = starts.get(order[next]) - 1;
            last = Long.compareUnsigned(before, last) < 0 ? before : last;
          }
          add(row, at, last - at + 1);
          if (last == -1) {
            break;
          }
          at = last + 1;
          while (!open.isEmpty() && Long.compareUnsigned(last(open.element()), at) < 0) {
            open.remove();
          }
        }
        return new MemoryRanges(input, mergedStarts, mergedLengths, mergedOffsets, overlapping);
      }

      private void open(int row) {
        if (!open.isEmpty() && shift(open.element()) != shift(row)) {
          overlapping++;
        }
        open.add(row);
      }

      /** Returns what has to be added to an address for its place in the file. */
      private long shift(int row) {
        return offsets.get(row) - starts.get(row);
      }

      private void add(int row, long start, long length) {
        long offset = start + shift(row);
        int before = mergedStarts.size() - 1;
        if (row == lastRow) {
          mergedLengths.set(before, mergedLengths.get(before) + length);
          return;
        }
        lastRow = row;
        mergedStarts.add(start);
        mergedLengths.add(length);
        mergedOffsets.add(offset);
      }
    }
  }
}
