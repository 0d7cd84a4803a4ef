package io.ntrail.analysis.profile;

import io.ntrail.analysis.recording.IndexSort;
import io.ntrail.analysis.stacks.Frames;
import io.ntrail.analysis.stacks.Stacks;
import org.jspecify.annotations.Nullable;

/**
 * Weights of stacks that are made of definitions of stack keys, by definition: what is met a
 * thousand times is resolved once. A definition is summed up under one layout at a time, because
 * its frames mean the same functions as long as the same lies where they point.
 */
final class KeyedSums {
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

  /** Who changes layouts more often is not worth the trouble. */
  private static final int MOST_CHANGES = 16;

  /** What sums are added to in the end. */
  interface Sink {
    /**
     * Adds the weights of a stack.
     *
     * @param functions of its frames, innermost first
     * @param self weight where it is the innermost part
     */
    void add(int[] functions, int count, long self, long inclusive);
  }

  private final Functions names;
  private final Stacks stacks;
  private final Sink sink;
  private final Frames frames = new Frames();
  private final long[] @Nullable [] rows;
  private int[] functions = new int[256];

  KeyedSums(Functions names, Stacks stacks, Sink sink) {
    this.names = names;
    this.stacks = stacks;
    this.sink = sink;
    this.rows = new long[(stacks.definitions() >>> CHUNK_BITS) + 1][];
  }

  /** Adds a stack; false if it must be added by its frames. */
  boolean add(WeightedStack stack) {
    int first = stack.definitions[0];
    long[] rowsOfFirst = rows(first);
    int atFirst = ROW * (first & CHUNK - 1);
    if (!claim(stack, first, rowsOfFirst, atFirst, stack.kernel)) {
      return false;
    }
    if (stack.keyed == 2) {
      int second = stack.definitions[1];
      long[] rowsOfSecond = rows(second);
      int atSecond = ROW * (second & CHUNK - 1);
      // What both parts went through counts once.
      if (!claim(stack, second, rowsOfSecond, atSecond, false)
          || inBoth(stack, first, rowsOfFirst, atFirst)
              && inBoth(stack, second, rowsOfSecond, atSecond)) {
        return false;
      }
      rowsOfSecond[atSecond + INCLUSIVE] += stack.weight;
    }
    rowsOfFirst[atFirst + SELF] += stack.weight;
    rowsOfFirst[atFirst + INCLUSIVE] += stack.weight;
    return true;
  }

  private long[] rows(int definition) {
    long[] found = rows[definition >>> CHUNK_BITS];
    if (found == null) {
      found = new long[ROW * CHUNK];
      rows[definition >>> CHUNK_BITS] = found;
    }
    return found;
  }

  /** Makes sure that a definition is summed up under the layout of a stack. */
  private boolean claim(WeightedStack stack, int definition, long[] row, int at, boolean kernel) {
    int layout = names.layout(stack.process, stack.key, kernel);
    long owner = row[at + OWNER];
    if ((int) (owner >>> 32) == layout + 1) {
      return layout >= 0;
    }
    int changes = (int) owner >>> 2;
    if (layout < 0 || changes >= MOST_CHANGES) {
      return false;
    }
    settle(definition, row, at);
    row[at + OWNER] = layout + 1L << 32 | changes + 1 << 2;
    return true;
  }

  private boolean inBoth(WeightedStack stack, int definition, long[] row, int at) {
    if ((row[at + OWNER] & LOOKED) == 0) {
      frames.clear();
      stacks.copyDefinition(definition, frames);
      functions = names.resolve(stack.process, stack.key, frames, functions);
      int flags = LOOKED;
      for (int i = 0; i < frames.count(); i++) {
        flags |= names.mayBeInBothHalves(functions[i]) ? IN_BOTH : 0;
      }
      row[at + OWNER] |= flags;
    }
    return (row[at + OWNER] & IN_BOTH) != 0;
  }

  private void settle(int definition, long[] row, int at) {
    long self = row[at + SELF];
    long inclusive = row[at + INCLUSIVE];
    if (self != 0 || inclusive != 0) {
      frames.clear();
      stacks.copyDefinition(definition, frames);
      functions = names.resolve((int) (row[at + OWNER] >>> 32) - 1, frames, functions);
      sink.add(functions, frames.count(), self, inclusive);
      row[at + SELF] = 0;
      row[at + INCLUSIVE] = 0;
    }
  }

  /** Hands on all that was added. */
  void settle() {
    int[] met = new int[stacks.definitions()];
    int count = 0;
    for (int i = 0; i < met.length; i++) {
      long[] row = rows[i >>> CHUNK_BITS];
      if (row != null && row[ROW * (i & CHUNK - 1) + OWNER] != 0) {
        met[count++] = i;
      }
    }
    // One layout after the other, and stacks with frames in common one after the other.
    int[] order =
        IndexSort.by(
            count,
            (a, b) -> {
              int byLayout = Integer.compare(layout(met[a]), layout(met[b]));
              return byLayout != 0
                  ? byLayout
                  : Integer.compare(stacks.place(met[a]), stacks.place(met[b]));
            });
    for (int i : order) {
      settle(met[i], rows(met[i]), ROW * (met[i] & CHUNK - 1));
    }
  }

  private int layout(int definition) {
    return (int) (rows(definition)[ROW * (definition & CHUNK - 1) + OWNER] >>> 32);
  }
}
