package io.ntrail.analysis.profile;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongIntMap;

/**
 * Nodes of a tree of call paths with their weights. Node 0 is the root; each node comes after its
 * parent, and is found again by its parent and its label.
 */
public final class PathTree {
  /** Node that stands for everything. */
  public static final int ROOT = 0;

  private final int mostNodes;
  private final LongIntMap index = new LongIntMap(1024);
  private final Columns nodes = new Columns(1024);
  private final IntColumn parents = nodes.ints();
  private final IntColumn labels = nodes.ints();
  private final LongColumn self = nodes.longs();

  /**
   * Creates a tree of a root.
   *
   * @param mostNodes nodes after which {@link #child} makes no more
   */
  public PathTree(int mostNodes) {
    this.mostNodes = mostNodes;
    nodes.add();
  }

  /** Returns the child of a node with a label, made if there is none; -1 if there is no room. */
  public int child(int parent, int label) {
    int known = index.get(key(parent, label));
    return known >= 0 ? known : size() < mostNodes ? make(parent, label) : -1;
  }

  /** Returns the child of the root with a label, made if there is none, also without room. */
  public int top(int label) {
    int known = index.get(key(ROOT, label));
    return known >= 0 ? known : make(ROOT, label);
  }

  private static long key(int parent, int label) {
    return (long) parent << 32 | label & 0xFFFF_FFFFL;
  }

  private int make(int parent, int label) {
    int node = nodes.add();
    parents.set(node, parent);
    labels.set(node, label);
    index.put(key(parent, label), node);
    return node;
  }

  /** Adds a weight, which may be negative, to a node. */
  public void add(int node, long weight) {
    self.add(node, weight);
  }

  /** Returns the number of nodes. */
  public int size() {
    return nodes.rows();
  }

  /** Returns the node above. */
  public int parent(int node) {
    return parents.get(node);
  }

  /** Returns the label that a node was made with. */
  public int label(int node) {
    return labels.get(node);
  }

  /** Returns what was added to a node. */
  public long self(int node) {
    return self.get(node);
  }

  /**
   * Returns the weight of each node with all below it.
   *
   * @param least what a node weighs itself at least
   */
  public long[] inclusive(long least) {
    long[] inclusive = new long[size()];
    // Children come behind their parents.
    for (int node = size() - 1; node >= 0; node--) {
      inclusive[node] += Math.max(least, self.get(node));
      if (node > ROOT) {
        inclusive[parents.get(node)] += inclusive[node];
      }
    }
    return inclusive;
  }
}
