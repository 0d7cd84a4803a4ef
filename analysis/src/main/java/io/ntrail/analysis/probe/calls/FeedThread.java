package io.ntrail.analysis.probe.calls;

import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.TracedThread;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records of a thread on their way from the recorder to the reader. The recorder adds them; handing
 * them over and taking them is for who has the feed's lock.
 */
final class FeedThread {
  private static final int FIRST_WORDS = 64;
  private static final int MOST_WORDS = 1 << 14;

  /** Words of a record without its further values. */
  private static final int HEAD = 6;

  private static final long[] NOTHING = {};

  final long number;
  volatile @Nullable TracedThread definition;

  /** True if the reader knows of it. */
  boolean isKnown;

  private long firstTicks;
  private boolean hasFirst;

  private long[] filling = NOTHING;
  private int filled;
  private List<long[]> full = new ArrayList<>();
  private final List<long[]> between = new ArrayList<>();

  private final Deque<long[]> blocks = new ArrayDeque<>();
  private long[] block = NOTHING;
  private int at;
  private int next;

  FeedThread(long number) {
    this.number = number;
  }

  // By the recorder.

  void add(
      int kind,
      long ticks,
      long function,
      int area,
      int slot,
      long key,
      long value,
      long[] more,
      int count) {
    if (!hasFirst) {
      hasFirst = true;
      firstTicks = ticks;
    }
    int place = room(HEAD + count);
    filling[place] = kind | (long) count << 8 | (long) area << 32;
    filling[place + 1] = ticks;
    filling[place + 2] = function;
    filling[place + 3] = slot;
    filling[place + 4] = key;
    filling[place + 5] = value;
    System.arraycopy(more, 0, filling, place + HEAD, count);
  }

  void lost(long records) {
    int place = room(HEAD);
    Arrays.fill(filling, place, place + HEAD, 0);
    filling[place] = EventKind.LOST;
    filling[place + 5] = records;
  }

  private int room(int words) {
    if (filled + words > filling.length) {
      finishBlock();
      filling = new long[Math.max(words, Math.clamp(2L * filling.length, FIRST_WORDS, MOST_WORDS))];
    }
    int place = filled;
    filled += words;
    return place;
  }

  private void finishBlock() {
    if (filled > 0) {
      full.add(filled == filling.length ? filling : Arrays.copyOf(filling, filled));
      filled = 0;
      // As long as before.
      filling = new long[filling.length];
    }
  }

  /** Hands over what was added; returns false if there was nothing. */
  boolean handOver() {
    finishBlock();
    if (full.isEmpty()) {
      return false;
    }
    between.addAll(full);
    full = new ArrayList<>();
    return true;
  }

  // By the reader.

  /** Takes what was handed over. */
  void take() {
    blocks.addAll(between);
    between.clear();
  }

  /**
   * Goes to the next record.
   *
   * @param isLast true if the reader gets all
   * @param until ticks, else: only what is not later
   */
  boolean next(boolean isLast, long until) {
    if (next >= block.length) {
      if (blocks.isEmpty()) {
        return false;
      }
      block = blocks.remove();
      next = 0;
    }
    boolean isEvent = ((int) block[next] & 0xFF) != EventKind.LOST;
    if (isEvent && !isLast && Long.compareUnsigned(block[next + 1], until) > 0) {
      return false;
    }
    at = next;
    next += HEAD + count();
    return true;
  }

  long firstTicks() {
    return firstTicks;
  }

  int kind() {
    return (int) block[at] & 0xFF;
  }

  boolean isLost() {
    return kind() == EventKind.LOST;
  }

  int count() {
    return (int) block[at] >>> 8 & 0xFF;
  }

  int area() {
    return (int) (block[at] >>> 32);
  }

  long ticks() {
    return block[at + 1];
  }

  long function() {
    return block[at + 2];
  }

  int slot() {
    return (int) block[at + 3];
  }

  long key() {
    return block[at + 4];
  }

  long value() {
    return block[at + 5];
  }

  long more(int index) {
    return block[at + HEAD + index];
  }
}
