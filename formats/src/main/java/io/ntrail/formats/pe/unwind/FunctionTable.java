package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.RandomAccess;

/**
 * The exception directory of an x64 image: which code has which unwind information, ascending by
 * address. Images of other machines have none of these; those of ARM are {@link ArmFunctions}.
 *
 * <p>Entries of zeros are left out. Before all others they are room that the linker kept (Visual
 * C++ for incremental links); behind another one they are lost and a gap of the image. A table that
 * does not ascend is sorted here and a gap as well: the system, which searches by halves, would
 * miss some of its entries.
 */
public final class FunctionTable {
  /** Bound of the number of entries; the rest is a gap. */
  private static final int MOST = 1 << 22;

  static final String WHAT = "function table";

  /** Links of a chain that are followed without reading the codes of each. */
  private static final int SHORT_CHAIN = 8;

  private static final int UNWIND_HEADER = 4;

  private final ImageView view;
  private final Rows rows;
  private final List<RuntimeFunction> entries = new Entries();
  private final boolean whole;

  private FunctionTable(ImageView view, Rows rows, boolean whole) {
    this.view = view;
    this.rows = rows;
    this.whole = whole;
  }

  /** Entries by index, their fields as unsigned numbers. */
  private sealed interface Rows {
    int count();

    long place(int i);

    long begin(int i);

    long end(int i);

    long info(int i);
  }

  /** The table of an image, empty if it has none. */
  public static FunctionTable of(PeImage image) {
    return of(image, range(image));
  }

  /**
   * Returns the table of an image where it is stored, for few questions: nothing is copied if it is
   * as it should be. The image must stay open.
   */
  public static FunctionTable inPlace(PeImage image) {
    Range range = range(image);
    return StoredRows.of(image.view(), range)
        .map(rows -> new FunctionTable(image.view(), rows, true))
        .orElseGet(() -> of(image, range));
  }

  /**
   * Returns the table of an image where it is stored, for questions about few addresses; what it
   * answers is right if {@link #continuing} finds it plain. Nothing is read yet, and the image must
   * stay open.
   *
   * @return empty if there is none, or it is not stored in one piece
   */
  public static Optional<FunctionTable> unchecked(PeImage image) {
    return StoredRows.unchecked(image.view(), range(image))
        .map(rows -> new FunctionTable(image.view(), rows, true));
  }

  /**
   * Goes through all entries of an {@link #unchecked} table.
   *
   * @return the ascending numbers of those that continue a function; empty if the table is not
   *     plain: its ranges do not ascend, or are not apart from one another
   */
  public Optional<int[]> continuing() {
    return rows instanceof StoredRows stored
        ? PlainTable.continuing(view, stored.table, stored.count)
        : Optional.empty();
  }

  /**
   * Returns a table of some entries.
   *
   * @param some their numbers, ascending
   */
  public FunctionTable only(int[] some) {
    return new FunctionTable(view, new SomeRows(rows, some.clone()), whole);
  }

  private static Range range(PeImage image) {
    Range range =
        image.headers().machine() == MachineType.AMD64
            ? image.directory(DataDirectory.EXCEPTION)
            : Range.NONE;
    return range.isPresent() ? range : Range.NONE;
  }

  /** A table that something else than the directory names. */
  public static FunctionTable of(PeImage image, Range range) {
    long count = range.size() / RuntimeFunction.SIZE;
    boolean tooMany = count > MOST;
    if (tooMany) {
      image.gap(
          range.rva() + (long) MOST * RuntimeFunction.SIZE,
          -1,
          WHAT,
          "has " + count + " entries, of which only the first " + MOST + " are read");
      count = MOST;
    }
    Reader reader = new Reader(image.view(), range.rva(), (int) count);
    reader.read();
    if (reader.missing > 0) {
      image.gap(
          range.rva(),
          (long) reader.missing * RuntimeFunction.SIZE,
          WHAT,
          reader.missing + " of " + count + " entries are outside the image");
    }
    if (reader.zeroed > 0) {
      image.gap(
          reader.firstZeroed,
          (long) reader.zeroed * RuntimeFunction.SIZE,
          WHAT,
          reader.zeroed + " of " + count + " entries are zeros behind others");
    }
    long odd = range.size() % RuntimeFunction.SIZE;
    if (odd != 0) {
      image.gap(
          range.rva() + range.size() - odd,
          odd,
          WHAT,
          "its size of " + range.size() + " bytes is not a multiple of " + RuntimeFunction.SIZE);
    }
    if (!reader.ascends()) {
      image.gap(
          range.rva(),
          0,
          WHAT,
          "is not sorted by address: the system would not find all of its entries");
      reader.sort();
    }
    reader.rows.trim();
    boolean isWhole = !tooMany && reader.missing == 0 && reader.zeroed == 0 && odd == 0;
    return new FunctionTable(image.view(), reader.result(), isWhole);
  }

