package io.ntrail.analysis.naming;

import io.ntrail.analysis.etw.recording.IndexSort;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * Address ranges of processes with their lifetimes: images, compiled methods. Beginnings, ends and
 * rundowns are noted in any order and by several collectors; {@link #settle} makes lives of them.
 *
 * <p>A range that a rundown tells of was there since its process began, or since what lay there
 * before had gone; one whose end nobody tells is there until its process ends.
 */
final class AddressRangeLifetimes {
  private final int most;
  private long leftOut;
  private int size;
  private int[] pids = new int[16];
  private long[] bases = new long[16];
  private long[] sizes = new long[16];
  private long[] keys = new long[16];
  private byte[] kinds = new byte[16];
  private int[] values = new int[16];

  private int lives;
  private int[] lifePid = {};
  private long[] lifeBase = {};
  private long[] lifeSize = {};
  private long[] lifeFrom = {};
  private long[] lifeTo = {};
  private int[] lifeValue = {};

  /**
   * @param most notes that are kept, about 40 bytes each
   */
  AddressRangeLifetimes(int most) {
    this.most = most;
  }

  /**
   * @param kind one of those of {@link Lifetimes}
   * @param value what is known about the range; negative if this note tells nothing
   */
  void note(int pid, long base, long bytes, long key, byte kind, int value) {
    if (size >= most) {
      leftOut++;
      return;
    }
    if (size == pids.length) {
      int capacity = 2 * size;
      pids = Arrays.copyOf(pids, capacity);
      bases = Arrays.copyOf(bases, capacity);
      sizes = Arrays.copyOf(sizes, capacity);
      keys = Arrays.copyOf(keys, capacity);
      kinds = Arrays.copyOf(kinds, capacity);
      values = Arrays.copyOf(values, capacity);
    }
    pids[size] = pid;
    bases[size] = base;
    sizes[size] = bytes;
    keys[size] = key;
    kinds[size] = kind;
    values[size] = value;
    size++;
  }

  /** Adds the notes of another collector; their values are looked up in {@code newValues}. */
  void addAll(AddressRangeLifetimes other, int[] newValues) {
    for (int i = 0; i < other.size; i++) {
      int value = other.values[i];
      note(
          other.pids[i],
          other.bases[i],
          other.sizes[i],
          other.keys[i],
          other.kinds[i],
          value < 0 ? value : newValues[value]);
    }
    leftOut += other.leftOut;
  }

  /**
   * Makes lives out of the notes, which are forgotten.
   *
   * @param byValue an order of values that does not depend on who noted them first
   */
  void settle(Lifetimes processes, IndexSort.Order byValue) {
    int[] order = IndexSort.by(size, (a, b) -> compareNotes(a, b, byValue));
    lifePid = new int[size];
    lifeBase = new long[size];
    lifeSize = new long[size];
    lifeFrom = new long[size];
    lifeTo = new long[size];
    lifeValue = new int[size];
    boolean open = false;
    int processOfLast = -1;
    for (int note : order) {
      int process = processes.at(pids[note], keys[note]);
      boolean same =
          lives > 0
              && lifePid[lives - 1] == pids[note]
              && lifeBase[lives - 1] == bases[note]
              && processOfLast == process;
      open &= same;
      long begun = process < 0 ? Long.MIN_VALUE : processes.from(process);
      long ends = process < 0 ? Long.MAX_VALUE : processes.to(process);
      // The end of a process belongs to it, that of a range does not.
      ends = ends == Long.MAX_VALUE ? ends : ends + 1;
      long free = same ? Math.max(begun, lifeTo[lives - 1]) : begun;
      int last = lives - 1;
      switch (kinds[note]) {
        case Lifetimes.START -> {
          boolean twice = open && lifeFrom[last] == keys[note];
          if (open && !twice) {
            lifeTo[last] = keys[note];
          }
          if (twice) {
            learn(last, note);
          } else {
            begin(note, keys[note], Math.max(ends, keys[note]));
            open = true;
          }
        }
        case Lifetimes.END -> {
          if (open) {
            lifeTo[last] = keys[note];
            learn(last, note);
            open = false;
          } else if (!(same && lifeTo[last] == keys[note])) {
            begin(note, Math.min(free, keys[note]), keys[note]);
          }
        }
        default -> {
          if (open) {
            learn(last, note);
          } else {
            begin(note, free, Math.max(ends, free));
            open = true;
          }
        }
      }
      processOfLast = process;
    }
    forgetNotes();
    sortLives();
  }

  private int compareNotes(int a, int b, IndexSort.Order byValue) {
    int byPid = Integer.compare(pids[a], pids[b]);
    int byBase = byPid != 0 ? byPid : Long.compare(bases[a], bases[b]);
    int byKey = byBase != 0 ? byBase : Long.compare(keys[a], keys[b]);
    // Ends before beginnings of one time stamp.
    int byKind = byKey != 0 ? byKey : Byte.compare(rank(kinds[a]), rank(kinds[b]));
    int bySize = byKind != 0 ? byKind : Long.compare(sizes[a], sizes[b]);
    if (bySize != 0 || values[a] == values[b]) {
      return bySize;
    }
    boolean both = values[a] >= 0 && values[b] >= 0;
    return both ? byValue.compare(values[a], values[b]) : Integer.compare(values[b], values[a]);
  }

  private static byte rank(byte kind) {
    return kind == Lifetimes.END ? -1 : kind;
  }

  private void begin(int note, long from, long to) {
    int last = lives - 1;
    if (last >= 0
        && lifePid[last] == pids[note]
        && lifeBase[last] == bases[note]
        && lifeFrom[last] <= from) {
      // What comes to a place ends what was there.
      lifeTo[last] = Math.min(lifeTo[last], from);
    }
    lifePid[lives] = pids[note];
    lifeBase[lives] = bases[note];
    lifeSize[lives] = sizes[note];
    lifeFrom[lives] = from;
    lifeTo[lives] = to;
    lifeValue[lives] = values[note];
    lives++;
  }

  private void learn(int life, int note) {
    if (lifeValue[life] < 0) {
      lifeValue[life] = values[note];
    }
    lifeSize[life] = Math.max(lifeSize[life], sizes[note]);
  }

  private void forgetNotes() {
    size = 0;
    pids = new int[0];
    bases = new long[0];
    sizes = new long[0];
    keys = new long[0];
    kinds = new byte[0];
    values = new int[0];
  }

  /** Sorts lives by process, and those of a process by their beginnings. */
  private void sortLives() {
    int[] order =
        IndexSort.by(
            lives,
            (a, b) -> {
              int byPid = Integer.compare(lifePid[a], lifePid[b]);
              return byPid != 0 ? byPid : Long.compare(lifeFrom[a], lifeFrom[b]);
            });
    lifePid = sorted(lifePid, order);
    lifeBase = sorted(lifeBase, order);
    lifeSize = sorted(lifeSize, order);
    lifeFrom = sorted(lifeFrom, order);
    lifeTo = sorted(lifeTo, order);
    lifeValue = sorted(lifeValue, order);
  }

  private static int[] sorted(int[] values, int[] order) {
    int[] result = new int[order.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = values[order[i]];
    }
    return result;
  }

  private static long[] sorted(long[] values, int[] order) {
    long[] result = new long[order.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = values[order[i]];
    }
    return result;
  }

  long leftOut() {
    return leftOut;
  }

  int count() {
    return lives;
  }

  int pid(int life) {
    return lifePid[life];
  }

  long base(int life) {
    return lifeBase[life];
  }

  long size(int life) {
    return lifeSize[life];
  }

  long from(int life) {
    return lifeFrom[life];
  }

  long to(int life) {
    return lifeTo[life];
  }

  int value(int life) {
    return lifeValue[life];
  }

  /** Returns whether a range has addresses of the kernel, or others. */
  boolean reaches(int life, LongPredicate isKernel, boolean kernel) {
    long base = lifeBase[life];
    return isKernel.test(base) == kernel
        || lifeSize[life] != 0 && isKernel.test(base + lifeSize[life] - 1) == kernel;
  }

  private int firstOf(int pid) {
    int low = 0;
    int high = lives;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (lifePid[middle] < pid) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Address spaces of all processes as time goes on. Going back means to begin anew. */
  final class Walk {
    private final LongPredicate isKernel;
    private final Map<Integer, Space> spaces = new HashMap<>();

    Walk(LongPredicate isKernel) {
      this.isKernel = isKernel;
    }

    Space space(int pid) {
      return spaces.computeIfAbsent(pid, id -> new Space(id, isKernel));
    }
  }

  /** Address space of one process at a time. */
  final class Space {
    private final LongPredicate isKernel;
    private final int first;
    private final int end;
    private final int[] byEnd;
    private final TreeMap<Long, Integer> live = new TreeMap<>(Long::compareUnsigned);
    private int begun;
    private int ended;
    private long now = Long.MIN_VALUE;
    private long nextChange = Long.MIN_VALUE;
    private long largest;

    /** The first and the last byte of all that ever was live. */
    private long lowest = -1;

    private long highest;
    private int changes;

    /** Sums over what is live of two numbers that are drawn from each range, of both halves. */
    private final long[] sums = new long[4];

    /** Set once ranges of a half have overlapped: then their order counts, too. */
    private boolean overlappedInUser;

    private boolean overlappedInKernel;

    private Space(int pid, LongPredicate isKernel) {
      this.isKernel = isKernel;
      first = firstOf(pid);
      int last = first;
      while (last < lives && lifePid[last] == pid) {
        last++;
      }
      end = last;
      byEnd = IndexSort.by(end - first, (a, b) -> Long.compare(to(a), to(b)));
      begun = first;
    }

    private long to(int index) {
      return lifeTo[first + index];
    }

    /** Goes to a time; afterwards {@link #changes} tells whether anything is different. */
    void moveTo(long key) {
      if (key >= nextChange) {
        advance(key);
      } else if (key < now) {
        live.clear();
        Arrays.fill(sums, 0);
        begun = first;
        ended = 0;
        advance(key);
      }
    }

    private void advance(long key) {
      now = key;
      changes++;
      // What makes room goes first, so that nothing seems to overlap.
      while (ended < byEnd.length && to(byEnd[ended]) <= key) {
        int life = first + byEnd[ended];
        if (live.remove(lifeBase[life], life)) {
          add(life, -1);
        }
        ended++;
      }
      while (begun < end && lifeFrom[begun] <= key) {
        if (lifeTo[begun] > key) {
          begin(begun);
        }
        begun++;
      }
      long next = begun < end ? lifeFrom[begun] : Long.MAX_VALUE;
      nextChange = ended < byEnd.length ? Math.min(next, to(byEnd[ended])) : next;
    }

    private void begin(int life) {
      long base = lifeBase[life];
      Map.Entry<Long, Integer> below = live.floorEntry(base);
      Long above = live.higherKey(base);
      boolean overlaps =
          below != null
                  && Long.compareUnsigned(base - below.getKey(), lifeSize[below.getValue()]) < 0
              || above != null && Long.compareUnsigned(above - base, lifeSize[life]) < 0;
      overlappedInUser |= overlaps && reaches(life, isKernel, false);
      overlappedInKernel |= overlaps && reaches(life, isKernel, true);
      Integer replaced = live.put(base, life);
      if (replaced != null) {
        add(replaced, -1);
      }
      add(life, 1);
      largest = Math.max(largest, lifeSize[life]);
      widen(base, lifeSize[life]);
    }

    private void widen(long base, long size) {
      long last = size == 0 ? base : base + size - 1;
      if (Long.compareUnsigned(last, base) < 0) {
        last = -1;
      }
      lowest = Long.compareUnsigned(base, lowest) < 0 ? base : lowest;
      highest = Long.compareUnsigned(last, highest) > 0 ? last : highest;
    }

    private void add(int life, int sign) {
      long range = mix(lifeBase[life], 0x9E37_79B9_7F4A_7C15L) + lifeSize[life];
      long drawn = mix(range, 0xC2B2_AE3D_27D4_EB4FL) + lifeValue[life];
      long one = sign * mix(drawn, 0xD6E8_FEB8_6659_FD93L);
      long other = sign * mix(drawn, 0xA076_1D64_78BD_642FL);
      if (reaches(life, isKernel, false)) {
        sums[0] += one;
        sums[1] += other;
      }
      if (reaches(life, isKernel, true)) {
        sums[2] += one;
        sums[3] += other;
      }
    }

    private static long mix(long value, long factor) {
      long mixed = (value ^ value >>> 32) * factor;
      return (mixed ^ mixed >>> 29) * factor;
    }

    /**
     * Returns the layout of one half as a number that is the same for two processes, or times,
     * where the same lies at the same addresses, and otherwise almost certainly differs.
     *
     * @param other another such number of the same
     */
    long layout(boolean kernel, boolean other) {
      long layout = sums[(kernel ? 2 : 0) + (other ? 1 : 0)];
      return (kernel ? overlappedInKernel : overlappedInUser)
          ? layout + mix(first + ((long) changes << 32), 0x8EBC_6AF0_9C88_C6E3L)
          : layout;
    }

    /** Returns a number that grows whenever a range came or went. */
    int changes() {
      return changes;
    }

    /**
     * Returns the range that covers an address now, of several the one that came last; -1 if none
     * does.
     */
    int at(long address) {
      if (Long.compareUnsigned(address, lowest) < 0 || Long.compareUnsigned(address, highest) > 0) {
        return -1;
      }
      int found = -1;
      Map.Entry<Long, Integer> entry = live.floorEntry(address);
      while (entry != null && Long.compareUnsigned(address - entry.getKey(), largest) < 0) {
        int life = entry.getValue();
        if (Long.compareUnsigned(address - lifeBase[life], lifeSize[life]) < 0
            && (found < 0 || lifeFrom[life] > lifeFrom[found])) {
          found = life;
        }
        entry = live.lowerEntry(entry.getKey());
      }
      return found;
    }
  }
}
