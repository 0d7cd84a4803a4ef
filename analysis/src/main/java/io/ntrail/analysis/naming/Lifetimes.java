package io.ntrail.analysis.naming;

import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.Hashing;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.RowIndex;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;

/**
 * Lifetimes of things with ids that are used again: processes, threads. Ends and beginnings are
 * noted in any order and by several collectors; {@link #settle} puts them in order, and {@link #at}
 * finds which of the things with an id was there at a time.
 *
 * <p>A recording may begin in the middle of a life and end before it does. What is only known from
 * a rundown was there all along; what ended without a beginning was there since the start.
 */
public final class Lifetimes {
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

  private final Columns notes = new Columns(16, MOST);
  private final IntColumn ids = notes.ints();
  private final LongColumn keys = notes.longs();
  private final ByteColumn kinds = notes.bytes();
  private final IntColumn values = notes.ints();

  private final Columns lives = new Columns();
  private final IntColumn lifeId = lives.ints();
  private final LongColumn lifeFrom = lives.longs();
  private final LongColumn lifeTo = lives.longs();
  private final IntColumn lifeValue = lives.ints();

  /** Storage of two columns, for {@link #at}: it is asked for nearly every record. */
  private int[] settledIds = {};

  private long[] settledFrom = {};

  /** First life of an id; those of one id stand together. */
  private final RowIndex firsts = new RowIndex(0, life -> Hashing.hash(lifeId.get(life)));

  /** Creates lifetimes without notes. */
  public Lifetimes() {}

  /**
   * Notes a beginning, an end or a rundown.
   *
   * @param value what is known about the thing from this note: of one life the notes' values are
   *     expected to agree, and the last one counts
   */
  public void note(int id, long key, byte kind, int value) {
    if (notes.isFull()) {
      leftOut++;
      return;
    }
    int note = notes.add();
    ids.set(note, id);
    keys.set(note, key);
    kinds.set(note, kind);
    values.set(note, value);
  }

  /** Adds the notes of another collector, whose values begin at {@code offset} here. */
  public void addAll(Lifetimes other, int offset) {
    for (int i = 0; i < other.notes.rows(); i++) {
      note(other.ids.get(i), other.keys.get(i), other.kinds.get(i), other.values.get(i) + offset);
    }
    leftOut += other.leftOut;
  }

  /** Replaces every value by the one at its index. */
  public void renumber(int[] newValues) {
    for (int i = 0; i < notes.rows(); i++) {
      values.set(i, newValues[values.get(i)]);
    }
  }

  /** Makes lives out of the notes. */
  public void settle() {
    lives.clear();
    firsts.clear();
    boolean open = false;
    for (int note : RowSort.sorted(notes.rows(), this::compareNotes)) {
      int id = ids.get(note);
      long key = keys.get(note);
      int value = values.get(note);
      int last = lives.rows() - 1;
      boolean same = last >= 0 && lifeId.get(last) == id;
      open &= same;
      switch (kinds.get(note)) {
        case START -> {
          // A beginning that was noted twice (two sessions of one recording) is one.
          if (!(open && lifeFrom.get(last) == key)) {
            if (open) {
              lifeTo.set(last, key - 1);
            }
            begin(id, key, Long.MAX_VALUE, value);
            open = true;
          }
        }
        case RUNDOWN_START, RUNDOWN_END -> {
          if (open) {
            lifeValue.set(last, value);
          } else {
            long from = same ? lifeTo.get(last) + 1 : Long.MIN_VALUE;
            begin(id, from, Long.MAX_VALUE, value);
            open = true;
          }
        }
        case END -> {
          if (open) {
            lifeTo.set(last, key);
            lifeValue.set(last, value);
            open = false;
          } else if (!(same && lifeTo.get(last) == key)) {
            long from = same ? lifeTo.get(last) + 1 : Long.MIN_VALUE;
            begin(id, from, key, value);
          }
        }
        default -> {
          if (!same) {
            begin(id, Long.MIN_VALUE, key, value);
          }
        }
      }
    }
    lives.trim();
    settledIds = lifeId.array();
    settledFrom = lifeFrom.array();
  }

  private int compareNotes(int a, int b) {
    int byId = Integer.compare(ids.get(a), ids.get(b));
    int byKey = byId != 0 ? byId : Long.compare(keys.get(a), keys.get(b));
    // Ends before beginnings of one time stamp: an id is used again after it was given back. The
    // last two only make the order the same whatever thread noted what first.
    int byKind = byKey != 0 ? byKey : Byte.compare(rank(kinds.get(a)), rank(kinds.get(b)));
    return byKind != 0 ? byKind : Integer.compare(values.get(a), values.get(b));
  }

  private static byte rank(byte kind) {
    return kind == END ? -1 : kind;
  }

  private void begin(int id, long from, long to, int value) {
    int life = lives.add();
    lifeId.set(life, id);
    lifeFrom.set(life, from);
    lifeTo.set(life, to);
    lifeValue.set(life, value);
    if (life == 0 || lifeId.get(life - 1) != id) {
      int slot = firsts.slot(Hashing.hash(id));
      while (firsts.row(slot) >= 0) {
        slot = firsts.next(slot);
      }
      firsts.put(slot, life);
    }
  }

  /** Notes that were skipped at the memory limit. */
  public long leftOut() {
    return leftOut;
  }

  /** Returns the number of lives. */
  public int lives() {
    return lives.rows();
  }

  /** Returns true if a life had not ended before a time. */
  public boolean lasts(int life, long key) {
    return lifeTo.get(life) >= key;
  }

  /** Returns the id of what lived. */
  public int id(int life) {
    return lifeId.get(life);
  }

  /** Returns the beginning; {@link Long#MIN_VALUE} if it is before the recording. */
  public long from(int life) {
    return lifeFrom.get(life);
  }

  /** Returns the end; {@link Long#MAX_VALUE} if none is recorded. */
  public long to(int life) {
    return lifeTo.get(life);
  }

  public int value(int life) {
    return lifeValue.get(life);
  }

  /**
   * The life that an id meant at a time: the last one that had begun. Ids are named a while after
   * their thing has ended (by what it left behind), and mean it until they are used again.
   *
   * @return -1 if nothing with this id was there yet
   */
  public int at(int id, long key) {
    int[] ids = settledIds;
    long[] begins = settledFrom;
    int slot = firsts.slot(Hashing.hash(id));
    int first = firsts.row(slot);
    while (first >= 0 && ids[first] != id) {
      slot = firsts.next(slot);
      first = firsts.row(slot);
    }
    if (first < 0 || begins[first] > key) {
      return -1;
    }
    int next = first + 1;
    // Most ids have one life.
    if (next == ids.length || ids[next] != id || begins[next] > key) {
      return first;
    }
    return Search.firstNear(next + 1, ids.length, life -> ids[life] != id || begins[life] > key)
        - 1;
  }
}
