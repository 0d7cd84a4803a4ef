package io.ntrail.analysis.naming;

import java.util.Arrays;

/**
 * Lifetimes of things with ids that are used again: processes, threads. Ends and beginnings are
 * noted in any order and by several collectors; {@link #settle} puts them in order, and {@link #at}
 * finds which of the things with an id was there at a time.
 *
 * <p>A recording may begin in the middle of a life and end before it does. What is only known from
 * a rundown was there all along; what ended without a beginning was there since the start.
 */
public final class Lifetimes {
  /** Ids can be chosen so that they all want one place. */
  private static final int MOST_PROBES = 16;

  /** Began at this time. */
  public static final byte START = 0;

  /** Was there at this time, and already before: a rundown at the start. */
  public static final byte RUNDOWN_START = 1;

  /** Was still there at this time: a rundown at the end. */
  public static final byte RUNDOWN_END = 2;

  /** Ended at this time. */
  public static final byte END = 3;

  /** Had ended before this time, but something still holds it. */
  public static final byte DEFUNCT = 4;

  /** Notes that are kept, about 60 bytes each: those of a recording of weeks. */
  public static final int MOST = 1 << 20;

  private long leftOut;
  private int size;
  private int[] ids = new int[16];
  private long[] keys = new long[16];
  private byte[] kinds = new byte[16];
  private int[] values = new int[16];

  private int lives;
  private int[] lifeId = {};
  private long[] lifeFrom = {};
  private long[] lifeTo = {};
  private int[] lifeValue = {};

  /**
   * First life of an id, plus 1, by its hash; 0 is empty. Ids that find no place after {@link
   * #MOST_PROBES} are not in it.
   */
  private int[] firsts = new int[2];

  /** Creates lifetimes without notes. */
  public Lifetimes() {}

  /**
   * Notes a beginning, an end or a rundown.
   *
   * @param value what is known about the thing from this note: of one life the notes' values are
   *     expected to agree, and the last one counts
   */
  public void note(int id, long key, byte kind, int value) {
    if (size == MOST) {
      leftOut++;
      return;
    }
    if (size == ids.length) {
      int capacity = 2 * size;
      ids = Arrays.copyOf(ids, capacity);
      keys = Arrays.copyOf(keys, capacity);
      kinds = Arrays.copyOf(kinds, capacity);
      values = Arrays.copyOf(values, capacity);
    }
    ids[size] = id;
    keys[size] = key;
    kinds[size] = kind;
    values[size] = value;
    size++;
  }

  /** Adds the notes of another collector, whose values begin at {@code offset} here. */
  public void addAll(Lifetimes other, int offset) {
    for (int i = 0; i < other.size; i++) {
      note(other.ids[i], other.keys[i], other.kinds[i], other.values[i] + offset);
    }
    leftOut += other.leftOut;
  }

  /** Replaces every value by the one at its index. */
  public void renumber(int[] newValues) {
    for (int i = 0; i < size; i++) {
      values[i] = newValues[values[i]];
    }
  }

