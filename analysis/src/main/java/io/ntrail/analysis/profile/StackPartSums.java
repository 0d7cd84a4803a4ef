package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongSort;
import java.util.Objects;
import java.util.function.Supplier;
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

  /** Stacks that are worth a thread that names them: some milliseconds of work. */
  private static final int LEAST = 1 << 12;

  /** Parts of the work of naming for each thread. */
  private static final int SHARES = 4;

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
  private final long mostRows;
  private final int mostPreceded;
  private final StackAddresses frames = new StackAddresses();
  private final long[] @Nullable [] rows;
  private int chunks;
  private final IntList functions = new IntList();

  /** Sums that were left behind. */
  private final Columns behind = new Columns(64);

  /** Layout + 1 in the upper half, part in the lower. */
  private final LongColumn behindOwner = behind.longs();

  private final LongColumn behindSelf = behind.longs();
  private final LongColumn behindInclusive = behind.longs();

  /** Stacks with an address before their first part, which is summed with it alone. */
  private final Columns preceded = new Columns(64);

  /** Layout + 1 in the upper half, first part in the lower. */
  private final LongColumn precededOwner = preceded.longs();

  private final LongColumn precededBy = preceded.longs();
  private final LongColumn precededWeight = preceded.longs();

  private long touched;

  /**
   * Has summed nothing yet.
   *
   * @param sharers how many there are of the same stacks, which share the memory
   */
  StackPartSums(FrameLookup names, StackParts stacks, int sharers) {
    this.mostRows = MOST_ROWS / sharers;
    this.mostPreceded = MOST_PRECEDED / sharers;
    this.names = names;
    this.meanings = names.functions();
    this.stacks = stacks;
    this.rows = new long[(stacks.count() >>> CHUNK_BITS) + 1][];
  }

  FrameLookup names() {
    return names;
  }

  StackParts stacks() {
    return stacks;
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
    if (stack.hasBefore() && preceded.rows() >= mostPreceded) {
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
      precede(rowsOfFirst[atFirst + OWNER] & -1L << 32 | first, stack.before(), stack.weight());
      return true;
    }
    rowsOfFirst[atFirst + SELF] += stack.weight();
    rowsOfFirst[atFirst + INCLUSIVE] += stack.weight();
    return true;
  }

  private void precede(long owner, long before, long weight) {
    int to = preceded.add();
    precededOwner.set(to, owner);
    precededBy.set(to, before);
    precededWeight.set(to, weight);
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
    if (found == null && (long) chunks << CHUNK_BITS < mostRows) {
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
    if (behind.rows() >= MOST_BEHIND) {
      return false;
    }
    leaveBehind(row[at + OWNER] & -1L << 32 | part, row[at + SELF], row[at + INCLUSIVE]);
    row[at + SELF] = 0;
    row[at + INCLUSIVE] = 0;
    return true;
  }

  private void leaveBehind(long owner, long self, long inclusive) {
    int to = behind.add();
    behindOwner.set(to, owner);
    behindSelf.set(to, self);
    behindInclusive.set(to, inclusive);
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

  /** Adds all that another one has summed of the same stacks, which is of no use afterwards. */
  void addAll(StackPartSums other) {
    int[] layouts = names.layoutNumbers(other.names);
    for (int chunk = 0; chunk < rows.length; chunk++) {
      long[] from = other.rows[chunk];
      if (from != null) {
        other.rows[chunk] = null;
        renumber(from, layouts);
        addAll(chunk, from);
      }
    }
    for (int i = 0; i < other.behind.rows(); i++) {
      long owner = renumbered(other.behindOwner.get(i), layouts);
      leaveBehind(owner, other.behindSelf.get(i), other.behindInclusive.get(i));
    }
    for (int i = 0; i < other.preceded.rows(); i++) {
      precede(
          renumbered(other.precededOwner.get(i), layouts),
          other.precededBy.get(i),
          other.precededWeight.get(i));
    }
  }

  private static void renumber(long[] row, int[] layouts) {
    for (int at = 0; at < row.length; at += ROW) {
      row[at + OWNER] = renumbered(row[at + OWNER], layouts);
    }
  }

  private static long renumbered(long owner, int[] layouts) {
    int layout = (int) (owner >>> 32) - 1;
    return layout < 0 ? owner : layouts[layout] + 1L << 32 | owner & 0xFFFF_FFFFL;
  }

  private void addAll(int chunk, long[] from) {
    long[] row = rows[chunk];
    if (row == null) {
      rows[chunk] = from;
      chunks++;
      return;
    }
    for (int at = 0; at < row.length; at += ROW) {
      if (from[at + SELF] == 0 && from[at + INCLUSIVE] == 0) {
        continue;
      }
      if (row[at + SELF] == 0 && row[at + INCLUSIVE] == 0) {
        row[at + OWNER] = from[at + OWNER];
      }
      if (row[at + OWNER] >>> 32 == from[at + OWNER] >>> 32) {
        row[at + SELF] += from[at + SELF];
        row[at + INCLUSIVE] += from[at + INCLUSIVE];
      } else {
        long owner = from[at + OWNER] & -1L << 32 | chunk << CHUNK_BITS | at / ROW;
        leaveBehind(owner, from[at + SELF], from[at + INCLUSIVE]);
      }
    }
  }

  /**
   * Names of stacks for one thread, and what receives them.
   *
   * @param names may be used by this thread only
   */
  record Naming(FrameLookup names, Sink sink) {}

  /**
   * Hands on all that was added, and forgets it.
   *
   * @param sink receives what this thread names
   * @param cores threads to use
   * @param more makes what further threads name with
   */
  void settle(Sink sink, int cores, Supplier<Naming> more) {
    int[] order = inOrder();
    int threads = Math.clamp(order.length / LEAST, 1, cores);
    if (threads == 1) {
      new Batch(new Naming(names, sink), false).handOn(order, 0, order.length);
    } else {
      int share = Math.ceilDiv(order.length, threads * SHARES);
      ParallelTasks.run(
          threads,
          threads * SHARES,
          () -> new Batch(more.get(), true),
          (batch, i) ->
              batch.handOn(
                  order,
                  Math.min(order.length, i * share),
                  Math.min(order.length, (i + 1) * share)),
          (a, _) -> a);
    }
    behind.clear();
    preceded.clear();
  }

  /** Some of what was met, with its sums and its frames. Used again, by one thread. */
  private final class Batch {
    private final FrameLookup names;
    private final Sink sink;

    /** Numbers of layouts in the lookup; none if that is the one that has numbered them. */
    private final int[] layoutNumbers;

    private final IntList functions = new IntList();
    private final StackAddresses addresses = new StackAddresses();
    private final int[] ends = new int[GROUP];
    private final int[] layouts = new int[GROUP];
    private final long[] self = new long[GROUP];
    private final long[] inclusive = new long[GROUP];
    private int size;

    Batch(Naming naming, boolean isOther) {
      names = naming.names;
      sink = naming.sink;
      layoutNumbers = isOther ? names.layoutNumbers(StackPartSums.this.names) : new int[0];
    }

    void handOn(int[] order, int from, int to) {
      for (int start = from; start < to; start += GROUP) {
        fill(order, start, Math.min(to, start + GROUP));
        handOn();
      }
    }

    private void fill(int[] order, int start, int end) {
      size = end - start;
      addresses.clear();
      for (int i = 0; i < size; i++) {
        take(order[start + i], i);
      }
      for (int i = 0; i < size; i++) {
        int one = order[start + i];
        if (one < -behind.rows()) {
          addresses.add(precededBy.get(~one - behind.rows()));
        }
        stacks.copy(part(one), addresses);
        ends[i] = addresses.count();
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
      int layout = (int) (owner(one) >>> 32) - 1;
      layouts[to] = layoutNumbers.length == 0 ? layout : layoutNumbers[layout];
    }

    private void handOn() {
      int from = 0;
      for (int i = 0; i < size; i++) {
        names.resolve(layouts[i], addresses, from, ends[i], functions);
        sink.add(functions, self[i], inclusive[i]);
        from = ends[i];
      }
    }
  }

  /**
   * Returns what was met in the order of the times at which layouts were met, so that time goes
   * forward only; of one layout stacks with frames in common one after the other.
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
    int[] ranks = names.layoutRanks();
    for (int i = 0; i < count; i++) {
      packed[i] = (long) stacks.place(part(ones[i])) << 32 | i;
      layouts[i] = ranks[(int) (owner(ones[i]) >>> 32) - 1];
    }
    LongSort.sort(packed, count, Integer.SIZE);
    int[] starts = new int[ranks.length + 1];
    for (int layout : layouts) {
      starts[layout + 1]++;
    }
    for (int layout = 0; layout < ranks.length; layout++) {
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
