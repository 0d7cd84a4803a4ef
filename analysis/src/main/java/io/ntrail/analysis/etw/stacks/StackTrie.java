package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.collections.Growth;
import java.util.Arrays;

/**
 * Many stacks in little memory: a tree whose nodes are frames and whose edges lead from a caller to
 * what it called, so that stacks share what their outer frames have in common. A stack is the node
 * of its innermost frame; node 0 is the empty stack. About 8 bytes a node, and 6 more while it
 * grows: the tables are its own, because they may be fuller than a {@link
 * io.ntrail.formats.collections.RowIndex}, and the old one is given back before a larger one is
 * made. One thread at a time.
 */
final class StackTrie {
  /**
   * Chunks stay well under half a region of the collector, which would round them up to a whole.
   */
  private static final int CHUNK_BITS = 14;

  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int MASK = CHUNK - 1;

  /** By node: its parent in the upper half, the number of its address in the lower. */
  private long[][] nodes = new long[16][];

  private int chunks;
  private int size;
  private int[] table = new int[1 << 12];
  private long[] addresses = new long[1 << 10];
  private int addressCount;
  private int[] addressTable = new int[1 << 11];

  StackTrie() {
    nodes[chunks++] = new long[CHUNK];
    size = 1;
  }

  /** Number of nodes, the root included. */
  int size() {
    return size;
  }

  private long node(int node) {
    return nodes[node >>> CHUNK_BITS][node & MASK];
  }

  /**
   * Finds the nodes of some stacks, a frame of each in turn: most nodes are far from each other in
   * memory, which so is waited for once for many of them.
   */
  void add(StackBatch stacks) {
    int[] rows = new int[stacks.size()];
    long[] labels = new long[rows.length];
    int[] guesses = new int[rows.length];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = i;
    }
    for (int left = unfinished(stacks, rows, rows.length);
        left > 0;
        left = unfinished(stacks, rows, left)) {
      for (int i = 0; i < left; i++) {
        labels[i] = (long) stacks.node(rows[i]) << 32 | number(stacks.takeFrame(rows[i]));
        guesses[i] = table[slot(labels[i]) & table.length - 1];
      }
      for (int i = 0; i < left; i++) {
        guesses[i] = node(guesses[i]) == labels[i] ? guesses[i] : 0;
      }
      for (int i = 0; i < left; i++) {
        stacks.setNode(rows[i], guesses[i] != 0 ? guesses[i] : child(labels[i]));
      }
    }
  }

  /** Puts the stacks that have frames left first; returns how many there are. */
  private static int unfinished(StackBatch stacks, int[] rows, int count) {
    int left = 0;
    for (int i = 0; i < count; i++) {
      if (stacks.hasFrame(rows[i])) {
        rows[left++] = rows[i];
      }
    }
    return left;
  }

  private int child(long label) {
    int slot = slot(label) & table.length - 1;
    while (table[slot] != 0) {
      if (node(table[slot]) == label) {
        return table[slot];
      }
      slot = slot + 1 & table.length - 1;
    }
    if (size == chunks << CHUNK_BITS) {
      if (chunks == nodes.length) {
        nodes = Arrays.copyOf(nodes, Growth.length(chunks, chunks + 1));
      }
      nodes[chunks++] = new long[CHUNK];
    }
    int node = size++;
    set(node, label);
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
      addresses = Arrays.copyOf(addresses, Growth.length(addressCount, addressCount + 1));
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

  /**
   * Gives the addresses of several trees the same numbers; no more stacks can be added to them.
   *
   * @param trees at least one
   */
  static void shareNumbers(StackTrie[] trees) {
    StackTrie first = trees[0];
    for (StackTrie tree : trees) {
      if (tree != first) {
        int[] numbers = new int[tree.addressCount];
        for (int i = 0; i < numbers.length; i++) {
          numbers[i] = first.number(tree.addresses[i]);
        }
        for (int node = 1; node < tree.size; node++) {
          long label = tree.node(node);
          tree.set(node, label & -1L << 32 | numbers[(int) label]);
        }
      }
    }
    for (StackTrie tree : trees) {
      tree.addresses = first.addresses;
      tree.addressTable = new int[0];
    }
  }

  /**
   * No more stacks will be added: what was only needed for that is given back, and nodes are put in
   * the order of a walk down the tree. A stack then lies in few cache lines, because what a frame
   * called is after it.
   *
   * @return the new number of each node
   */
  int[] settle() {
    table = new int[0];
    addressTable = new int[0];
    int[] places = places();
    for (int start = 1; start < size; start++) {
      // Goes round each cycle once, from its lowest node; who has moved is marked.
      if (places[start] > 0) {
        long moving = moved(node(start), places);
        int to = places[start];
        places[start] = -to;
        while (to != start) {
          long next = moved(node(to), places);
          set(to, moving);
          moving = next;
          int following = places[to];
          places[to] = -following;
          to = following;
        }
        set(start, moving);
      }
    }
    for (int node = 1; node < size; node++) {
      places[node] = -places[node];
    }
    if (chunks == 1) {
      nodes[0] = Arrays.copyOf(nodes[0], size);
    }
    return places;
  }

  private static long moved(long label, int[] places) {
    return (long) Math.abs(places[(int) (label >>> 32)]) << 32 | label & 0xFFFF_FFFFL;
  }

  private void set(int node, long label) {
    nodes[node >>> CHUNK_BITS][node & MASK] = label;
  }

  /** Returns the position of each node in depth-first order, callers before callees. */
  private int[] places() {
    // First nodes below each one and itself, then the place of the next one below it.
    int[] below = new int[size];
    for (int node = size - 1; node > 0; node--) {
      below[node]++;
      below[parent(node)] += below[node];
    }
    int[] places = new int[size];
    below[0] = 1;
    for (int node = 1; node < size; node++) {
      int parent = parent(node);
      places[node] = below[parent];
      below[parent] += below[node];
      below[node] = places[node] + 1;
    }
    return places;
  }

  private int parent(int node) {
    return (int) (node(node) >>> 32);
  }

  /** Appends the frames of a stack, innermost first. */
  void copy(int stack, StackAddresses into) {
    into.numberedIn(addresses);
    long[] chunk = nodes[stack >>> CHUNK_BITS];
    for (int node = stack; node != 0; ) {
      long label = chunk[node & MASK];
      into.addNumbered((int) label);
      int parent = (int) (label >>> 32);
      if (parent >>> CHUNK_BITS != node >>> CHUNK_BITS) {
        chunk = nodes[parent >>> CHUNK_BITS];
      }
      node = parent;
    }
  }
}
