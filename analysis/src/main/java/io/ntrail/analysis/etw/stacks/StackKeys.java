package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Definitions of stack keys. The kernel logger gives a stack that it has seen before by a key and
 * records its frames only later; then it may use the key again. So a reference means the first
 * definition of its key after it. Safe for several threads while definitions are noted.
 */
final class StackKeys {
  /** A fifth of the memory for nodes of the tree, at 8 bytes each. */
  private static final int MOST_NODES =
      Math.clamp(Runtime.getRuntime().maxMemory() / 40, 1 << 20, Integer.MAX_VALUE / 4);

  /** And up to three eighths for definitions, at 24 bytes each. */
  private static final int MOST_DEFINITIONS =
      Math.clamp(Runtime.getRuntime().maxMemory() / 64, 1 << 20, Integer.MAX_VALUE / 4);

  /** Flag of a stack whose frames are all of the kernel. */
  static final int KERNEL = 1 << 31;

  /** Flag of a stack whose frames are all of user mode. */
  static final int USER = 1 << 30;

  /** The other bits: number of an address. */
  static final int NUMBER = USER - 1;

  /** Bits of a node's number that say in which tree it is; the lower ones say where there. */
  private static final int TREE_SHIFT = 29;

  private static final int IN_TREE = (1 << TREE_SHIFT) - 1;

  /**
   * Outer frames that decide into which tree a stack comes, so that most that it shares is there.
   */
  private static final int OUTER_FRAMES = 6;

  /** Several, so that threads that note definitions seldom wait for each other. */
  private final StackTrie[] trees = new StackTrie[4];

  /** Stacks that will come into each tree, whose lock they are as well. */
  private final StackBatch[] batches = new StackBatch[trees.length];

  private long size;
  private final Columns definitions = new Columns(16, MOST_DEFINITIONS);
  private final LongColumn keys = definitions.longs();
  private final LongColumn times = definitions.longs();
  private final IntColumn nodes = definitions.ints();

  /** See {@link #innermost(int)}. */
  private int[] innermost = {};

  private long leftOut;

  StackKeys() {
    Arrays.setAll(trees, _ -> new StackTrie());
    Arrays.setAll(batches, _ -> new StackBatch());
  }

  /** Notes the definition that a record is. */
  void note(RecordCursor record, long time) {
    int pointer = record.pointerBytes();
    int length = record.payloadLength();
    if (length < pointer) {
      return;
    }
    int at = record.payloadOffset();
    int definition = add(record.bytes().pointer(at, pointer), time);
    if (definition < 0) {
      return;
    }
    int frames = length / pointer - 1;
    int number = tree(record.bytes(), at + pointer, frames, pointer);
    StackBatch batch = batches[number];
    synchronized (batch) {
      batch.add(definition, record.bytes(), at + pointer, frames, pointer);
      if (batch.isFull()) {
        putIntoTree(number);
      }
    }
  }

  private void putIntoTree(int number) {
    StackTrie tree = trees[number];
    StackBatch batch = batches[number];
    int before = tree.size();
    tree.add(batch);
    synchronized (this) {
      for (int i = 0; i < batch.size(); i++) {
        nodes.set(batch.owner(i), number << TREE_SHIFT | batch.node(i));
      }
      size += tree.size() - before;
    }
    batch.clear();
  }

