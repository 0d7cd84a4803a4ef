package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Weights by call path. Nodes are numbered from 0, the root, which stands for everything; each
 * comes after the one above it.
 */
public interface WeightTree {
  /** Returns the number of nodes. */
  int size();

  /** Returns the node above. */
  int parent(int node);

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
  default int weighty() {
    int count = 0;
    for (int node = 1; node < size(); node++) {
      count += inclusive(node) != 0 ? 1 : 0;
    }
    return count;
  }

  /** Returns the children of all nodes, those of one node heaviest first: a list for each node. */
  default List<List<Integer>> children(long least) {
    List<List<Integer>> children = new ArrayList<>();
    for (int node = 0; node < size(); node++) {
      children.add(List.of());
    }
    for (int node = 1; node < size(); node++) {
      if (inclusive(node) >= least && inclusive(node) != 0) {
        int parent = parent(node);
        if (children.get(parent).isEmpty()) {
          children.set(parent, new ArrayList<>());
        }
        children.get(parent).add(node);
      }
    }
    for (List<Integer> siblings : children) {
      if (siblings.size() > 1) {
        siblings.sort((a, b) -> {
          int byWeight = Long.compare(inclusive(b), inclusive(a));
          return byWeight != 0 ? byWeight : text(a).compareTo(text(b));
        });
      }
    }
    return children;
  }
}
