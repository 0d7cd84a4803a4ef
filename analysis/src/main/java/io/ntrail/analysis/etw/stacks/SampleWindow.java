package io.ntrail.analysis.etw.stacks;

import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongSort;
import io.ntrail.formats.collections.Search;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Noted samples, and other events with stacks, of a stretch of time in order of time, with the
 * stack records that are in other buffers. Made by one thread.
 */
final class SampleWindow {
  /** Bits of a number of an entry; the others are for how much later than the first one it is. */
  private static final int NUMBER_BITS = 22;

  private static final long LONGEST = 1L << Long.SIZE - NUMBER_BITS - 1;

  /** Entries of one time that are held against each other. */
  private static final int MOST_AT_ONCE = 64;

  /** Entries whose keys are looked up together: processors wait for some ten places at a time. */
  private static final int GROUP = 32;

  private final NotedSamples notes;

  /** In the order of records of one time. */
  private final List<SampleBlock> blocks;

  /** Block in the upper half, entry in the lower. */
  private long[] places = {};

  /** Positions of those that have stack records in other buffers, and from which to which row. */
  private final IntList positions = new IntList();

  private final IntList firsts = new IntList();
  private final IntList ends = new IntList();
  private long undefined;
  private long touched;

  private SampleWindow(NotedSamples notes, List<SampleBlock> blocks) {
    this.notes = notes;
    this.blocks = blocks;
  }

  /**
   * Makes a window.
   *
   * @param own blocks with entries of it, in the order of records of one time
   * @param end the time before which it ends; {@link Long#MAX_VALUE} for no end
   * @param unfound receives the rows of stack records that are not about a noted event
   * @return null if a walk could give a stack to another event
   */
  static @Nullable SampleWindow of(
      NotedSamples notes,
      List<SampleBlock> own,
      StackKeys keys,
      long start,
      long end,
      IntList unfound) {
    SampleWindow window = new SampleWindow(notes, own);
    return window.fill(keys, start, end, unfound) ? window : null;
  }

  private boolean fill(StackKeys keys, long start, long end, IntList unfound) {
    int[] begins = new int[blocks.size()];
    int[] stops = new int[blocks.size()];
    int count = 0;
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (int b = 0; b < begins.length; b++) {
      SampleBlock block = blocks.get(b);
      begins[b] = block.ceiling(start);
      stops[b] = end == Long.MAX_VALUE ? block.size : block.ceiling(end);
      if (begins[b] < stops[b]) {
        count += stops[b] - begins[b];
        first = Math.min(first, block.time(begins[b]));
        last = Math.max(last, block.time(stops[b] - 1));
      }
    }
    long span = count == 0 ? 0 : last - first;
    if (count >= 1 << NUMBER_BITS || span < 0 || span >= LONGEST) {
      return false;
    }
    long[] order = new long[count];
    long[] unsorted = new long[count];
    int n = 0;
    for (int b = 0; b < begins.length; b++) {
      if (!list(b, begins[b], stops[b], first, order, unsorted, n)) {
        return false;
      }
      define(keys, blocks.get(b), begins[b], stops[b]);
      n += Math.max(0, stops[b] - begins[b]);
    }
    LongSort.sort(order, count, NUMBER_BITS);
    places = new long[count];
    for (int i = 0; i < count; i += GROUP) {
      place(order, unsorted, i, Math.min(count, i + GROUP));
    }
    return join(order, first, start, end, unfound);
  }

  /** Lists the entries of a block; false if it is not certain what their stacks are about. */
  private boolean list(
      int number, int from, int to, long first, long[] order, long[] places, int before) {
    SampleBlock block = blocks.get(number);
    int n = before;
    for (int entry = from; entry < to; entry++) {
      long time = block.time(entry);
      if (time <= block.before && SampleBlock.keys(block.about(entry)) > 0) {
        // The buffer before has a record of this time, too.
        return false;
      }
      places[n] = (long) number << 32 | entry;
      order[n] = time - first << NUMBER_BITS | n;
      n++;
    }
    return true;
  }

  private void place(long[] order, long[] unsorted, int from, int to) {
    for (int i = from; i < to; i++) {
      places[i] = unsorted[(int) order[i] & (1 << NUMBER_BITS) - 1];
    }
  }

  /** Puts definitions in the place of keys, some at a time. */
  private void define(StackKeys keys, SampleBlock block, int from, int to) {
    for (int entry = from; entry < to; entry += GROUP) {
      int end = Math.min(to, entry + GROUP);
      long sum = 0;
      for (int i = entry; i < end; i++) {
        int word = block.at(i) + SampleBlock.FIRST_KEY;
        sum += keys.touch(block.words[word]) + keys.touch(block.words[word + 1]);
      }
      touched += sum;
      for (int i = entry; i < end; i++) {
        define(keys, block, i);
      }
    }
  }

