package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * Definitions of stack keys. The kernel logger gives a stack that it has seen before by a key and
 * records its frames only later; then it may use the key again. So a reference means the first
 * definition of its key after it. Safe for several threads while definitions are noted, and when
 * they are settled.
 *
 * <p>The frames stay in the file, where they are read when they are asked for; those of compressed
 * buffers are kept in trees.
 */
final class StackKeys {
  /** A fifth of the memory for nodes of the tree, at 8 bytes each. */
  private static final int MOST_NODES =
      Math.clamp(Runtime.getRuntime().maxMemory() / 40, 1 << 20, Integer.MAX_VALUE / 4);

  /** And up to half for definitions, at 32 to 40 bytes each, while they are sorted 56. */
  private static final int MOST_DEFINITIONS =
      Math.clamp(Runtime.getRuntime().maxMemory() / 80, 1 << 20, Integer.MAX_VALUE / 4);

  /** Flag of a stack whose frames are all of the kernel. */
  static final int KERNEL = 1 << 31;

  /** Flag of a stack whose frames are all of user mode. */
  static final int USER = 1 << 30;

  /** Bits of a place that are a node's number. */
  private static final int NODE = Integer.MAX_VALUE;

  /** The other bits: number of an address. */
  static final int NUMBER = USER - 1;

  /** Place of a stack in one of the trees, and not in a file; then the lower half is its node. */
  private static final long IN_A_TREE = 1L << 63;

  /** Moves {@link #KERNEL} and {@link #USER} to bits 62 and 61 of a place. */
  private static final int HALVES_SHIFT = 31;

  /** Place in a file whose pointers have 4 bytes. */
  private static final long NARROW = 1L << 60;

  /** Other bits of a place in a file: its number, where in it, number of frames. */
  private static final int FILE_SHIFT = 54;

  private static final int MOST_FILES = 1 << 6;
  private static final int OFFSET_SHIFT = 14;
  private static final long MOST_OFFSET = 1L << FILE_SHIFT - OFFSET_SHIFT;
  private static final int MOST_FRAMES = 1 << OFFSET_SHIFT;

  /** Bits of an offset in a window on a file; windows overlap by the longest record. */
  private static final int WINDOW_SHIFT = 30;

  private static final int OVERLAP = 1 << 16;

  /** Bits of a node's number that say in which tree it is; the lower ones say where there. */
  private static final int TREE_SHIFT = 29;

  private static final int IN_TREE = (1 << TREE_SHIFT) - 1;

  /**
   * Outer frames that decide into which tree a stack comes, so that most that it shares is there.
   */
  private static final int OUTER_FRAMES = 6;

  /** Words of a definition, and which are which beside the key. */
  private static final int WORDS = 3;

  private static final int TIME = 1;
  private static final int DEFINED = 2;

  /** Definitions that are sorted by exchanging neighbours. */
  private static final int FEW = 16;

  /** Definitions after the first of a hash that are looked at one by one. */
  private static final int NEAR = 4;

  /** Several, so that threads that note definitions seldom wait for each other. */
  private final StackTrie[] trees = new StackTrie[4];

  /** Stacks that will come into each tree, whose lock they are as well. */
  private final StackBatch[] batches = new StackBatch[trees.length];

  private long size;

  /** The definitions as long as they are noted. */
  private final Columns definitions = new Columns(16, MOST_DEFINITIONS);

  private final LongColumn keys = definitions.longs();
  private final LongColumn times = definitions.longs();

  /** Numbers of the addresses of innermost frames, with {@link #KERNEL} or {@link #USER}. */
  private final IntColumn innermost = definitions.ints();

  /**
   * And when they are settled, in the order of the hashes of their keys, of each three words: key,
   * time, {@link #defined}. One look touches one cache line.
   */
  private long[] sorted = {};

  private int count;

  /**
   * Places of the stacks, by the number of the definition: in the order in which they were noted,
   * so that those that are near each other in a file are it here as well.
   */
  private final Columns stacks = new Columns(16, MOST_DEFINITIONS);

  private final LongColumn places = stacks.longs();

  /** The addresses of innermost frames, by number. */
  private final LongList addresses = new LongList();