  /** Adds a definition whose stack is not known yet; -1 if there are too many. */
  private synchronized int add(long key, long time) {
    if (size >= MOST_NODES || definitions.isFull()) {
      leftOut++;
      return -1;
    }
    int definition = definitions.add();
    keys.set(definition, key);
    times.set(definition, time);
    return definition;
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

  private StackTrie tree(int node) {
    return trees[node >>> TREE_SHIFT];
  }

  /**
   * Puts the definitions in order.
   *
   * @param isKernel whether an address is one of the kernel
   * @param cores threads to use
   */
  void settle(LongPredicate isKernel, int cores) {
    for (int i = 0; i < trees.length; i++) {
      putIntoTree(i);
    }
    StackTrie.shareNumbers(trees);
    int[][] places = new int[trees.length][];
    StackTrie.Halves[] halves = new StackTrie.Halves[trees.length];
    ParallelTasks.run(
        cores,
        trees.length,
        () -> trees,
        (all, i) -> {
          places[i] = all[i].settle();
          halves[i] = all[i].halves(isKernel);
        },
        (one, _) -> one);
    int count = definitions.rows();
    for (int i = 0; i < count; i++) {
      int node = nodes.get(i);
      nodes.set(i, node & ~IN_TREE | places[node >>> TREE_SHIFT][node & IN_TREE]);
    }
    sort();
    innermost = new int[count];
    for (int i = 0; i < count; i++) {
      int node = nodes.get(i) & IN_TREE;
      if (node != 0) {
        StackTrie.Halves ofTree = halves[nodes.get(i) >>> TREE_SHIFT];
        innermost[i] =
            tree(nodes.get(i)).number(node)
                | (ofTree.isKernel(node) ? KERNEL : 0)
                | (ofTree.isUser(node) ? USER : 0);
      }
    }
  }

  /** By hash, so that those who look for many keys in that order find them one after the other. */
  private void sort() {
    int count = definitions.rows();
    long[] packed = new long[count];
    for (int i = 0; i < count; i++) {
      packed[i] = (long) hash(keys.get(i)) << 32 | i;
    }
    Arrays.sort(packed);
    int[] order = new int[count];
    for (int start = 0; start < count; ) {
      int end = start + 1;
      while (end < count && packed[end] >> 32 == packed[start] >> 32) {
        end++;
      }
      order[start] = (int) packed[start];
      if (end - start > 1) {
        sort(packed, start, end, order);
      }
      start = end;
    }
    definitions.permute(order);
  }

  private void sort(long[] packed, int start, int end, int[] order) {
    int[] ofHash = RowSort.sorted(end - start, (a, b) -> compare(packed, start + a, start + b));
    for (int i = 0; i < ofHash.length; i++) {
      order[start + i] = (int) packed[start + ofHash[i]];
    }
  }

  private int compare(long[] packed, int a, int b) {
    int one = (int) packed[a];
    int other = (int) packed[b];
    int byKey = Long.compare(keys.get(one), keys.get(other));
    return byKey != 0 ? byKey : Long.compare(times.get(one), times.get(other));
  }

  /** Returns the hash that orders keys. */
  static int hash(long key) {
    return (int) (key * 0x9E37_79B9_7F4A_7C15L >>> 32);
  }

  /** The definition that a key meant at a time; -1 if nothing defines it. */
  int find(long key, long time) {
    // Hashes are spread evenly.
    long guess = ((long) hash(key) - Integer.MIN_VALUE) * definitions.rows() >>> 32;
    int low = (int) guess;
    for (int step = 1; low > 0 && !isBefore(low - 1, key, time); step *= 2) {
      low = Math.max(0, low - step);
    }
    int at = firstNotBefore(low, key, time);
    return defines(at, key) ? at : -1;
  }

  /** The first definition from {@code low} on whose key has a hash, or a later one. */
  int firstOfHash(int low, int hash) {
    return Search.firstNear(low, definitions.rows(), i -> hash(keys.get(i)) >= hash);
  }

  /** Returns true if a definition is of a key. */
  boolean defines(int definition, long key) {
    return definition < definitions.rows() && keys.get(definition) == key;
  }

  /**
   * The first definition from {@code low} on that does not come before those of a key after a time.
   */
  int firstNotBefore(int low, long key, long time) {
    return Search.firstNear(low, definitions.rows(), i -> !isBefore(i, key, time));
  }

  private boolean isBefore(int definition, long key, long time) {
    long other = keys.get(definition);
    if (other == key) {
      return times.get(definition) < time;
    }
    int byHash = Integer.compare(hash(other), hash(key));
    return byHash != 0 ? byHash < 0 : other < key;
  }

  /**
   * The number of the address of a definition's innermost frame, with {@link #KERNEL} or {@link
   * #USER} if all frames are; neither if there is none.
   */
  int innermost(int definition) {
    return innermost[definition];
  }

  /** The address that a number stands for. */
  long address(int number) {
    return trees[0].address(number);
  }

  /** Returns the node of a definition's stack, and its tree in the upper bits. */
  int place(int definition) {
    return nodes.get(definition);
  }

  /** Appends the frames of a definition's stack, innermost first. */
  void copy(int definition, StackAddresses into) {
    int node = nodes.get(definition);
    tree(node).copy(node & IN_TREE, into);
  }

  /** Number of definitions. */
  int count() {
    return definitions.rows();
  }

  /** Definitions that were skipped at the memory limit. */
  long leftOut() {
    return leftOut;
  }
}