  private void define(StackKeys keys, SampleBlock block, int entry) {
    long about = block.about(entry);
    int count = SampleBlock.keys(about);
    int word = block.at(entry) + SampleBlock.FIRST_KEY;
    for (int i = 0; i < count; i++) {
      long written = block.time(entry) + SampleBlock.later(about, i);
      long defined = keys.find(block.words[word + i], written);
      block.words[word + i] = defined;
      undefined += defined == SampleBlock.UNDEFINED ? 1 : 0;
    }
  }

  /** Returns the sum of what was read ahead: kept so that reading it is not optimized away. */
  long touched() {
    return touched;
  }

  /** Stack records whose key nothing defines. */
  long undefined() {
    return undefined;
  }

  /** Gives entries their stack records in other buffers. */
  private boolean join(long[] order, long first, long start, long end, IntList unfound) {
    int row = Search.first(0, notes.apart(), i -> notes.times.get(i) >= start);
    int endRow =
        end == Long.MAX_VALUE
            ? notes.apart()
            : Search.first(row, notes.apart(), i -> notes.times.get(i) >= end);
    for (int i = 0; i < order.length; ) {
      long time = first + (order[i] >>> NUMBER_BITS);
      int next = i + 1;
      while (next < order.length && first + (order[next] >>> NUMBER_BITS) == time) {
        next++;
      }
      while (row < endRow && notes.times.get(row) < time) {
        unfound.add(row++);
      }
      int firstRow = row;
      while (row < endRow && notes.times.get(row) == time) {
        row++;
      }
      if ((next - i > 1 || row > firstRow) && !joinTime(time, i, next, firstRow, row, unfound)) {
        return false;
      }
      i = next;
    }
    while (row < endRow) {
      unfound.add(row++);
    }
    return true;
  }

  /** Gives the entries of one time their stack records; false if it is not certain which. */
  private boolean joinTime(long time, int from, int to, int row, int endRow, IntList unfound) {
    if (to - from > MOST_AT_ONCE) {
      return false;
    }
    for (int a = from; a < to; a++) {
      for (int b = a + 1; b < to; b++) {
        boolean isSame = block(a).thread(entry(a)) == block(b).thread(entry(b));
        boolean isApart = block(a) != block(b) && block(a).thread(entry(a)) != 0;
        if (isSame && isApart) {
          return false;
        }
      }
    }
    int run = row;
    while (run < endRow) {
      int end = run + 1;
      while (end < endRow && isOfRun(run, end)) {
        end++;
      }
      int found = -1;
      for (int i = from; i < to; i++) {
        if (block(i).thread(entry(i)) == notes.threads.get(run)) {
          if (notes.threads.get(run) == 0 && block(i).cpu != notes.cpus.get(run)) {
            return false;
          }
          if (found < 0 || SampleBlock.keys(about(found)) == 0 && SampleBlock.keys(about(i)) > 0) {
            found = i;
          }
        }
      }
      if (found < 0) {
        for (int i = run; i < end; i++) {
          unfound.add(i);
        }
      } else if (!isCertain(time, found, run, end)) {
        return false;
      } else {
        give(found, run, end);
      }
      run = end;
    }
    return true;
  }

  private boolean isOfRun(int run, int row) {
    int thread = notes.threads.get(run);
    return notes.threads.get(row) == thread
        && (thread != 0 || notes.cpus.get(row) == notes.cpus.get(run));
  }

  /** Returns true if a walk would give some stack records to an entry, too. */
  private boolean isCertain(long time, int position, int row, int end) {
    SampleBlock block = block(position);
    long about = about(position);
    int keys = SampleBlock.keys(about);
    if (time <= block.before || keys == 0 && (about & SampleBlock.NOT_FIRST) != 0) {
      return false;
    }
    for (int key = 0; key < keys; key++) {
      long written = time + SampleBlock.later(about, key);
      for (int i = row; i < end; i++) {
        if (notes.written.get(i) == written) {
          return false;
        }
      }
    }
    // The CPU of the earliest one counts.
    boolean isEarlier = keys == 0 || notes.written.get(row) < time + SampleBlock.later(about, 0);
    return !isEarlier || notes.cpus.get(row) == block.cpu;
  }

  private void give(int position, int row, int end) {
    int at = positions.size();
    positions.add(position);
    firsts.add(row);
    ends.add(end);
    while (at > 0 && positions.get(at - 1) > position) {
      positions.set(at, positions.get(at - 1));
      firsts.set(at, firsts.get(at - 1));
      ends.set(at, ends.get(at - 1));
      at--;
    }
    positions.set(at, position);
    firsts.set(at, row);
    ends.set(at, end);
  }

  private long about(int position) {
    return block(position).about(entry(position));
  }

  int count() {
    return places.length;
  }

  SampleBlock block(int position) {
    return blocks.get((int) (places[position] >>> 32));
  }

  int entry(int position) {
    return (int) places[position];
  }

  /** Number of entries that have stack records in other buffers. */
  int withMore() {
    return positions.size();
  }

  /** The position of one of them, ascending. */
  int position(int more) {
    return positions.get(more);
  }

  /** Its first stack record. */
  int firstMore(int more) {
    return firsts.get(more);
  }

  /** The one after its last. */
  int endMore(int more) {
    return ends.get(more);
  }
}