  /** Their numbers, as long as definitions are noted. */
  private LongIntMap numbers = new LongIntMap();

  /** By the first bits of hashes: the first definition whose key has such a hash. */
  private int[] buckets = new int[4];

  private int hashShift = Integer.SIZE - 1;

  private final List<EtlFile> files;
  private final LongPredicate isKernel;

  /** Windows on each file, at multiples of their length. */
  private final Bytes[][] windows;

  private long leftOut;

  /**
   * Knows no definitions yet.
   *
   * @param files of the recording, in their order
   * @param isKernel whether an address is one of the kernel
   */
  StackKeys(List<EtlFile> files, LongPredicate isKernel) {
    this.files = files;
    this.isKernel = isKernel;
    this.windows = new Bytes[files.size()][];
    Arrays.setAll(trees, _ -> new StackTrie());
    Arrays.setAll(batches, _ -> new StackBatch());
  }

  /**
   * Notes the definition that a record is.
   *
   * @param file number of the record's file
   */
  void note(int file, RecordCursor record, long time) {
    int pointer = record.pointerBytes();
    int length = record.payloadLength();
    if (length < pointer) {
      return;
    }
    int at = record.payloadOffset();
    Bytes bytes = record.bytes();
    long key = bytes.pointer(at, pointer);
    int first = at + pointer;
    int frames = length / pointer - 1;
    long halves = (long) halves(bytes, first, frames, pointer) << HALVES_SHIFT & Long.MAX_VALUE;
    long address = frames == 0 ? 0 : bytes.pointer(first, pointer);
    long offset = bytes.base() + first;
    boolean isInFile =
        !record.file().buffers().compressed(record.buffer())
            && file < MOST_FILES
            && offset < MOST_OFFSET
            && frames < MOST_FRAMES;
    if (isInFile) {
      // It need not be copied: the file is there as long as it is asked for.
      long narrow = pointer == 4 ? NARROW : 0;
      long place = narrow | (long) file << FILE_SHIFT | offset << OFFSET_SHIFT | frames;
      add(key, time, halves | place, address);
      return;
    }
    int definition = add(key, time, IN_A_TREE | halves, address);
    if (definition < 0) {
      return;
    }
    int number = tree(bytes, first, frames, pointer);
    StackBatch batch = batches[number];
    synchronized (batch) {
      batch.add(definition, bytes, first, frames, pointer);
      if (batch.isFull()) {
        putIntoTree(number);
      }
    }
  }

  /** Returns {@link #KERNEL} or {@link #USER} if all frames are; both if there are none; else 0. */
  private int halves(Bytes bytes, int at, int frames, int pointer) {
    int kernel = 0;
    for (int i = 0; i < frames; i++) {
      kernel += isKernel.test(bytes.pointer(at + i * pointer, pointer)) ? 1 : 0;
    }
    return (kernel == frames ? KERNEL : 0) | (kernel == 0 ? USER : 0);
  }

  private void putIntoTree(int number) {
    StackTrie tree = trees[number];
    StackBatch batch = batches[number];
    int before = tree.size();
    tree.add(batch);
    synchronized (this) {
      for (int i = 0; i < batch.size(); i++) {
        int owner = batch.owner(i);
        places.set(owner, places.get(owner) | number << TREE_SHIFT | batch.node(i));
      }
      size += tree.size() - before;
    }
    batch.clear();
  }

  /**
   * Adds a definition; -1 if there are too many.
   *
   * @param place of its stack, without the node if that is not known yet
   * @param address of its innermost frame
   */
  private synchronized int add(long key, long time, long place, long address) {
    if (size >= MOST_NODES || definitions.isFull()) {
      leftOut++;
      return -1;
    }
    int definition = definitions.add();
    stacks.add();
    keys.set(definition, key);
    times.set(definition, time);
    places.set(definition, place);
    int halves = (int) (place >>> HALVES_SHIFT) & (KERNEL | USER);
    if (halves != 0) {
      innermost.set(definition, number(address) | halves);
    }
    return definition;
  }

  private int number(long address) {
    int number = numbers.get(address);
    if (number < 0) {
      number = addresses.size();
      addresses.add(address);
      numbers.put(address, number);
    }
    return number;
  }

