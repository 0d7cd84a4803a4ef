package io.ntrail.analysis.flow;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Compares a flow with the one that is true, as a comparison of texts does: where they part, it
 * looks for the nearest place where both go on with the same addresses.
 */
final class FlowDiff {
  /** Addresses in a row that make a place the same. */
  private static final int SAME = 48;

  /** Addresses of the true flow at most that may have been left out. */
  private static final int WINDOW = 20_000;

  private final long[] sound;
  private final long[] found;
  private final int end;
  private int inSound;
  private int inFound;

  /**
   * @param end of what is compared of the flow that was found
   */
  FlowDiff(long[] sound, long[] found, int end) {
    this.sound = sound;
    this.found = found;
    this.end = end;
  }

  /** Returns how many addresses of the flow that was found are not in the true one, in order. */
  long wrong() {
    return wrongFrom(0);
  }

  /** Returns how many of those come behind a place. */
  long wrongFrom(int first) {
    long wrong = 0;
    while (true) {
      int same = Arrays.mismatch(sound, inSound, sound.length, found, inFound, end);
      int step = same < 0 ? end - inFound : same;
      inSound += step;
      inFound += step;
      if (inFound == end) {
        return wrong;
      }
      int before = inFound;
      if (!meet()) {
        return wrong + Math.max(0, end - Math.max(before, first));
      }
      wrong += Math.max(0, inFound - Math.max(before, first));
    }
  }

  private static int hash(long[] of, int at) {
    int hash = 1;
    for (int i = at; i < at + SAME; i++) {
      hash = 31 * hash + Long.hashCode(of[i]);
    }
    return hash;
  }

  /** Goes to the next place where both are the same; false if there is none. */
  private boolean meet() {
    Map<Integer, Integer> places = new HashMap<>();
    int last = Math.min(sound.length - SAME, inSound + WINDOW);
    for (int at = last; at >= inSound; at--) {
      places.put(hash(sound, at), at);
    }
    for (int at = inFound; at + SAME <= end; at++) {
      int place = places.getOrDefault(hash(found, at), -1);
      if (place >= 0 && Arrays.equals(sound, place, place + SAME, found, at, at + SAME)) {
        inSound = place;
        inFound = at;
        return true;
      }
    }
    return false;
  }
}
