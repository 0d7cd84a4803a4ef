package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.parallel.TaskBehind;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongSort;
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

  /** Stacks with an address before their parts, 24 bytes each: a thirty-second of the memory. */
  private static final int MOST_PRECEDED =
      Math.clamp(Runtime.getRuntime().maxMemory() / 32 / 24, 1 << 16, Integer.MAX_VALUE / 4);

  /** Parts whose sums and frames are fetched together: processors wait for some ten at a time. */
  private static final int GROUP = 64;

  /** Groups that one thread hands to another: some milliseconds of work. */
  private static final int GROUPS = 16;

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

  /** Stacks with an address before their first part, which is summed with it alone. */
  private final Columns preceded = new Columns(64, MOST_PRECEDED);

  /** Layout + 1 in the upper half, first part in the lower. */
  private final LongColumn precededOwner = preceded.longs();

  private final LongColumn precededBy = preceded.longs();
  private final LongColumn precededWeight = preceded.longs();

  private long touched;

  StackPartSums(FrameLookup names, StackParts stacks, Sink sink) {
    this.names = names;
    this.meanings = names.functions();
    this.stacks = stacks;
    this.sink = sink;
    this.rows = new long[(stacks.count() >>> CHUNK_BITS) + 1][];
  }

  /** Reads what the next stack with a part will need, so that many are waited for at once. */
  void touch(int part) {
    long[] row = rows[part >>> CHUNK_BITS];
    touched += row == null ? 0 : row[ROW * (part & CHUNK - 1) + OWNER];
  }

  /** Returns the sum of what was read ahead: kept so that reading it is not optimized away. */
  long touched() {
    return touched;
  }

  /** Adds a stack; false if it must be added by its frames. */
  boolean add(WeightedStack stack) {
    if (stack.hasBefore() && preceded.isFull()) {
      return false;
    }
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
          || (inBoth(stack, first, rowsOfFirst, atFirst) || beforeInBoth(stack))
              && inBoth(stack, second, rowsOfSecond, atSecond)) {
        return false;
      }
      rowsOfSecond[atSecond + INCLUSIVE] += stack.weight();
    }
    if (stack.hasBefore()) {
      int to = preceded.add();
      precededOwner.set(to, rowsOfFirst[atFirst + OWNER] & -1L << 32 | first);
      precededBy.set(to, stack.before());
      precededWeight.set(to, stack.weight());
      return true;
    }
    rowsOfFirst[atFirst + SELF] += stack.weight();
    rowsOfFirst[atFirst + INCLUSIVE] += stack.weight();
    return true;
  }

  /** Returns whether an address before the parts may mean what is found in both halves. */
  private boolean beforeInBoth(WeightedStack stack) {
    if (!stack.hasBefore()) {
      return false;
    }
    frames.clear();
    frames.add(stack.before());
    names.resolve(stack.codeProcess(), stack.key(), frames, functions);
    return anyInBoth();
  }

  private boolean anyInBoth() {
    for (int i = 0; i < functions.size(); i++) {
      if (meanings.mayBeInBothHalves(functions.get(i))) {
        return true;
      }
    }
    return false;
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
      row[at + OWNER] |= anyInBoth() ? LOOKED | IN_BOTH : LOOKED;
    }
    return (row[at + OWNER] & IN_BOTH) != 0;
  }

  /**
   * Hands on all that was added, and forgets it.
   *
   * @param cores threads to use: at most two, of which one reads frames and the other names them
   */
  void settle(int cores) {
    int[] order = inOrder();
    if (cores == 1) {
      Batch batch = new Batch(GROUP);
      for (int start = 0; start < order.length; start += GROUP) {
        batch.fill(order, start);
        batch.handOn();
      }
    } else {
      settleBehind(order);
    }
    behind.clear();
    preceded.clear();
  }

  private void settleBehind(int[] order) {
    Batch filled = new Batch(GROUPS * GROUP);
    Batch other = new Batch(GROUPS * GROUP);
    try (TaskBehind naming = new TaskBehind()) {
      for (int start = 0; start < order.length; start += GROUPS * GROUP) {
        Batch full = filled;
        full.fill(order, start);
        naming.await();
        naming.start(full::handOn);
        filled = other;
        other = full;
      }
      naming.await();
    }
  }

  /** Some of what was met, with its sums and its frames. Used again. */
  private final class Batch {
    private final StackAddresses addresses = new StackAddresses();
    private final int[] ends;
    private final int[] layouts;
    private final long[] self;
    private final long[] inclusive;
    private int size;

    Batch(int most) {
      ends = new int[most];
      layouts = new int[most];
      self = new long[most];
      inclusive = new long[most];
    }

    /** Takes what was met from one on. */
    void fill(int[] order, int start) {
      size = Math.min(ends.length, order.length - start);
      addresses.clear();
      for (int group = 0; group < size; group += GROUP) {
        int end = Math.min(size, group + GROUP);
        for (int i = group; i < end; i++) {
          take(order[start + i], i);
        }
        for (int i = group; i < end; i++) {
          int one = order[start + i];
          if (one < -behind.rows()) {
            addresses.add(precededBy.get(~one - behind.rows()));
          }
          stacks.copy(part(one), addresses);
          ends[i] = addresses.count();
        }
      }
    }

    /** Takes sums. */
    private void take(int one, int to) {
      if (one >= 0) {
        long[] row = rowsOf(one);
        int at = ROW * (one & CHUNK - 1);
        self[to] = row[at + SELF];
        inclusive[to] = row[at + INCLUSIVE];
        row[at + SELF] = 0;
        row[at + INCLUSIVE] = 0;
      } else if (one >= -behind.rows()) {
        self[to] = behindSelf.get(~one);
        inclusive[to] = behindInclusive.get(~one);
      } else {
        self[to] = precededWeight.get(~one - behind.rows());
        inclusive[to] = self[to];
      }
      layouts[to] = (int) (owner(one) >>> 32) - 1;
    }

    void handOn() {
      int from = 0;
      for (int i = 0; i < size; i++) {
        names.resolve(layouts[i], addresses, from, ends[i], functions);
        sink.add(functions, self[i], inclusive[i]);
        from = ends[i];
      }
    }
  }

  /**
   * Returns what was met in the order in which layouts were met, so that time goes forward only; of
   * one layout stacks with frames in common one after the other.
   *
   * @return parts, and complements of rows of what was left behind, and then of what is preceded
   */
  private int[] inOrder() {
    IntList met = new IntList(behind.rows() + preceded.rows() + 64);
    for (int i = 0; i < behind.rows() + preceded.rows(); i++) {
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
    int count = met.size();
    int[] ones = met.array();
    long[] packed = new long[count];
    int[] layouts = new int[count];
    int most = 0;
    for (int i = 0; i < count; i++) {
      packed[i] = (long) stacks.place(part(ones[i])) << 32 | i;
      layouts[i] = (int) (owner(ones[i]) >>> 32);
      most = Math.max(most, layouts[i]);
    }
    LongSort.sort(packed, count, Integer.SIZE);
    int[] starts = new int[most + 2];
    for (int layout : layouts) {
      starts[layout + 1]++;
    }
    for (int layout = 0; layout <= most; layout++) {
      starts[layout + 1] += starts[layout];
    }
    int[] order = new int[count];
    for (long place : packed) {
      order[starts[layouts[(int) place]]++] = ones[(int) place];
    }
    return order;
  }

  private int part(int met) {
    return met < 0 ? (int) owner(met) : met;
  }

  /**
   * Returns a word with the number of the layout of one that was met, plus 1, in its upper half.
   */
  private long owner(int met) {
    if (met >= 0) {
      return rowsOf(met)[ROW * (met & CHUNK - 1) + OWNER];
    }
    return met >= -behind.rows() ? behindOwner.get(~met) : precededOwner.get(~met - behind.rows());
  }

  private long[] rowsOf(int part) {
    return Objects.requireNonNull(rows[part >>> CHUNK_BITS]);
  }
}
