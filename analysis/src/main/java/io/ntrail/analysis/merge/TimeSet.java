package io.ntrail.analysis.merge;

import io.ntrail.formats.collections.LongIntMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Set of times in memory that has a limit. It is exact until the limit is reached; from then on its
 * times are rounded to twice as many units, again and again if need be, so that it has all that was
 * added and may seem to have their close neighbors. For choices where a missing record does more
 * harm than one too many; an end too many of a request or operation must find the beginning that it
 * has in the whole recording ({@link PairedRecords}).
 *
 * <p>Times of a recording are close to each other: each stretch of 65,536 of them has a bit for
 * each time, or the times themselves while these take less. Read by any number of threads once all
 * times are added.
 */
final class TimeSet {
  private static final int STRETCH_SHIFT = 16;
  private static final int STRETCH = 1 << STRETCH_SHIFT;
  private static final int WORDS = STRETCH >> 6;
  private static final int FEWEST = 8;

  /** Times of a stretch that take as much memory as a bit for each. */
  private static final int MOST_LISTED = STRETCH / Character.SIZE;

  /** Memory of a stretch beside its times. */
  private static final int OVERHEAD = 64;

  /** Times of a stretch: either listed in ascending order, or as bits. */
  private static final class Stretch {
    char[] listed = new char[FEWEST];
    int count;
    long[] bits = NONE;

    boolean contains(int time) {
      return bits.length > 0
          ? (bits[time >> 6] >> time & 1) != 0
          : Arrays.binarySearch(listed, 0, count, (char) time) >= 0;
    }

    /** Adds a time; returns by how many bytes it grew. */
    int add(int time) {
      if (bits.length > 0) {
        bits[time >> 6] |= 1L << time;
        return 0;
      }
      int at = count;
      if (at > 0 && listed[at - 1] >= time) {
        at = Arrays.binarySearch(listed, 0, count, (char) time);
        if (at >= 0) {
          return 0;
        }
        at = -at - 1;
      }
      if (count == MOST_LISTED) {
        int before = listed.length;
        bits = new long[WORDS];
        for (char known : listed) {
          bits[known >> 6] |= 1L << known;
        }
        listed = new char[0];
        add(time);
        return Long.BYTES * WORDS - Character.BYTES * before;
      }
      int growth = 0;
      if (count == listed.length) {
        growth = Character.BYTES * count;
        listed = Arrays.copyOf(listed, 2 * count);
      }
      System.arraycopy(listed, at, listed, at + 1, count - at);
      listed[at] = (char) time;
      count++;
      return growth;
    }

    /** Adds its times to another set, rounded to twice as many units. */
    void copyTo(Stretch other, int from) {
      for (int i = 0; i < count && bits.length == 0; i++) {
        other.add(from + (listed[i] >> 1));
      }
      for (int word = 0; word < bits.length; word++) {
        long rest = bits[word];
        while (rest != 0) {
          other.add(from + (word << 6 | Long.numberOfTrailingZeros(rest)) / 2);
          rest &= rest - 1;
        }
      }
    }

    long bytes() {
      return OVERHEAD + (long) Character.BYTES * listed.length + (long) Long.BYTES * bits.length;
    }
  }

  private static final long[] NONE = {};

  private final long limit;
  private int shift;
  private long bytes;

  /** Places of the stretches, counted from 1, by their numbers. */
  private LongIntMap places = new LongIntMap();

  private List<Stretch> stretches = new ArrayList<>();
  private List<Long> numbers = new ArrayList<>();
  private long lastNumber;
  private Stretch last = new Stretch();

  /**
   * Makes an empty one.
   *
   * @param limit of its memory in bytes; may be exceeded for a moment by half of it
   */
  TimeSet(long limit) {
    this.limit = limit;
  }

  /** Adds a time. */
  void add(long time) {
    long unit = time >> shift;
    bytes += stretch(unit >> STRETCH_SHIFT).add((int) unit & STRETCH - 1);
    while (bytes > limit && shift < Long.SIZE - STRETCH_SHIFT) {
      coarsen();
    }
  }

  private Stretch stretch(long number) {
    if (number == lastNumber && !stretches.isEmpty()) {
      return last;
    }
    int place = places.get(number);
    if (place <= 0) {
      stretches.add(new Stretch());
      numbers.add(number);
      place = stretches.size();
      places.put(number, place);
      bytes += OVERHEAD + Character.BYTES * FEWEST;
    }
    lastNumber = number;
    last = stretches.get(place - 1);
    return last;
  }

  private void coarsen() {
    List<Stretch> before = stretches;
    List<Long> beforeNumbers = numbers;
    stretches = new ArrayList<>();
    numbers = new ArrayList<>();
    places = new LongIntMap();
    shift++;
    bytes = 0;
    for (int i = 0; i < before.size(); i++) {
      long number = beforeNumbers.get(i);
      Stretch one = before.set(i, last);
      one.copyTo(stretch(number >> 1), (int) (number & 1) << STRETCH_SHIFT - 1);
    }
    bytes = stretches.stream().mapToLong(Stretch::bytes).sum();
  }

  /** Returns false if a time was not added; true if it was, or is rounded to the same. */
  boolean mayContain(long time) {
    long unit = time >> shift;
    int place = places.get(unit >> STRETCH_SHIFT);
    return place > 0 && stretches.get(place - 1).contains((int) unit & STRETCH - 1);
  }

  /** Returns the units that times are rounded to; 1 if they are exact. */
  long rounding() {
    return 1L << shift;
  }
}
