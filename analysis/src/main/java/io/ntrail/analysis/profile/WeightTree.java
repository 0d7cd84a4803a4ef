package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.formats.collections.RowSort;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * Weights by call path. Nodes are numbered from 0, the root, which stands for everything; each
 * comes after the one above it.
 */
public interface WeightTree {
  /** Returns the number of nodes. */
  int size();

  /** Returns the node above. */
  int parent(int node);

  /** Returns the number of a node among all there are, also those that were left out. */
  default long id(int node) {
    return node;
  }

  /** Returns what a node stands for, as people read it. */
  String text(int node);

  /** Returns the kind of a node for flame graphs. */
  FrameKind kind(int node);

  /**
   * Returns true if a node stands for calls that had not ended when the recording did: its weight
   * is that of the calls in them that had.
   */
  default boolean isOpen(int node) {
    return false;
  }

  /** Returns the weight of what ends at a node. */
  long self(int node);

  /** Returns the weight of what goes through a node. */
  long inclusive(int node);

  /**
   * Returns the weight of what was left out, or added to the node above, as the memory limit was
   * reached.
   */
  long cut();

  /** Returns the number of nodes that weigh anything, the root left out. */
  default long weighty() {
    long count = 0;
    for (int node = 1; node < size(); node++) {
      count += inclusive(node) != 0 ? 1 : 0;
    }
    return count;
  }

  /** Returns the children of all nodes, as far as they weigh at least that, and anything. */
  default Children children(long least) {
    return new Children(this, node -> inclusive(node) >= least && inclusive(node) != 0);
  }

  /** Returns the children of all nodes, as far as they are among some. */
  default Children children(BitSet some) {
    return new Children(this, some::get);
  }

  /** Children of the nodes of a tree of weights: those of a node the heaviest first. */
  final class Children {
    /** Indexes of the children of each node in {@link #children}, of the first one. */
    private final int[] starts;

    private final int[] children;

    /**
     * Sorts the children of all nodes.
     *
     * @param isIn returns true for nodes that are looked at
     */
    private Children(WeightTree tree, IntPredicate isIn) {
      int size = tree.size();
      starts = new int[size + 2];
      for (int node = 1; node < size; node++) {
        starts[tree.parent(node) + 2] += isIn.test(node) ? 1 : 0;
      }
      for (int node = 0; node < size; node++) {
        starts[node + 2] += starts[node + 1];
      }
      children = new int[starts[size + 1]];
      for (int node = 1; node < size; node++) {
        if (isIn.test(node)) {
          children[starts[tree.parent(node) + 1]++] = node;
        }
      }
      for (int node = 0; node < size; node++) {
        if (count(node) > 1) {
          sort(tree, node);
        }
      }
    }

    private void sort(WeightTree tree, int node) {
      int[] siblings = new int[count(node)];
      System.arraycopy(children, starts[node], siblings, 0, siblings.length);
      int[] order =
          RowSort.sorted(
              siblings.length,
              (a, b) -> {
                int byWeight =
                    Long.compare(tree.inclusive(siblings[b]), tree.inclusive(siblings[a]));
                return byWeight != 0
                    ? byWeight
                    : tree.text(siblings[a]).compareTo(tree.text(siblings[b]));
              });
      for (int i = 0; i < order.length; i++) {
        children[starts[node] + i] = siblings[order[i]];
      }
    }

    /** Returns the number of children of a node. */
    public int count(int node) {
      return starts[node + 1] - starts[node];
    }

    /** Returns a child of a node; 0 is the heaviest. */
    public int get(int node, int i) {
      return children[starts[node] + i];
    }
  }
}
