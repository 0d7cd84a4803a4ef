package io.ntrail.export.stacks;

import io.ntrail.analysis.model.NamedStacks;
import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.analysis.profile.WeightTree;
import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.Hashing;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.RowIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Weights by call path, by the names of frames: of one profile, or side by side of two that are
 * compared (column 0 before, column 1 after). Nodes are numbered from 0, the root, which stands for
 * everything; each comes after the one above it, and those below one node have different names.
 *
 * <p>Weights are never negative, and exact: those of a column are counted in units of the last
 * decimal that any of them has, see {@link #decimals}.
 */
public final class StackTree {
  private final int columns;
  private final List<String> names = new ArrayList<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private final BitSet added = new BitSet();
  private final Columns nodes = new Columns(256);
  private final IntColumn parents = nodes.ints();
  private final IntColumn labels = nodes.ints();
  private final ByteColumn kinds = nodes.bytes();
  private final LongColumn[] self;
  private final int[] decimals;
  private long[][] inclusive = {};

  /** Nodes by the one above and their name, without the root. */
  private final RowIndex index =
      new RowIndex(512, node -> Hashing.hash(parents.get(node), labels.get(node)));

  /**
   * Empty.
   *
   * @param columns profiles side by side: 1 or 2
   */
  public StackTree(int columns) {
    this.columns = columns;
    this.self = new LongColumn[columns];
    this.decimals = new int[columns];
    Arrays.setAll(self, _ -> nodes.longs());
    labels.set(nodes.add(), number("all"));
  }

  /** A profile of its own, with names that fit into every format. */
  public static StackTree of(WeightTree tree) {
    StackTree copy = new StackTree(1);
    copy.addAll(tree, 0, FrameNameOptions.WHOLE);
    return copy;
  }

  /** Adds a profile to a column, with names that fit into every format. */
  public void addAll(WeightTree tree, int column, FrameNameOptions naming) {
    int[] copies = new int[tree.size()];
    for (int node = 1; node < copies.length; node++) {
      // Stacks without weight are left out.
      if (tree.inclusive(node) != 0) {
        int parent = copies[tree.parent(node)];
        FrameKind kind = tree.kind(node);
        String name = naming.of(tree.text(node), kind);
        // What ended inside of an open call is not of the time of its function.
        copies[node] = child(parent, tree.isOpen(node) ? name + " (open)" : name, kind);
        if (tree.self(node) != 0) {
          add(copies[node], column, tree.self(node));
        }
      }
    }
    if (copies.length > 0 && tree.self(0) != 0) {
      add(child(0, FrameNames.UNKNOWN, FrameKind.NATIVE), column, tree.self(0));
    }
  }

  /**
   * Adds stacks whose frames have names already to a column. The kind of a frame follows from its
   * name.
   *
   * @return how many stacks there were
   * @throws ArithmeticException if the sum of a column does not fit into 63 bits
   */
  public long addAll(NamedStacks stacks, int column, FrameNameOptions naming) {
    return stacks.stacks(
        new NamedStacks.Sink() {
          private int node;

          @Override
          public void frame(String name) {
            FrameKind kind = FrameNames.kind(name, node == 0);
            node = child(node, naming.of(name, kind), kind);
          }

          @Override
          public void end(long weight, int places) {
            widen(column, places);
            add(node, column, scaled(weight, decimals[column] - places));
            node = 0;
          }
        });
  }

  private int number(String name) {
    Integer known = numbers.putIfAbsent(name, names.size());
    if (known == null) {
      names.add(name);
      return names.size() - 1;
    }
    return known;
  }

  /**
   * The node of that name below another one; made if it is not there.
   *
   * @param kind of its frame, if it is made
   */
  public int child(int parent, String name, FrameKind kind) {
    int label = number(name);
    int slot = index.slot(Hashing.hash(parent, label));
    int node = index.row(slot);
    while (node >= 0 && (parents.get(node) != parent || labels.get(node) != label)) {
      slot = index.next(slot);
      node = index.row(slot);
    }
    if (node < 0) {
      node = nodes.add();
      parents.set(node, parent);
      labels.set(node, label);
      kinds.set(node, (byte) kind.ordinal());
      index.put(slot, node);
    }
    return node;
  }

  /**
   * Adds to the weight of the stack that ends at a node.
   *
   * @throws ArithmeticException if the sum of a column does not fit into 63 bits
   */
  public void add(int node, int column, long weight) {
    // What is below 2^63 in all is so in each part.
    self[column].set(0, Math.addExact(self[column].get(0), weight));
    self[column].add(node, weight);
    added.set(node);
  }

  /** Counts the weights of a column in smaller units, if they are not as small already. */
  private void widen(int column, int places) {
    int more = places - decimals[column];
    if (more > 0) {
      for (int node = 0; node < size(); node++) {
        self[column].set(node, scaled(self[column].get(node), more));
      }
      decimals[column] = places;
    }
  }

  private static long scaled(long weight, int places) {
    long result = weight;
    for (int i = 0; i < places && result != 0; i++) {
      result = Math.multiplyExact(result, 10L);
    }
    return result;
  }

  /**
   * Counts the weights of all columns in the same units, so that they can be compared; for trees
   * that are settled.
   *
   * @throws ArithmeticException if the sum of a column does not fit into 63 bits then
   */
  public void align() {
    int most = Arrays.stream(decimals).max().orElse(0);
    if (Arrays.stream(decimals).anyMatch(places -> places != most)) {
      for (int column = 0; column < columns; column++) {
        scaled(total(column), most - decimals[column]);
        widen(column, most);
      }
      settle();
    }
  }

  /** Returns the decimals of the weights of a column: 125 with one is 12.5. */
  public int decimals(int column) {
    return decimals[column];
  }

  /** The sum of the weights that were added so far. */
  public long sum(int column) {
    return self[column].get(0);
  }

  /** Makes the sums; nothing can be added afterwards. */
  public void settle() {
    inclusive = new long[columns][];
    for (int column = 0; column < columns; column++) {
      self[column].set(0, 0);
      long[] sums = Arrays.copyOf(self[column].array(), size());
      for (int node = size() - 1; node > 0; node--) {
        sums[parents.get(node)] += sums[node];
      }
      inclusive[column] = sums;
    }
  }

  /**
   * Scales the first column so that its total is that of the second: each weight times the second
   * total by the first, rounded down. For settled trees of two columns.
   */
  public void normalize() {
    long first = total(0);
    long second = total(1);
    if (first != second && first != 0) {
      for (int node = 1; node < size(); node++) {
        self[0].set(node, scaled(self[0].get(node), second, first));
      }
      settle();
    }
  }

  private static long scaled(long weight, long by, long of) {
    if (Math.multiplyHigh(weight, by) == 0 && weight * by >= 0) {
      return weight * by / of;
    }
    return java.math.BigInteger.valueOf(weight)
        .multiply(java.math.BigInteger.valueOf(by))
        .divide(java.math.BigInteger.valueOf(of))
        .longValueExact();
  }

  /** Profiles side by side. */
  public int columns() {
    return columns;
  }

  /** Number of nodes. */
  public int size() {
    return nodes.rows();
  }

  /** The node above. */
  public int parent(int node) {
    return parents.get(node);
  }

  /** Name of a node's frame. */
  public String name(int node) {
    return names.get(labels.get(node));
  }

  /** A number for the name of a node's frame, the same for the same name, below {@link #names}. */
  public int label(int node) {
    return labels.get(node);
  }

  /** Returns the number of different names. */
  public int names() {
    return names.size();
  }

  /** Returns the kind of frame of a node. */
  public FrameKind kind(int node) {
    return FrameKind.values()[kinds.get(node)];
  }

  /** Returns whether any weight, even 0, was added to the stack that ends at a node. */
  public boolean isStack(int node) {
    return added.get(node);
  }

  /** Returns the number of stacks. */
  public int stacks() {
    return added.cardinality();
  }

  /** Weight of the stack that ends at a node. */
  public long self(int column, int node) {
    return self[column].get(node);
  }

  /** Weight of all stacks that go through a node, once the sums are made. */
  public long inclusive(int column, int node) {
    return inclusive[column][node];
  }

  /** The sum of all weights, once the sums are made. */
  public long total(int column) {
    return inclusive[column][0];
  }

  /** The nodes below each node, in no order, to be walked without recursion. */
  public Below below() {
    int[] first = new int[size()];
    int[] next = new int[size()];
    for (int node = size() - 1; node > 0; node--) {
      int parent = parents.get(node);
      next[node] = first[parent];
      first[parent] = node;
    }
    return new Below(first, next);
  }

  /** First child and next sibling of each node; 0 is none. */
  public static final class Below {
    private final int[] first;
    private final int[] next;

    private Below(int[] first, int[] next) {
      this.first = first;
      this.next = next;
    }

    /** The first node below one; 0 if there is none. */
    public int first(int node) {
      return first[node];
    }

    /** The next node below the same one; 0 if there is none. */
    public int next(int node) {
      return next[node];
    }
  }
}
