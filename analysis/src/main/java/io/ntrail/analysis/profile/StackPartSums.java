package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongColumn;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Weights of stacks that consist of numbered parts, summed by part: what is met a thousand times is
 * resolved once. A part is summed under one layout at a time, because its frames mean the same
 * functions as long as the same lies where they point.
 */
final class StackPartSums {
  private static final int CHUNK_BITS = 12;
  private static final int CHUNK = 1 << CHUNK_BITS;

  /** Words of a row: two sums; layout + 1 in the upper half, times it changed, two flags. */
  private static final int SELF = 0;

  private static final int INCLUSIVE = 1;
  private static final int OWNER = 2;
  private static final int ROW = 3;

  /**
   * Flags: whether frames may mean what is found in both halves, and whether that was looked up.
   */
  private static final int IN_BOTH = 1;

  private static final int LOOKED = 2;

  /** Changes of layout after which a part is no longer summed by number. */
  private static final int MOST_CHANGES = 16;

  /** Sums under layouts that were left behind, 32 bytes each. */
  private static final int MOST_BEHIND = 1 << 16;

  /** Share of the memory for rows: an eighth. */
  private static final long MOST_ROWS = Runtime.getRuntime().maxMemory() / 8 / (8 * ROW);

  /** Receiver of the sums in the end. */
  interface Sink {
    /**
     * Adds the weights of a stack.
     *
     * @param functions of its frames, innermost first
     * @param self weight where it is the innermost part
     */
    void add(IntList functions, long self, long inclusive);
  }

  private final FrameLookup names;
  private final FunctionIndex meanings;
  private final StackParts stacks;
  private final Sink sink;
  private final StackAddresses frames = new StackAddresses();
  private final long[] @Nullable [] rows;
  private int chunks;
  private final IntList functions = new IntList();

  /** Sums that were left behind. */
  private final Columns behind = new Columns(64, MOST_BEHIND);

  /** Layout + 1 in the upper half, part in the lower. */
  private final LongColumn behindOwner = behind.longs();

  private final LongColumn behindSelf = behind.longs();
  private final LongColumn behindInclusive = behind.longs();

  StackPartSums(FrameLookup names, StackParts stacks, Sink sink) {
    this.names = names;
    this.meanings = names.functions();
    this.stacks = stacks;
    this.sink = sink;
    this.rows = new long[(stacks.count() >>> CHUNK_BITS) + 1][];
  }

  /** Adds a stack; false if it must be added by its frames. */
  boolean add(WeightedStack stack) {
    int first = stack.part(0);
    long[] rowsOfFirst = rows(first);
    int atFirst = ROW * (first & CHUNK - 1);
    if (rowsOfFirst == null || !claim(stack, first, rowsOfFirst, atFirst, stack.isKernel())) {
      return false;
    }
    if (stack.parts() == 2) {
      int second = stack.part(1);
      long[] rowsOfSecond = rows(second);
      int atSecond = ROW * (second & CHUNK - 1);
      // What both parts went through counts once.
      if (rowsOfSecond == null
          || !claim(stack, second, rowsOfSecond, atSecond, false)
          || inBoth(stack, first, rowsOfFirst, atFirst)
              && inBoth(stack, second, rowsOfSecond, atSecond)) {
        return false;
      }
      rowsOfSecond[atSecond + INCLUSIVE] += stack.weight();
    }
    rowsOfFirst[atFirst + SELF] += stack.weight();
    rowsOfFirst[atFirst + INCLUSIVE] += stack.weight();
    return true;
  }

  /** Returns the rows that a part's is one of; null if there is no memory for them. */
  private long @Nullable [] rows(int part) {
    long[] found = rows[part >>> CHUNK_BITS];
    if (found == null && (long) chunks << CHUNK_BITS < MOST_ROWS) {
      found = new long[ROW * CHUNK];
      rows[part >>> CHUNK_BITS] = found;
      chunks++;
    }
    return found;
  }

  /** Makes sure that a part is summed up under the layout of a stack. */
  private boolean claim(WeightedStack stack, int part, long[] row, int at, boolean kernel) {
    int layout = names.layout(stack.codeProcess(), stack.key(), kernel);
    long owner = row[at + OWNER];
    if ((int) (owner >>> 32) == layout + 1) {
      return layout >= 0;
    }
    int changes = (int) owner >>> 2;
    if (layout < 0 || changes >= MOST_CHANGES || !leaveBehind(part, row, at)) {
      return false;
    }
    row[at + OWNER] = layout + 1L << 32 | changes + 1 << 2;
    return true;
  }