  /** Returns all entries by address, indirect ones as they are stored. */
  public List<RuntimeFunction> entries() {
    return entries;
  }

  /** Returns true if all entries could be read: an address without one is in none then. */
  public boolean isWhole() {
    return whole;
  }

  /**
   * Returns the entry whose range contains an address, as in the table. Empty: not code, or a leaf
   * function, which changes no register and does not move the stack.
   */
  public Optional<RuntimeFunction> entry(long address) {
    int last = indexUpTo(address);
    return last >= 0 && address < rows.end(last)
        ? Optional.of(entries.get(last))
        : Optional.empty();
  }

  /** Returns the index of the last entry that begins at or before an address, or -1. */
  public int indexUpTo(long address) {
    return Search.last(0, rows.count(), i -> rows.begin(i) <= address);
  }

  /** Returns the entry that describes an address: its own, or the one that it refers to. */
  public Optional<RuntimeFunction> find(long address) {
    return entry(address).map(entry -> UnwindChain.direct(view, entry).entry());
  }

  /** The unwind information of an entry and of what it chains to. */
  public UnwindChain chain(RuntimeFunction entry) {
    return UnwindChain.of(view, entry);
  }

  /**
   * The entry of the function that a part belongs to: the end of its chain. Parts of one function
   * have the same.
   */
  public RuntimeFunction primary(RuntimeFunction entry) {
    if (!continues(entry)) {
      return entry;
    }
    RuntimeFunction at = entry;
    for (int links = 0; links < SHORT_CHAIN && !at.indirect(); links++) {
      long info = at.unwindInfo();
      if (!view.has(info, UNWIND_HEADER)) {
        break;
      }
      int first = view.u8(info);
      if ((first & 7) != 1 && (first & 7) != 2) {
        break;
      }
      if ((first >> 3 & UnwindInfo.CHAININFO) == 0) {
        return at;
      }
      long next = UNWIND_HEADER + 2L * (view.u8(info + 2) + 1 & ~1);
      if (!view.has(info, next + RuntimeFunction.SIZE)) {
        break;
      }
      at = RuntimeFunction.read(view, info + next);
    }
    // What is not plain is read with care.
    return chain(entry).primary();
  }

  /** Returns whether an entry refers to another one, or continues one. */
  public boolean continues(RuntimeFunction entry) {
    return entry.indirect()
        || view.has(entry.unwindInfo(), 1)
            && (view.u8(entry.unwindInfo()) >> 3 & UnwindInfo.CHAININFO) != 0;
  }

  private final class Entries extends AbstractList<RuntimeFunction> implements RandomAccess {
    @Override
    public RuntimeFunction get(int i) {
      Objects.checkIndex(i, rows.count());
      return RuntimeFunction.of(rows.place(i), rows.begin(i), rows.end(i), rows.info(i));
    }

    @Override
    public int size() {
      return rows.count();
    }
  }

  /** Entries where they are stored: in one piece, ascending, none of zeros. Nothing is copied. */
  private record StoredRows(Bytes table, long rva, int count) implements Rows {
    /** Returns the table as it is stored; empty if it is not as it should be. */
    static Optional<Rows> of(ImageView view, Range range) {
      return unchecked(view, range).filter(rows -> rows.ascends()).map(rows -> rows);
    }

    /** Returns the table as it is stored; empty if that is not one piece of whole entries. */
    static Optional<StoredRows> unchecked(ImageView view, Range range) {
      long rva = range.rva();
      long count = range.size() / RuntimeFunction.SIZE;
      if (count == 0
          || count > MOST
          || range.size() % RuntimeFunction.SIZE != 0
          || view.stored(rva) < range.size()) {
        return Optional.empty();
      }
      Bytes table = view.window(rva, count * RuntimeFunction.SIZE);
      return Optional.of(new StoredRows(table, rva, (int) count));
    }

    private boolean ascends() {
      int last = 0;
      for (int at = 0; at < table.length(); at += RuntimeFunction.SIZE) {
        int begin = table.i32(at);
        boolean zeros = begin == 0 && table.isZero(at, RuntimeFunction.SIZE);
        if (zeros || Integer.compareUnsigned(begin, last) < 0) {
          return false;
        }
        last = begin;
      }
      return true;
    }

