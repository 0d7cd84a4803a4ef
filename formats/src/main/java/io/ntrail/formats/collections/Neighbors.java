package io.ntrail.formats.collections;

import java.util.function.LongPredicate;

/**
 * The nearest to a key among numbers that come in any order: the floor, the last that is not
 * greater, and the ceiling, the first that is greater. For one question about a table that is not
 * worth a sorted copy.
 */
public final class Neighbors {
  private final long key;
  private final LongPredicate counts;
  private long floor = -1;
  private long ceiling = Long.MAX_VALUE;

  /**
   * Makes one without neighbors.
   *
   * @param counts decides for a number from 0 whether it is one; asked only for nearer ones
   */
  public Neighbors(long key, LongPredicate counts) {
    this.key = key;
    this.counts = counts;
  }

  /** Takes up a number; returns true if it is the floor and nothing equal to it was before. */
  public boolean offer(long number) {
    if (number > key) {
      if (number < ceiling && counts.test(number)) {
        ceiling = number;
      }
      return false;
    }
    if (number <= floor || !counts.test(number)) {
      return false;
    }
    floor = number;
    return true;
  }

  /** Returns the last number that is not greater than the key, or -1. */
  public long floor() {
    return floor;
  }

  /** Returns the first number that is greater than the key, {@code Long.MAX_VALUE} without one. */
  public long ceiling() {
    return ceiling;
  }
}
