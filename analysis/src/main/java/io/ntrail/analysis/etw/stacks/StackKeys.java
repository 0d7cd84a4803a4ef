package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.IndexSort;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Definitions of stack keys. The kernel logger gives a stack that it has seen before by a key and
 * tells only later which frames the key stood for; then it may use the key again. So a reference
 * means the first definition of its key after it. Safe for several threads while definitions are
 * noted.
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

  private final StackTrie tree = new StackTrie();
  private int size;
  private long[] keys = new long[16];
  private long[] times = new long[16];
  private int[] nodes = new int[16];

  /** See {@link #innermost(int)}. */
  private int[] innermost = {};

  private long leftOut;

  StackKeys() {}

  /** Notes the definition that a record is. */
  synchronized void note(RecordCursor record, long time) {
    int pointer = record.pointerBytes();
    int length = record.payloadLength();
    if (length < pointer) {
      return;
    }
    if (tree.size() >= MOST_NODES || size >= MOST_DEFINITIONS) {
      leftOut++;
      return;
    }
    if (size == keys.length) {
      // Half as much again: there may be millions.
      int capacity = size + (size >> 1);
      keys = Arrays.copyOf(keys, capacity);
      times = Arrays.copyOf(times, capacity);
      nodes = Arrays.copyOf(nodes, capacity);
    }
    int at = record.payloadOffset();
    keys[size] = record.bytes().pointer(at, pointer);
    times[size] = time;
    nodes[size] = tree.node(record.bytes(), at + pointer, length / pointer - 1, pointer);
    size++;
  }

  /**
   * Puts the definitions in order.
   *
   * @param isKernel whether an address is one of the kernel
   */
  void settle(LongPredicate isKernel) {
    int[] places = tree.settle();
    for (int i = 0; i < size; i++) {
      nodes[i] = places[nodes[i]];
    }
    sort();
    innermost = new int[size];
    StackTrie.Halves halves = tree.halves(isKernel);
    for (int i = 0; i < size; i++) {
      if (nodes[i] != 0) {
        innermost[i] =
            tree.number(nodes[i])
                | (halves.isKernel(nodes[i]) ? KERNEL : 0)
                | (halves.isUser(nodes[i]) ? USER : 0);
      }
    }
  }

  /** By hash, so that those who look for many keys in that order find them one after the other. */
  private void sort() {
    int[] order =
        IndexSort.by(
            size,
            (a, b) -> {
              int byHash = Integer.compare(hash(keys[a]), hash(keys[b]));
              int byKey = byHash != 0 ? byHash : Long.compare(keys[a], keys[b]);
              return byKey != 0 ? byKey : Long.compare(times[a], times[b]);
            });
    long[] sortedKeys = new long[size];
    for (int i = 0; i < size; i++) {
      sortedKeys[i] = keys[order[i]];
    }
    keys = sortedKeys;
    long[] sortedTimes = new long[size];
    for (int i = 0; i < size; i++) {
      sortedTimes[i] = times[order[i]];
    }
    times = sortedTimes;
    int[] sortedNodes = new int[size];
    for (int i = 0; i < size; i++) {
      sortedNodes[i] = nodes[order[i]];
    }
    nodes = sortedNodes;
  }

  /** Returns the hash that orders keys. */
  static int hash(long key) {
    return (int) (key * 0x9E37_79B9_7F4A_7C15L >>> 32);
  }

  /** The definition that a key meant at a time; -1 if nothing defines it. */
  int find(long key, long time) {
    // Hashes are spread evenly.
    long guess = ((long) hash(key) - Integer.MIN_VALUE) * size >>> 32;
    int low = (int) guess;
    for (int step = 1; low > 0 && !isBefore(low - 1, key, time); step *= 2) {
      low = Math.max(0, low - step);
    }
    int at = firstNotBefore(low, key, time);
    return defines(at, key) ? at : -1;
  }

  /** The first definition from {@code low} on whose key has a hash, or a later one. */
  int firstOfHash(int low, int hash) {
    int before = low - 1;
    int step = 1;
    int high = low;
    while (high < size && hash(keys[high]) < hash) {
      before = high;
      high = Math.min(size, high + step);
      step *= 2;
    }
    while (before + 1 < high) {
      int middle = (before + high) >>> 1;
      if (hash(keys[middle]) < hash) {
        before = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  /** Returns true if a definition is of a key. */
  boolean defines(int definition, long key) {
    return definition < size && keys[definition] == key;
  }

  /**
   * The first definition from {@code low} on that does not come before those of a key after a time.
   */
  int firstNotBefore(int low, long key, long time) {
    int before = low - 1;
    int step = 1;
    int high = low;
    while (high < size && isBefore(high, key, time)) {
      before = high;
      high = Math.min(size, high + step);
      step *= 2;
    }
    while (before + 1 < high) {
      int middle = (before + high) >>> 1;
      if (isBefore(middle, key, time)) {
        before = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  private boolean isBefore(int definition, long key, long time) {
    long other = keys[definition];
    if (other == key) {
      return times[definition] < time;
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
    return tree.address(number);
  }

  /** Where a definition's stack is in the tree. */
  int place(int definition) {
    return nodes[definition];
  }

  /** Appends the frames of a definition's stack, innermost first. */
  void copy(int definition, StackAddresses into) {
    tree.copy(nodes[definition], into);
  }

  /** Number of definitions. */
  int count() {
    return size;
  }

  /** Definitions that were left out for want of memory. */
  long leftOut() {
    return leftOut;
  }
}
