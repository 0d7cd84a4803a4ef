package io.ntrail.live.session;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.SharedFile;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.live.code.SessionLayout;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

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
        file.setU32Release(at + SamplePlaces.STATE, SamplePlaces.FREE);
        taken++;
      }
    }
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
   * Returns the number of stacks that should have been sampled and were not: no place was free, or
   * the system did not know the stack.
   */
  public long missed() {
    return file.u64Acquire(SessionLayout.AT_SAMPLES_MISSED)
        + file.u64Acquire(SessionLayout.AT_SAMPLES_UNKNOWN);
  }
}
