package io.ntrail.analysis.stacks;

import io.ntrail.formats.bytes.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Many stacks in little memory: a tree whose nodes are frames and whose edges lead from a caller to
 * what it called, so that stacks share what their outer frames have in common. A stack is the node
 * of its innermost frame; node 0 is the empty stack. About 20 bytes a node. One thread at a time.
 */
final class StackTree {
  /**
   * Chunks stay well under half a region of the collector, which would round them up to a whole.
   */
  private static final int CHUNK_BITS = 14;

  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int MASK = CHUNK - 1;

  private final List<int[]> parents = new ArrayList<>();
  private final List<long[]> addresses = new ArrayList<>();
  private int size;
  private int[] table = new int[1 << 12];

  StackTree() {
    grow();
    size = 1;
  }

  private void grow() {
    parents.add(new int[CHUNK]);
    addresses.add(new long[CHUNK]);
  }

  /** Number of nodes, the root included. */
  int size() {
    return size;
  }

  int parent(int node) {
    return parents.get(node >>> CHUNK_BITS)[node & MASK];
  }

  long address(int node) {
    return addresses.get(node >>> CHUNK_BITS)[node & MASK];
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
    int slot = slot(parent, address);
    while (table[slot] != 0) {
      int node = table[slot];
      if (parent(node) == parent && address(node) == address) {
        return node;
      }
      slot = slot + 1 & table.length - 1;
    }
    if (size == parents.size() << CHUNK_BITS) {
      grow();
    }
    int node = size++;
    parents.getLast()[node & MASK] = parent;
    addresses.getLast()[node & MASK] = address;
    table[slot] = node;
    if (size > table.length / 4 * 3) {
      rehash();
    }
    return node;
  }

  private int slot(int parent, long address) {
    long mixed = (address ^ parent * 0x9E37_79B9_7F4A_7C15L) * 0xD6E8_FEB8_6659_FD93L;
    return (int) (mixed >>> 32) & table.length - 1;
  }

  private void rehash() {
    int capacity = 2 * table.length;
    table = new int[0];
    table = new int[capacity];
    for (int node = 1; node < size; node++) {
      int slot = slot(parent(node), address(node));
      while (table[slot] != 0) {
        slot = slot + 1 & capacity - 1;
      }
      table[slot] = node;
    }
  }

  /** No more stacks will be added: what was only needed for that is given back. */
  void settle() {
    table = new int[0];
    if (parents.size() == 1) {
      parents.set(0, Arrays.copyOf(parents.getFirst(), size));
      addresses.set(0, Arrays.copyOf(addresses.getFirst(), size));
    }
  }

  /** Appends the frames of a stack, innermost first. */
  void copy(int stack, Frames into) {
    for (int node = stack; node != 0; node = parent(node)) {
      into.add(address(node));
    }
  }
}
