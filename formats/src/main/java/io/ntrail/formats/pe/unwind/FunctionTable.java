package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.stream.IntStream;

/**
 * The exception directory of an x64 image: which code has which unwind information, ascending by
 * address. Images of other machines have none of these; those of ARM are {@link ArmFunctions}.
 *
 * <p>Entries of zeros are padding and left out. A table that does not ascend is sorted here and a
 * gap of the image: the system, which searches by halves, would miss some of its entries.
 */
public final class FunctionTable {
  /** Bound of the number of entries; the rest is a gap. */
  private static final int MOST = 1 << 22;

  private static final String WHAT = "function table";

  private final ImageView view;
  private final long[] places;
  private final int[] begins;
  private final int[] ends;
  private final int[] infos;
  private final int count;
  private final List<RuntimeFunction> entries = new Entries();

  private FunctionTable(Reader read, int[] order) {
    this.view = read.view;
    this.count = read.count;
    this.places = Arrays.stream(order).mapToLong(i -> read.places[i]).toArray();
    this.begins = Arrays.stream(order).map(i -> read.begins[i]).toArray();
    this.ends = Arrays.stream(order).map(i -> read.ends[i]).toArray();
    this.infos = Arrays.stream(order).map(i -> read.infos[i]).toArray();
  }

  /** The table of an image, empty if it has none. */
  public static FunctionTable of(PeImage image) {
    Range range =
        image.headers().machine() == MachineType.AMD64
            ? image.directory(DataDirectory.EXCEPTION)
            : Range.NONE;
    return of(image, range.isPresent() ? range : Range.NONE);
  }

  /** A table that something else than the directory names. */
  public static FunctionTable of(PeImage image, Range range) {
    long count = range.size() / RuntimeFunction.SIZE;
    if (count > MOST) {
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
    int[] order = IntStream.range(0, reader.count).toArray();
    if (!reader.ascends()) {
      image.gap(
          range.rva(),
          0,
          WHAT,
          "does not ascend by address: the system would not find all of its entries");
      order =
          IntStream.range(0, reader.count)
              .boxed()
              .sorted(Comparator.comparingLong(i -> reader.begins[i] & 0xFFFF_FFFFL))
              .mapToInt(i -> i)
              .toArray();
    }
    return new FunctionTable(reader, order);
  }

  /** Returns all entries by address, indirect ones as they are stored. */
  public List<RuntimeFunction> entries() {
    return entries;
  }

  /**
   * Returns the entry whose range contains an address, as in the table. Empty: not code, or a leaf
   * function, which changes no register and does not move the stack.
   */
  public Optional<RuntimeFunction> entry(long address) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      if ((begins[middle] & 0xFFFF_FFFFL) <= address) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high >= 0 && address < (ends[high] & 0xFFFF_FFFFL)
        ? Optional.of(entries.get(high))
        : Optional.empty();
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
    return chain(entry).primary();
  }

  private final class Entries extends AbstractList<RuntimeFunction> implements RandomAccess {
    @Override
    public RuntimeFunction get(int i) {
      if (i < 0 || i >= count) {
        throw new IndexOutOfBoundsException(i);
      }
      return RuntimeFunction.of(
          places[i], begins[i] & 0xFFFF_FFFFL, ends[i] & 0xFFFF_FFFFL, infos[i] & 0xFFFF_FFFFL);
    }

    @Override
    public int size() {
      return count;
    }
  }

  /** Takes up the entries that are there, in the order of the table. */
  private static final class Reader {
    private final ImageView view;
    private final long rva;
    private final int stored;
    private long[] places = {};
    private int[] begins = {};
    private int[] ends = {};
    private int[] infos = {};
    private int count;
    private int missing;

    Reader(ImageView view, long rva, int stored) {
      this.view = view;
      this.rva = rva;
      this.stored = stored;
    }

    void read() {
      int i = 0;
      while (i < stored) {
        long at = rva + (long) i * RuntimeFunction.SIZE;
        long whole = Math.min(view.stored(at) / RuntimeFunction.SIZE, stored - i);
        if (whole > 0) {
          Bytes table = view.window(at, whole * RuntimeFunction.SIZE);
          room((int) whole);
          for (int k = 0; k < whole; k++) {
            int entry = k * RuntimeFunction.SIZE;
            add(at + entry, table.i32(entry), table.i32(entry + 4), table.i32(entry + 8));
          }
          i += (int) whole;
        } else if (view.zeros(at) >= RuntimeFunction.SIZE) {
          // Zeros of the loader are padding, however many a hostile image asks for.
          i += (int) Math.min(view.zeros(at) / RuntimeFunction.SIZE, stored - i);
        } else if (view.has(at, RuntimeFunction.SIZE)) {
          room(1);
          add(at, view.i32(at), view.i32(at + 4), view.i32(at + 8));
          i++;
        } else {
          int gone = Math.clamp(view.missing(at) / RuntimeFunction.SIZE, 1, stored - i);
          missing += gone;
          i += gone;
        }
      }
    }

    private void room(int more) {
      if (count + more > begins.length) {
        int length = Math.max(count + more, Math.min(MOST, begins.length * 2));
        places = Arrays.copyOf(places, length);
        begins = Arrays.copyOf(begins, length);
        ends = Arrays.copyOf(ends, length);
        infos = Arrays.copyOf(infos, length);
      }
    }

    private void add(long place, int begin, int end, int info) {
      if ((begin | end | info) == 0) {
        return;
      }
      places[count] = place;
      begins[count] = begin;
      ends[count] = end;
      infos[count++] = info;
    }

    boolean ascends() {
      for (int i = 1; i < count; i++) {
        if (Integer.compareUnsigned(begins[i - 1], begins[i]) > 0) {
          return false;
        }
      }
      return true;
    }
  }
}
