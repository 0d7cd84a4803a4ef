package io.ntrail.live.session;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.SharedFile;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.live.code.SessionLayout;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * Controller's view of the places in a session file into which threads copy stacks. The recorder
 * empties the places all the time; what it found waits here, up to a limit. Any thread may call it.
 */
public final class StackSamples {
  /** Number of samples that wait at most: 8 MiB. */
  private static final int MOST_WAITING = 512;

  private final SharedFile file;
  private final SamplePlaces layout;
  private final Deque<Bytes> waiting = new ArrayDeque<>();
  private long taken;

  /** Threads that had claimed the places at the last look; 0 where none had, or is not known. */
  private final int[] claimants = new int[SamplePlaces.PLACES];

  /** Places that had the same claimant at the look before. */
  private final BitSet stuck = new BitSet();

  private long abandoned;

  StackSamples(SharedFile file, SamplePlaces layout) {
    this.file = file;
    this.layout = layout;
  }

  /** Returns where the places are; there may be none. */
  public SamplePlaces layout() {
    return layout;
  }

  /** Makes sure that there is disk space for all places. */
  void reserve() throws IOException {
    if (layout.exist()) {
      file.reserve(layout.at(), SamplePlaces.BYTES);
    }
  }

  /** Empties the places that threads have filled, unless too many wait already. */
  public synchronized void collect() {
    if (!layout.exist()) {
      return;
    }
    int room = MOST_WAITING - waiting.size();
    for (int number = 0; number < SamplePlaces.PLACES && number < room; number++) {
      long at = layout.place(number);
      if (file.u32Acquire(at + SamplePlaces.STATE) == SamplePlaces.WRITTEN) {
        waiting.add(copy(at));
        // So that a thread that claims it and is not named in it is not taken for the last one.
        file.setU32(at + SamplePlaces.THREAD, 0);
        file.setU32Release(at + SamplePlaces.STATE, SamplePlaces.FREE);
        taken++;
      }
    }
  }

  /**
   * Looks for places whose threads have been filling them since the last call: they may have ended
   * meanwhile. Returns whether there are any.
   */
  public synchronized boolean areStuck() {
    stuck.clear();
    for (int number = 0; layout.exist() && number < SamplePlaces.PLACES; number++) {
      int claimant = claimant(layout.place(number));
      stuck.set(number, claimant != 0 && claimant == claimants[number]);
      claimants[number] = claimant;
    }
    return !stuck.isEmpty();
  }

  private int claimant(long at) {
    return file.u32Acquire(at + SamplePlaces.STATE) == SamplePlaces.CLAIMED
        ? file.u32(at + SamplePlaces.THREAD)
        : 0;
  }

  /**
   * Frees the places that were found by {@link #areStuck} and that threads claim which are gone.
   *
   * @param threads ids of the threads that there are
   */
  public synchronized void freeOthers(Set<Integer> threads) {
    for (int number = stuck.nextSetBit(0); number >= 0; number = stuck.nextSetBit(number + 1)) {
      long at = layout.place(number);
      int claimant = claimant(at);
      if (claimant == claimants[number] && !threads.contains(claimant)) {
        file.setU32(at + SamplePlaces.THREAD, 0);
        file.setU32Release(at + SamplePlaces.STATE, SamplePlaces.FREE);
        abandoned++;
      }
    }
    stuck.clear();
  }

  /** Returns the number of places that are claimed: at the end, of stacks that are missing. */
  public synchronized int unfinished() {
    int claimed = 0;
    for (int number = 0; layout.exist() && number < SamplePlaces.PLACES; number++) {
      long at = layout.place(number);
      claimed += file.u32Acquire(at + SamplePlaces.STATE) == SamplePlaces.CLAIMED ? 1 : 0;
    }
    return claimed;
  }

  /** Copies the part of a place that the target says it has filled. */
  private Bytes copy(long at) {
    long used =
        Integer.toUnsignedLong(file.u32(at + SamplePlaces.STACK_AT))
            + Integer.toUnsignedLong(file.u32(at + SamplePlaces.STACK_BYTES));
    int length = Math.clamp(used, SamplePlaces.FRAMES, SamplePlaces.PLACE_BYTES);
    long[] words = new long[(length + Long.BYTES - 1) / Long.BYTES];
    file.copyTo(at, words, 0, words.length);
    BytesBuilder bytes = new BytesBuilder(words.length * Long.BYTES);
    for (long word : words) {
      bytes.u64(word);
    }
    return Bytes.copyOf(bytes.toArray(), "sampled stack");
  }

  /** Returns how many places wait. */
  public synchronized int waiting() {
    return waiting.size();
  }

  /** Returns the places that wait, the oldest first, and forgets them. */
  public synchronized List<Bytes> take(int most) {
    List<Bytes> some = new ArrayList<>();
    while (some.size() < most && !waiting.isEmpty()) {
      some.add(waiting.remove());
    }
    return some;
  }

  /** Returns the number of stacks that were copied and found so far. */
  public synchronized long taken() {
    return taken;
  }

  /**
   * Returns the number of stacks that should have been sampled and were not: no place was free, the
   * system did not know the stack, or the thread ended before it was copied.
   */
  public synchronized long missed() {
    return abandoned
        + file.u64Acquire(SessionLayout.AT_SAMPLES_MISSED)
        + file.u64Acquire(SessionLayout.AT_SAMPLES_UNKNOWN);
  }
}
