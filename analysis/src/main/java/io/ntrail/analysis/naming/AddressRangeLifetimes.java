package io.ntrail.analysis.naming;

import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * Address ranges of processes with their lifetimes: images, compiled methods. Beginnings, ends and
 * rundowns are noted in any order and by several collectors; {@link #settle} makes lives of them.
 *
 * <p>A range in a rundown was there since its process began, or since what lay there before had
 * gone; one without a recorded end lasts until its process ends.
 */
final class AddressRangeLifetimes {
  private final Columns notes;
  private final IntColumn pids;
  private final LongColumn bases;
  private final LongColumn sizes;
  private final LongColumn keys;
  private final ByteColumn kinds;
  private final IntColumn values;
  private long leftOut;

  private final Columns lives = new Columns();
  private final IntColumn lifePid = lives.ints();
  private final LongColumn lifeBase = lives.longs();
  private final LongColumn lifeSize = lives.longs();
  private final LongColumn lifeFrom = lives.longs();
  private final LongColumn lifeTo = lives.longs();
  private final IntColumn lifeValue = lives.ints();

  /**
   * @param most notes that are kept, about 40 bytes each
   */
  AddressRangeLifetimes(int most) {
    notes = new Columns(16, most);
    pids = notes.ints();
    bases = notes.longs();
    sizes = notes.longs();
    keys = notes.longs();
    kinds = notes.bytes();
    values = notes.ints();
  }

  /**
   * @param kind one of those of {@link Lifetimes}
   * @param value what is known about the range; negative if this note has nothing
   */
  void note(int pid, long base, long bytes, long key, byte kind, int value) {
    if (notes.isFull()) {
      leftOut++;
      return;
    }
    int note = notes.add();
    pids.set(note, pid);
    bases.set(note, base);
    sizes.set(note, bytes);
    keys.set(note, key);
    kinds.set(note, kind);
    values.set(note, value);
  }

  /** Adds the notes of another collector; their values are looked up in {@code newValues}. */
  void addAll(AddressRangeLifetimes other, int[] newValues) {
    for (int i = 0; i < other.notes.rows(); i++) {
      int value = other.values.get(i);
      note(
          other.pids.get(i),
          other.bases.get(i),
          other.sizes.get(i),
          other.keys.get(i),
          other.kinds.get(i),
          value < 0 ? value : newValues[value]);
    }
    leftOut += other.leftOut;
  }

  /**
   * Makes lives out of the notes, which are forgotten.
   *
   * @param byValue an order of values that does not depend on who noted them first
   */
  void settle(Lifetimes processes, RowSort.Order byValue) {
    int[] order = RowSort.sorted(notes.rows(), (a, b) -> compareNotes(a, b, byValue));
    boolean open = false;
    int processOfLast = -1;
    for (int note : order) {
      int process = processes.at(pids.get(note), keys.get(note));
      int last = lives.rows() - 1;
      boolean same =
          last >= 0
              && lifePid.get(last) == pids.get(note)
              && lifeBase.get(last) == bases.get(note)
              && processOfLast == process;
      open &= same;
      long begun = process < 0 ? Long.MIN_VALUE : processes.from(process);
      long ends = process < 0 ? Long.MAX_VALUE : processes.to(process);
      // The end of a process belongs to it, that of a range does not.
      ends = ends == Long.MAX_VALUE ? ends : ends + 1;
      long free = same ? Math.max(begun, lifeTo.get(last)) : begun;
      switch (kinds.get(note)) {
        case Lifetimes.START -> {
          boolean twice = open && lifeFrom.get(last) == keys.get(note);
          if (open && !twice) {
            lifeTo.set(last, keys.get(note));
          }
          if (twice) {
            learn(last, note);
          } else {
            begin(note, keys.get(note), Math.max(ends, keys.get(note)));
            open = true;
          }
        }
        case Lifetimes.END -> {
          if (open) {
            lifeTo.set(last, keys.get(note));
            learn(last, note);
            open = false;
          } else if (!(same && lifeTo.get(last) == keys.get(note))) {
            begin(note, Math.min(free, keys.get(note)), keys.get(note));
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
    notes.clear();
    notes.trim();
    lives.trim();
    lives.sort((a, b) -> {
      int byPid = Integer.compare(lifePid.get(a), lifePid.get(b));
      return byPid != 0 ? byPid : Long.compare(lifeFrom.get(a), lifeFrom.get(b));
    });
  }

  private int compareNotes(int a, int b, RowSort.Order byValue) {
    int byPid = Integer.compare(pids.get(a), pids.get(b));
    int byBase = byPid != 0 ? byPid : Long.compare(bases.get(a), bases.get(b));
    int byKey = byBase != 0 ? byBase : Long.compare(keys.get(a), keys.get(b));
    // Ends before beginnings of one time stamp.
    int byKind = byKey != 0 ? byKey : Byte.compare(rank(kinds.get(a)), rank(kinds.get(b)));
    int bySize = byKind != 0 ? byKind : Long.compare(sizes.get(a), sizes.get(b));
    if (bySize != 0 || values.get(a) == values.get(b)) {
      return bySize;
    }
    boolean both = values.get(a) >= 0 && values.get(b) >= 0;
    return both
        ? byValue.compare(values.get(a), values.get(b))
        : Integer.compare(values.get(b), values.get(a));
  }

  private static byte rank(byte kind) {
    return kind == Lifetimes.END ? -1 : kind;
  }

  private void begin(int note, long from, long to) {
    int last = lives.rows() - 1;
    if (last >= 0
        && lifePid.get(last) == pids.get(note)
        && lifeBase.get(last) == bases.get(note)
        && lifeFrom.get(last) <= from) {
      // What comes to a place ends what was there.
      lifeTo.set(last, Math.min(lifeTo.get(last), from));
    }
    int life = lives.add();
    lifePid.set(life, pids.get(note));
    lifeBase.set(life, bases.get(note));
    lifeSize.set(life, sizes.get(note));
    lifeFrom.set(life, from);
    lifeTo.set(life, to);
    lifeValue.set(life, values.get(note));
  }

  private void learn(int life, int note) {
    if (lifeValue.get(life) < 0) {
      lifeValue.set(life, values.get(note));
    }
    lifeSize.set(life, Math.max(lifeSize.get(life), sizes.get(note)));
  }

  long leftOut() {
    return leftOut;
  }

  int count() {
    return lives.rows();
  }

  int pid(int life) {
    return lifePid.get(life);
  }

  long base(int life) {
    return lifeBase.get(life);
  }

  long size(int life) {
    return lifeSize.get(life);
  }

  long from(int life) {
    return lifeFrom.get(life);
  }

  long to(int life) {
    return lifeTo.get(life);
  }

  int value(int life) {
    return lifeValue.get(life);
  }

  /** Returns whether a range has addresses of the kernel, or others. */
  boolean reaches(int life, LongPredicate isKernel, boolean kernel) {
    long base = lifeBase.get(life);
    return isKernel.test(base) == kernel
        || lifeSize.get(life) != 0 && isKernel.test(base + lifeSize.get(life) - 1) == kernel;
  }

  private int firstOf(int pid) {
    return Search.first(0, lives.rows(), life -> lifePid.get(life) >= pid);
  }

  /** Address spaces of all processes as time advances. Going back means to start anew. */
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
      while (last < lives.rows() && lifePid.get(last) == pid) {
        last++;
      }
      end = last;
      byEnd = RowSort.sorted(end - first, (a, b) -> Long.compare(to(a), to(b)));
      begun = first;
    }

    private long to(int index) {
      return lifeTo.get(first + index);
    }

    /** Goes to a time; afterwards {@link #changes} shows any difference. */
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
        if (live.remove(lifeBase.get(life), life)) {
          add(life, -1);
        }
        ended++;
      }
      while (begun < end && lifeFrom.get(begun) <= key) {
        if (lifeTo.get(begun) > key) {
          begin(begun);
        }
        begun++;
      }
      long next = begun < end ? lifeFrom.get(begun) : Long.MAX_VALUE;
      nextChange = ended < byEnd.length ? Math.min(next, to(byEnd[ended])) : next;
    }

    private void begin(int life) {
      long base = lifeBase.get(life);
      Map.Entry<Long, Integer> below = live.floorEntry(base);
      Long above = live.higherKey(base);
      boolean overlaps =
          below != null
                  && Long.compareUnsigned(base - below.getKey(), lifeSize.get(below.getValue())) < 0
              || above != null && Long.compareUnsigned(above - base, lifeSize.get(life)) < 0;
      overlappedInUser |= overlaps && reaches(life, isKernel, false);
      overlappedInKernel |= overlaps && reaches(life, isKernel, true);
      Integer replaced = live.put(base, life);
      if (replaced != null) {
        add(replaced, -1);
      }
      add(life, 1);
      largest = Math.max(largest, lifeSize.get(life));
      widen(base, lifeSize.get(life));
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
      long range = mix(lifeBase.get(life), 0x9E37_79B9_7F4A_7C15L) + lifeSize.get(life);
      long drawn = mix(range, 0xC2B2_AE3D_27D4_EB4FL) + lifeValue.get(life);
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
      // What began and ended so far tells the time: one that no other way of going there changes.
      long order = first + ((long) (begun - first + ended) << 32);
      return (kernel ? overlappedInKernel : overlappedInUser)
          ? layout + mix(order, 0x8EBC_6AF0_9C88_C6E3L)
          : layout;
    }

    /** Returns a time from which on all is as it is now. */
    long from() {
      return now;
    }

    /** Returns the time before which all is as it is now. */
    long until() {
      return nextChange;
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
        if (Long.compareUnsigned(address - lifeBase.get(life), lifeSize.get(life)) < 0
            && (found < 0 || lifeFrom.get(life) > lifeFrom.get(found))) {
          found = life;
        }
        entry = live.lowerEntry(entry.getKey());
      }
      return found;
    }
  }
}
