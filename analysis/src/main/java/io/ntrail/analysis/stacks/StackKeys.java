package io.ntrail.analysis.stacks;

import io.ntrail.analysis.recording.IndexSort;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;

/**
 * Definitions of stack keys. The kernel logger gives a stack that it has seen before by a key and
 * tells only later which frames the key stood for; then it may use the key again. So a reference
 * means the first definition of its key after it. Safe for several threads while definitions are
 * noted.
 */
final class StackKeys {
  /** Share of the memory for nodes of the tree: a sixth of it, with what belongs to each. */
  private static final int MOST_NODES =
      Math.clamp(Runtime.getRuntime().maxMemory() / 40, 1 << 20, Integer.MAX_VALUE / 4);

  private final StackTree tree = new StackTree();
  private int size;
  private long[] keys = new long[16];
  private long[] times = new long[16];
  private int[] nodes = new int[16];
  private long leftOut;

  /** Where the definitions of a key begin, plus 1, by its hash; 0 is empty. */
  private int[] firsts = {};

  StackKeys() {}

  /** Notes the definition that a record is. */
  synchronized void note(RecordCursor record, long time) {
    int pointer = record.pointerBytes();
    int length = record.payloadLength();
    if (length < pointer) {
      return;
    }
    if (tree.size() >= MOST_NODES) {
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

  /** Puts the definitions in order. */
  void settle() {
    int[] places = tree.settle();
    for (int i = 0; i < size; i++) {
      nodes[i] = places[nodes[i]];
    }
    sort();
  }

  private void sort() {
    int[] order =
        IndexSort.by(
            size,
            (a, b) -> {
              int byKey = Long.compare(keys[a], keys[b]);
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
    firsts = new int[Math.max(16, Integer.highestOneBit(Math.max(1, size)) * 4)];
    for (int i = size - 1; i >= 0; i--) {
      if (i == 0 || keys[i - 1] != keys[i]) {
        int slot = slot(keys[i]) & firsts.length - 1;
        while (firsts[slot] != 0) {
          slot = slot + 1 & firsts.length - 1;
        }
        firsts[slot] = i + 1;
      }
    }
  }

  /** The stack that a key meant at a time; -1 if nothing defines it. */
  int stack(long key, long time) {
    if (size == 0) {
      return -1;
    }
    int mask = firsts.length - 1;
    int slot = slot(key) & mask;
    while (firsts[slot] != 0 && keys[firsts[slot] - 1] != key) {
      slot = slot + 1 & mask;
    }
    if (firsts[slot] == 0) {
      return -1;
    }
    int low = firsts[slot] - 1;
    if (times[low] >= time) {
      return nodes[low];
    }
    // The key was used again: definitions up to the next key are in order of time.
    int high = low + 1;
    int step = 1;
    while (high < size && keys[high] == key && times[high] < time) {
      low = high;
      high = Math.min(size, high + step);
      step *= 2;
    }
    high = Math.min(high, size);
    while (low + 1 < high) {
      int middle = (low + high) >>> 1;
      if (keys[middle] == key && times[middle] < time) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high < size && keys[high] == key ? nodes[high] : -1;
  }

  private static int slot(long key) {
    return (int) (key * 0x9E37_79B9_7F4A_7C15L >>> 32);
  }

  /** Appends the frames of a stack, innermost first. */
  void copy(int stack, Frames into) {
    tree.copy(stack, into);
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
