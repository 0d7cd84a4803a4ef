package io.ntrail.analysis.stacks;

import io.ntrail.formats.bytes.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Many stacks in little memory: a tree whose nodes are frames and whose edges lead from a caller to
 * what it called, so that stacks share what their outer frames have in common. A stack is the node
 * of its innermost frame; node 0 is the empty stack. About 8 bytes a node, and 6 more while it
 * grows. One thread at a time.
 */
final class StackTree {
  /**
   * Chunks stay well under half a region of the collector, which would round them up to a whole.
   */
  private static final int CHUNK_BITS = 14;

  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int MASK = CHUNK - 1;

  /** Of each node its parent in the upper half, the number of its address in the lower. */
  private final List<long[]> nodes = new ArrayList<>();

  private int size;
  private int[] table = new int[1 << 12];
  private long[] addresses = new long[1 << 10];
  private int addressCount;
  private int[] addressTable = new int[1 << 11];

  StackTree() {
    nodes.add(new long[CHUNK]);
    size = 1;
  }

  /** Number of nodes, the root included. */
  int size() {
    return size;
  }

  private long node(int node) {
    return nodes.get(node >>> CHUNK_BITS)[node & MASK];
  }

  /** The node of a stack whose frames stand in a record, innermost first. */
  int node(Bytes bytes, int at, int frames, int pointerBytes) {
    int node = 0;
    for (int i = frames - 1; i >= 0; i--) {
      node = child(node, bytes.pointer(at + i * pointerBytes, pointerBytes));
    }
    return node;
  }

  private int child(int parent, long address) {
    long label = (long) parent << 32 | number(address);
    int slot = slot(label) & table.length - 1;
    while (table[slot] != 0) {
      if (node(table[slot]) == label) {
        return table[slot];
      }
      slot = slot + 1 & table.length - 1;
    }
    if (size == nodes.size() << CHUNK_BITS) {
      nodes.add(new long[CHUNK]);
    }
    int node = size++;
    nodes.getLast()[node & MASK] = label;
    table[slot] = node;
    if (size > table.length / 4 * 3) {
      rehash();
    }
    return node;
  }

  /** The number of an address. */
  private int number(long address) {
    int mask = addressTable.length - 1;
    int slot = slot(address) & mask;
    while (addressTable[slot] != 0) {
      int number = addressTable[slot] - 1;
      if (addresses[number] == address) {
        return number;
      }
      slot = slot + 1 & mask;
    }
    if (addressCount == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * addressCount);
    }
    addresses[addressCount++] = address;
    addressTable[slot] = addressCount;
    if (addressCount > addressTable.length / 2) {
      addressTable = new int[2 * addressTable.length];
      for (int number = 0; number < addressCount; number++) {
        int free = slot(addresses[number]) & addressTable.length - 1;
        while (addressTable[free] != 0) {
          free = free + 1 & addressTable.length - 1;
        }
        addressTable[free] = number + 1;
      }
    }
    return addressCount - 1;
  }

  private static int slot(long key) {
    long mixed = (key ^ key >>> 29) * 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32);
  }

  private void rehash() {
    int capacity = 2 * table.length;
    table = new int[0];
    table = new int[capacity];
    for (int node = 1; node < size; node++) {
      int slot = slot(node(node)) & capacity - 1;
      while (table[slot] != 0) {
        slot = slot + 1 & capacity - 1;
      }
      table[slot] = node;
    }
  }

  /** No more stacks will be added: what was only needed for that is given back. */
  void settle() {
    table = new int[0];
    addressTable = new int[0];
    if (nodes.size() == 1) {
      nodes.set(0, Arrays.copyOf(nodes.getFirst(), size));
    }
  }

  /** Appends the frames of a stack, innermost first. */
  void copy(int stack, Frames into) {
    for (int node = stack; node != 0; ) {
      long label = node(node);
      into.add(addresses[(int) label]);
      node = (int) (label >>> 32);
    }
  }
}
