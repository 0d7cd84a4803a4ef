package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.etl.RecordTable;
import java.util.Arrays;

/**
 * Rows of some records of a buffer by what a survey does with them, each list in the order of the
 * rows, and sums of all records by type: of most records a survey wants to know nothing else. One
 * loop without branches adds up and makes all lists, since no processor guesses of which kind the
 * next record is; a loop over one list then does the same to each record. Used again for the next
 * records.
 */
public final class RowsByUse {
  /** A list of rows. */
  public static final class Rows {
    private int[] rows = new int[64];
    private int count;
    private final int bit;

    private Rows(int bit) {
      this.bit = bit;
    }

    /** Number of rows. */
    public int count() {
      return count;
    }

    /** Row number {@code i} of the list. */
    public int get(int i) {
      return rows[i];
    }

    private void clear(int room) {
      count = 0;
      if (rows.length < room) {
        rows = new int[room];
      }
    }

    /** Adds the rows from {@code first} on whose bits are set. */
    private void add(int first, long bits) {
      int n = count;
      for (long left = bits; left != 0; left &= left - 1) {
        rows[n++] = first + Long.numberOfTrailingZeros(left);
      }
      count = n;
    }
  }

  /** Receives the sums of a type. */
  public interface Sums {
    /**
     * Takes the sums of a file's records of one type.
     *
     * @param kind ordinal of their {@link RecordKind}
     * @param hook their hook id, if they are of the kernel; else 0
     * @param version their version, if they are of the kernel and it is less than {@link
     *     RecordTable#MORE}; else that
     */
    void accept(int file, int kind, int hook, int version, long count, long bytes);
  }

  private static final int LISTS = 4;
  private static final int TYPE_BITS = 25;

  /** Bits of bytes in a sum, below the number of records. */
  private static final int SIZE_BITS = 40;

  /** Records that are added up before sums would not have room for more. */
  private static final int MOST_ADDED = 1 << 22;

  private final Rows others = new Rows(1);
  private final Rows stacks = new Rows(1 << 1);
  private final Rows facts = new Rows(1 << 2);
  private final Rows samples = new Rows(1 << 3);

  /** By hook id: bits of the lists that it is asked for in. */
  private final byte[] asked = new byte[1 << 16];

  /**
   * By the word where kernel records have their hook id: the type that was met there last, plus 1,
   * in the upper half, then where it is added up, and bits of the lists that it is in.
   */
  private final long[] known = new long[1 << 16];

  /** Places of {@link #known} that are not empty. */
  private int[] learned = new int[64];

  private int learnedCount;

  /** By file and type: where it is added up. */
  private final LongIntMap places = new LongIntMap();

  // Of the records that are being listed: a bit for each row of a list.
  private long otherBits;
  private long stackBits;
  private long factBits;
  private long sampleBits;

  private int types;
  private int file = -1;
  private int added;
  private long[] keys = new long[64];
  private long[] sums = new long[64];
  private long[] counts = new long[64];
  private long[] bytes = new long[64];

  /** Asks for no records yet. */
  public RowsByUse() {}

  /**
   * All records that do not name their event by a hook id, and those whose version is {@link
   * RecordTable#MORE} in the table, so that it is to be read.
   */
  public Rows others() {
    return others;
  }

  /** Records that may be stacks: of hook ids that were asked for, and all classic ones. */
  public Rows stacks() {
    return stacks;
  }

  /**
   * Records that may tell of the machine: of hook ids that were asked for, and all classic ones.
   */
  public Rows facts() {
    return facts;
  }

  /** Records of hook ids that were asked for as samples. */
  public Rows samples() {
    return samples;
  }

  /** Asks for the records of a hook id in one of the lists. */
  public void ask(Rows list, int hook) {
    asked[hook] |= (byte) list.bit;
  }

  /** Makes the lists of the records from a row (inclusive) to another one (exclusive). */
  public void list(int fileNumber, RecordTable table, int from, int to) {
    begin(fileNumber, to - from);
    for (int first = from; first < to; first += Long.SIZE) {
      listSome(table, first, Math.min(to, first + Long.SIZE));
    }
  }