  /** Makes lives out of the notes. */
  public void settle() {
    Integer[] order = new Integer[size];
    Arrays.setAll(order, i -> i);
    // Ends before beginnings of one time stamp: an id is used again after it was given back. The
    // last two only make the order the same whatever thread noted what first.
    Arrays.sort(
        order,
        (a, b) -> {
          int byId = Integer.compare(ids[a], ids[b]);
          int byKey = byId != 0 ? byId : Long.compare(keys[a], keys[b]);
          int byKind = byKey != 0 ? byKey : Byte.compare(rank(kinds[a]), rank(kinds[b]));
          return byKind != 0 ? byKind : Integer.compare(values[a], values[b]);
        });
    lifeId = new int[size];
    lifeFrom = new long[size];
    lifeTo = new long[size];
    lifeValue = new int[size];
    lives = 0;
    boolean open = false;
    for (int i = 0; i < size; i++) {
      int note = order[i];
      boolean same = lives > 0 && lifeId[lives - 1] == ids[note];
      open &= same;
      long key = keys[note];
      switch (kinds[note]) {
        case START -> {
          // A beginning that was noted twice (two sessions of one recording) is one.
          if (!(open && lifeFrom[lives - 1] == key)) {
            if (open) {
              lifeTo[lives - 1] = key - 1;
            }
            begin(ids[note], key, Long.MAX_VALUE, values[note]);
            open = true;
          }
        }
        case RUNDOWN_START, RUNDOWN_END -> {
          if (open) {
            lifeValue[lives - 1] = values[note];
          } else {
            long from = same ? lifeTo[lives - 1] + 1 : Long.MIN_VALUE;
            begin(ids[note], from, Long.MAX_VALUE, values[note]);
            open = true;
          }
        }
        case END -> {
          if (open) {
            lifeTo[lives - 1] = key;
            lifeValue[lives - 1] = values[note];
            open = false;
          } else if (!(same && lifeTo[lives - 1] == key)) {
            long from = same ? lifeTo[lives - 1] + 1 : Long.MIN_VALUE;
            begin(ids[note], from, key, values[note]);
          }
        }
        default -> {
          if (!same) {
            begin(ids[note], Long.MIN_VALUE, key, values[note]);
          }
        }
      }
    }
    indexIds();
  }

  private static byte rank(byte kind) {
    return kind == END ? -1 : kind;
  }

  private void begin(int id, long from, long to, int value) {
    lifeId[lives] = id;
    lifeFrom[lives] = from;
    lifeTo[lives] = to;
    lifeValue[lives] = value;
    lives++;
  }

  /** Notes that were left out for want of memory. */
  public long leftOut() {
    return leftOut;
  }

  /** Returns the number of lives. */
  public int lives() {
    return lives;
  }

  int id(int life) {
    return lifeId[life];
  }

  long from(int life) {
    return lifeFrom[life];
  }

  long to(int life) {
    return lifeTo[life];
  }

  public int value(int life) {
    return lifeValue[life];
  }

  /**
   * The life that an id meant at a time: the last one that had begun. Ids are named a while after
   * their thing has ended (by what it left behind), and mean it until they are used again.
   *
   * @return -1 if nothing with this id was there yet
   */
  public int at(int id, long key) {
    int first = first(id);
    if (first < 0) {
      return -1;
    }
    int low = first;
    int high = low + 1;
    for (int step = 1; high < lives && isBegun(high, id, key); step *= 2) {
      low = high;
      high = (int) Math.min(lives, (long) high + step);
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isBegun(middle, id, key)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low > first ? low - 1 : -1;
  }

  /** Returns the first life of an id; -1 if it has none. */
  private int first(int id) {
    int slot = hash(id) & firsts.length - 1;
    for (int probes = 0; probes < MOST_PROBES; probes++) {
      if (firsts[slot] == 0) {
        return -1;
      }
      if (lifeId[firsts[slot] - 1] == id) {
        return firsts[slot] - 1;
      }
      slot = slot + 1 & firsts.length - 1;
    }
    int low = 0;
    int high = lives;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (lifeId[middle] < id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < lives && lifeId[low] == id ? low : -1;
  }

  private boolean isBegun(int life, int id, long key) {
    return lifeId[life] == id && lifeFrom[life] <= key;
  }

  /** Indexes the first life of each id; those of one id stand together. */
  private void indexIds() {
    firsts = new int[Math.max(2, Integer.highestOneBit(Math.max(1, lives)) * 4)];
    for (int life = 0; life < lives; life++) {
      if (life == 0 || lifeId[life - 1] != lifeId[life]) {
        int slot = hash(lifeId[life]) & firsts.length - 1;
        int probes = 0;
        while (firsts[slot] != 0 && probes < MOST_PROBES) {
          slot = slot + 1 & firsts.length - 1;
          probes++;
        }
        if (probes < MOST_PROBES) {
          firsts[slot] = life + 1;
        }
      }
    }
  }

  private static int hash(int id) {
    return id * 0x9E37_79B9 >>> 8;
  }
}