  /**
   * Puts the sums of a row aside. To look at their frames now would mean to go back to the time of
   * their layout, and forth again.
   */
  private boolean leaveBehind(int part, long[] row, int at) {
    if (row[at + INCLUSIVE] == 0 && row[at + SELF] == 0) {
      return true;
    }
    if (behind.isFull()) {
      return false;
    }
    int to = behind.add();
    behindOwner.set(to, row[at + OWNER] & -1L << 32 | part);
    behindSelf.set(to, row[at + SELF]);
    behindInclusive.set(to, row[at + INCLUSIVE]);
    row[at + SELF] = 0;
    row[at + INCLUSIVE] = 0;
    return true;
  }

  private boolean inBoth(WeightedStack stack, int part, long[] row, int at) {
    if ((row[at + OWNER] & LOOKED) == 0) {
      frames.clear();
      stacks.copy(part, frames);
      names.resolve(stack.codeProcess(), stack.key(), frames, functions);
      int flags = LOOKED;
      for (int i = 0; i < functions.size(); i++) {
        flags |= meanings.mayBeInBothHalves(functions.get(i)) ? IN_BOTH : 0;
      }
      row[at + OWNER] |= flags;
    }
    return (row[at + OWNER] & IN_BOTH) != 0;
  }

  /** Hands on all that was added, and forgets it. */
  void settle() {
    IntList found = met();
    int[] met = found.array();
    for (long packed : byLayout(met, found.size())) {
      int one = met[(int) packed];
      if (one < 0) {
        handOn(part(one), layout(one), behindSelf.get(~one), behindInclusive.get(~one));
      } else {
        long[] row = rowsOf(one);
        int at = ROW * (one & CHUNK - 1);
        handOn(one, layout(one), row[at + SELF], row[at + INCLUSIVE]);
        row[at + SELF] = 0;
        row[at + INCLUSIVE] = 0;
      }
    }
    behind.clear();
  }

  /**
   * Puts what was met in the order in which layouts were met, so that time goes forward only; of
   * one layout stacks with frames in common one after the other.
   *
   * @return in the lower halves, the places of what was met
   */
  private long[] byLayout(int[] met, int count) {
    int layouts = 0;
    for (int i = 0; i < count; i++) {
      layouts = Math.max(layouts, layout(met[i]));
    }
    int[] ends = new int[layouts + 2];
    for (int i = 0; i < count; i++) {
      ends[layout(met[i]) + 1]++;
    }
    for (int layout = 0; layout <= layouts; layout++) {
      ends[layout + 1] += ends[layout];
    }
    long[] packed = new long[count];
    for (int i = 0; i < count; i++) {
      packed[ends[layout(met[i])]++] = (long) stacks.place(part(met[i])) << 32 | i;
    }
    int start = 0;
    for (int end : ends) {
      Arrays.sort(packed, start, end);
      start = end;
    }
    return packed;
  }

  /**
   * Returns the parts whose rows have sums, and the complements of places of what was left behind.
   */
  private IntList met() {
    IntList met = new IntList(behind.rows() + 64);
    for (int i = 0; i < behind.rows(); i++) {
      met.add(~i);
    }
    for (int chunk = 0; chunk < rows.length; chunk++) {
      long[] row = rows[chunk];
      for (int i = 0; row != null && i < CHUNK; i++) {
        if (row[ROW * i + SELF] != 0 || row[ROW * i + INCLUSIVE] != 0) {
          met.add(chunk << CHUNK_BITS | i);
        }
      }
    }
    return met;
  }

  private void handOn(int part, int layout, long self, long inclusive) {
    frames.clear();
    stacks.copy(part, frames);
    names.resolve(layout - 1, frames, functions);
    sink.add(functions, self, inclusive);
  }

  private int part(int met) {
    return met < 0 ? (int) behindOwner.get(~met) : met;
  }

  /** Returns the number of the layout of one that was met, plus 1. */
  private int layout(int met) {
    long owner = met < 0 ? behindOwner.get(~met) : rowsOf(met)[ROW * (met & CHUNK - 1) + OWNER];
    return (int) (owner >>> 32);
  }

  private long[] rowsOf(int part) {
    return Objects.requireNonNull(rows[part >>> CHUNK_BITS]);
  }
}