  private void listSome(RecordTable table, int from, int to) {
    otherBits = 0;
    stackBits = 0;
    factBits = 0;
    sampleBits = 0;
    int i = from;
    while ((i = listKnown(table, from, i, to)) < to) {
      learn(table.type(i), table.hookId(i));
    }
    others.add(from, otherBits);
    stacks.add(from, stackBits);
    facts.add(from, factBits);
    samples.add(from, sampleBits);
  }

  private void begin(int fileNumber, int records) {
    others.clear(records);
    stacks.clear(records);
    facts.clear(records);
    samples.clear(records);
    if (fileNumber != file) {
      for (int i = 0; i < learnedCount; i++) {
        known[learned[i]] = 0;
      }
      learnedCount = 0;
      file = fileNumber;
    }
    added += records;
    if (added > MOST_ADDED) {
      settle();
      added = records;
    }
  }

  /** Lists and adds up records as long as their types are known; returns the first other one. */
  private int listKnown(RecordTable table, int first, int from, int to) {
    long[] typeOf = known;
    long[] sumOf = sums;
    long inOthers = otherBits;
    long inStacks = stackBits;
    long inFacts = factBits;
    long inSamples = sampleBits;
    int i = from;
    for (; i < to; i++) {
      long type = typeOf[table.hookId(i)];
      if ((int) (type >>> 32) != table.type(i) + 1) {
        break;
      }
      sumOf[(int) type >>> LISTS] += 1L << SIZE_BITS | table.size(i);
      int bit = i - first;
      inOthers |= (type & 1) << bit;
      inStacks |= (type >>> 1 & 1) << bit;
      inFacts |= (type >>> 2 & 1) << bit;
      inSamples |= (type >>> 3 & 1) << bit;
    }
    otherBits = inOthers;
    stackBits = inStacks;
    factBits = inFacts;
    sampleBits = inSamples;
    return i;
  }

  private void learn(int type, int hook) {
    RecordKind kind = RecordKind.values()[type >>> 16 & 15];
    int lists = kind.isHook() ? asked[hook] : others.bit;
    if (kind.isHook() && type >>> 20 == RecordTable.MORE) {
      lists |= others.bit;
    }
    if (kind.isClassic()) {
      lists |= stacks.bit | facts.bit;
    }
    if (known[hook] == 0) {
      if (learnedCount == learned.length) {
        learned = Arrays.copyOf(learned, 2 * learnedCount);
      }
      learned[learnedCount++] = hook;
    }
    int place = place(kind.isHook() ? type : type & 15 << 16);
    known[hook] = type + 1L << 32 | (long) place << LISTS | lists;
  }

  private int place(int type) {
    long key = (long) file << TYPE_BITS | type;
    int place = places.get(key);
    if (place < 0) {
      place = types++;
      places.put(key, place);
      if (place == keys.length) {
        keys = Arrays.copyOf(keys, 2 * place);
        sums = Arrays.copyOf(sums, 2 * place);
        counts = Arrays.copyOf(counts, 2 * place);
        bytes = Arrays.copyOf(bytes, 2 * place);
      }
      keys[place] = key;
    }
    return place;
  }

  private void settle() {
    for (int i = 0; i < types; i++) {
      counts[i] += sums[i] >>> SIZE_BITS;
      bytes[i] += sums[i] & (1L << SIZE_BITS) - 1;
      sums[i] = 0;
    }
    added = 0;
  }

  /** Gives out the sums of all records that were listed, by file and type. */
  public void forEach(Sums each) {
    settle();
    for (int i = 0; i < types; i++) {
      int type = (int) keys[i] & (1 << TYPE_BITS) - 1;
      int kind = type >>> 16 & 15;
      each.accept(
          (int) (keys[i] >>> TYPE_BITS), kind, type & 0xFFFF, type >>> 20, counts[i], bytes[i]);
    }
  }
}