    @Override
    public long place(int i) {
      return rva + (long) i * RuntimeFunction.SIZE;
    }

    @Override
    public long begin(int i) {
      return table.u32(i * RuntimeFunction.SIZE);
    }

    @Override
    public long end(int i) {
      return table.u32(i * RuntimeFunction.SIZE + 4);
    }

    @Override
    public long info(int i) {
      return table.u32(i * RuntimeFunction.SIZE + 8);
    }
  }

  /** Some entries of others. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record SomeRows(Rows all, int[] numbers) implements Rows {
    @Override
    public int count() {
      return numbers.length;
    }

    @Override
    public long place(int i) {
      return all.place(numbers[i]);
    }

    @Override
    public long begin(int i) {
      return all.begin(numbers[i]);
    }

    @Override
    public long end(int i) {
      return all.end(numbers[i]);
    }

    @Override
    public long info(int i) {
      return all.info(numbers[i]);
    }
  }

  /** Entries that were taken up one by one. */
  private record CopiedRows(
      int count, LongColumn places, IntColumn begins, IntColumn ends, IntColumn infos)
      implements Rows {
    @Override
    public long place(int i) {
      return places.get(i);
    }

    @Override
    public long begin(int i) {
      return Integer.toUnsignedLong(begins.get(i));
    }

    @Override
    public long end(int i) {
      return Integer.toUnsignedLong(ends.get(i));
    }

    @Override
    public long info(int i) {
      return Integer.toUnsignedLong(infos.get(i));
    }
  }

  /** Takes up the entries that are there, in the order of the table. */
  private static final class Reader {
    private final ImageView view;
    private final long rva;
    private final int stored;
    private final Columns rows;
    private final LongColumn places;
    private final IntColumn begins;
    private final IntColumn ends;
    private final IntColumn infos;
    private int missing;

    /** Entries of zeros behind others, and the place of the first. */
    private int zeroed;

    private long firstZeroed;

    Reader(ImageView view, long rva, int stored) {
      this.view = view;
      this.rva = rva;
      this.stored = stored;
      this.rows = new Columns((int) Math.min(stored, view.stored(rva) / RuntimeFunction.SIZE));
      this.places = rows.longs();
      this.begins = rows.ints();
      this.ends = rows.ints();
      this.infos = rows.ints();
    }

    void read() {
      int i = 0;
      while (i < stored) {
        long at = rva + (long) i * RuntimeFunction.SIZE;
        long whole = Math.min(view.stored(at) / RuntimeFunction.SIZE, stored - i);
        if (whole > 0) {
          Bytes table = view.window(at, whole * RuntimeFunction.SIZE);
          for (int k = 0; k < whole; k++) {
            int entry = k * RuntimeFunction.SIZE;
            add(at + entry, table.i32(entry), table.i32(entry + 4), table.i32(entry + 8));
          }
          i += (int) whole;
        } else if (view.zeros(at) >= RuntimeFunction.SIZE) {
          // Zeros of the loader are passed at once, however many a hostile image asks for.
          int zeros = (int) Math.min(view.zeros(at) / RuntimeFunction.SIZE, stored - i);
          zeros(at, zeros);
          i += zeros;
        } else if (view.has(at, RuntimeFunction.SIZE)) {
          add(at, view.i32(at), view.i32(at + 4), view.i32(at + 8));
          i++;
        } else {
          int gone = Math.clamp(view.missing(at) / RuntimeFunction.SIZE, 1, stored - i);
          missing += gone;
          i += gone;
        }
      }
    }

    private void add(long place, int begin, int end, int info) {
      if ((begin | end | info) == 0) {
        zeros(place, 1);
        return;
      }
      int row = rows.add();
      places.set(row, place);
      begins.set(row, begin);
      ends.set(row, end);
      infos.set(row, info);
    }

    private void zeros(long place, int count) {
      if (rows.rows() > 0) {
        firstZeroed = zeroed == 0 ? place : firstZeroed;
        zeroed += count;
      }
    }

    Rows result() {
      return new CopiedRows(rows.rows(), places, begins, ends, infos);
    }

    boolean ascends() {
      for (int i = 1; i < rows.rows(); i++) {
        if (compare(i - 1, i) > 0) {
          return false;
        }
      }
      return true;
    }

    void sort() {
      rows.sort(this::compare);
    }

    private int compare(int a, int b) {
      return Integer.compareUnsigned(begins.get(a), begins.get(b));
    }
  }
}