  /** Returns the number of the tree that a stack belongs into. */
  private int tree(Bytes bytes, int at, int frames, int pointer) {
    long mixed = 0;
    for (int i = frames - 1; i >= Math.max(0, frames - OUTER_FRAMES); i--) {
      mixed = (mixed ^ bytes.pointer(at + i * pointer, pointer)) * 0x9E37_79B9_7F4A_7C15L;
      mixed ^= mixed >>> 32;
    }
    return (int) mixed & trees.length - 1;
  }

  /**
   * Puts the definitions in order.
   *
   * @param cores threads to use
   */
  void settle(int cores) {
    for (int i = 0; i < trees.length; i++) {
      putIntoTree(i);
    }
    if (size > 0) {
      settleTrees(cores);
    }
    for (int i = 0; i < windows.length && definitions.rows() > 0; i++) {
      windows[i] = windows(files.get(i));
    }
    numbers = new LongIntMap();
    sort();
  }

  private void settleTrees(int cores) {
    StackTrie.shareNumbers(trees);
    int[][] moved = new int[trees.length][];
    ParallelTasks.run(
        cores, trees.length, () -> trees, (all, i) -> moved[i] = all[i].settle(), (one, _) -> one);
    for (int i = 0; i < definitions.rows(); i++) {
      long place = places.get(i);
      if (place < 0) {
        int node = (int) place & NODE;
        int settled = node & ~IN_TREE | moved[node >>> TREE_SHIFT][node & IN_TREE];
        places.set(i, place & ~(long) NODE | settled);
      }
    }
  }

  private static Bytes[] windows(EtlFile file) {
    Bytes[] all = new Bytes[(int) (file.size() >>> WINDOW_SHIFT) + 1];
    for (int i = 0; i < all.length; i++) {
      long from = (long) i << WINDOW_SHIFT;
      all[i] =
          file.window(from, (int) Math.min(file.size() - from, (1L << WINDOW_SHIFT) + OVERLAP));
    }
    return all;
  }

  /**
   * Puts the definitions in the order of the hashes of their keys: first all that share some first
   * bits, so that they lie where these say, and then those few.
   */
  private void sort() {
    count = definitions.rows();
    int bits = Math.max(1, Integer.SIZE - 1 - Integer.numberOfLeadingZeros(Math.max(2, count)));
    hashShift = Integer.SIZE - bits;
    int[] starts = new int[(1 << bits) + 2];
    for (int i = 0; i < count; i++) {
      starts[bucket(keys.get(i)) + 2]++;
    }
    for (int i = 2; i < starts.length; i++) {
      starts[i] += starts[i - 1];
    }
    sorted = new long[WORDS * count];
    for (int i = 0; i < count; i++) {
      // What begins the next ones in the end.
      int at = WORDS * starts[bucket(keys.get(i)) + 1]++;
      sorted[at] = keys.get(i);
      sorted[at + TIME] = times.get(i);
      sorted[at + DEFINED] = (long) i << 32 | innermost.get(i) & 0xFFFF_FFFFL;
    }
    definitions.clear();
    definitions.trim();
    for (int i = 1; i < starts.length - 1; i++) {
      if (starts[i] - starts[i - 1] > 1) {
        sort(starts[i - 1], starts[i]);
      }
    }
    buckets = starts;
  }

  private int bucket(long key) {
    return (hash(key) ^ Integer.MIN_VALUE) >>> hashShift;
  }

  private void sort(int from, int to) {
    if (to - from > FEW) {
      sortMany(from, to);
      return;
    }
    for (int i = from + 1; i < to; i++) {
      for (int j = i; j > from && isBefore(j, j - 1); j--) {
        swap(WORDS * j, WORDS * (j - 1));
      }
    }
  }

  private void swap(int one, int other) {
    for (int word = 0; word < WORDS; word++) {
      long moved = sorted[one + word];
      sorted[one + word] = sorted[other + word];
      sorted[other + word] = moved;
    }
  }

  private void sortMany(int from, int to) {
    int[] order =
        RowSort.sorted(
            to - from,
            (a, b) -> isBefore(from + a, from + b) ? -1 : isBefore(from + b, from + a) ? 1 : 0);
    long[] all = Arrays.copyOfRange(sorted, WORDS * from, WORDS * to);
    for (int i = 0; i < order.length; i++) {
      System.arraycopy(all, WORDS * order[i], sorted, WORDS * (from + i), WORDS);
    }
  }

  private boolean isBefore(int one, int other) {
    return isBefore(one, key(other), sorted[WORDS * other + TIME]);
  }

  /** Returns the hash that orders keys. */
  static int hash(long key) {
    return (int) (key * 0x9E37_79B9_7F4A_7C15L >>> 32);
  }

  private long key(int at) {
    return sorted[WORDS * at];
  }

  /** Reads where {@link #find} will look, so that many are waited for at once. */
  long touch(long key) {
    int at = buckets[bucket(key)];
    return at < count ? key(at) : 0;
  }

  /** Returns {@link #defined} of what a key meant at a time; -1 if nothing defines it. */
  long find(long key, long time) {
    int at = buckets[bucket(key)];
    int near = Math.min(at + NEAR, count);
    while (at < near && isBefore(at, key, time)) {
      at++;
    }
    if (at == near) {
      at = firstNotBefore(at, key, time);
    }
    return defines(at, key) ? defined(at) : -1;
  }

  /** The place of the first definition from {@code low} on whose key has a hash, or a later one. */
  int firstOfHash(int low, int hash) {
    return Search.firstNear(low, count, i -> hash(key(i)) >= hash);
  }

  /** Returns true if the definition at a place is of a key, and has frames: else it is damaged. */
  boolean defines(int at, long key) {
    int none = KERNEL | USER;
    return at < count && key(at) == key && ((int) defined(at) & none) != none;
  }

  /**
   * The place of the first definition from {@code low} on that does not come before those of a key
   * after a time.
   */
  int firstNotBefore(int low, long key, long time) {
    return Search.firstNear(low, count, i -> !isBefore(i, key, time));
  }

  private boolean isBefore(int at, long key, long time) {
    long other = key(at);
    if (other == key) {
      return sorted[WORDS * at + TIME] < time;
    }
    int byHash = Integer.compare(hash(other), hash(key));
    return byHash != 0 ? byHash < 0 : other < key;
  }

  /**
   * Returns the number of the definition at a place in the upper half, and in the lower the number
   * of the address of its innermost frame, with {@link #KERNEL} or {@link #USER} if all frames are;
   * neither if there is none.
   */
  long defined(int at) {
    return sorted[WORDS * at + DEFINED];
  }

  /** The address that a number stands for. */
  long address(int number) {
    return addresses.get(number);
  }

  /** Returns where a definition's stack is: those that lie near each other have near numbers. */
  int place(int definition) {
    long place = places.get(definition);
    return place < 0 ? (int) place & NODE : (int) (place >>> OFFSET_SHIFT + 3);
  }

  /** Appends the frames of a definition's stack, innermost first. */
  void copy(int definition, StackAddresses into) {
    long place = places.get(definition);
    if (place < 0) {
      int node = (int) place & NODE;
      trees[node >>> TREE_SHIFT].copy(node & IN_TREE, into);
      return;
    }
    int frames = (int) place & MOST_FRAMES - 1;
    into.add(window(place), offset(place), frames, pointerBytes(place));
  }

  private Bytes window(long place) {
    long offset = place >>> OFFSET_SHIFT & MOST_OFFSET - 1;
    return windows[(int) (place >>> FILE_SHIFT) & MOST_FILES - 1][(int) (offset >>> WINDOW_SHIFT)];
  }

  /** Returns where a stack lies in its window. */
  private static int offset(long place) {
    return (int) (place >>> OFFSET_SHIFT) & (1 << WINDOW_SHIFT) - 1;
  }

  private static int pointerBytes(long place) {
    return (place & NARROW) != 0 ? 4 : 8;
  }

  /** Number of definitions. */
  int count() {
    return count;
  }

  /** Definitions that were skipped at the memory limit. */
  long leftOut() {
    return leftOut;
  }
}
