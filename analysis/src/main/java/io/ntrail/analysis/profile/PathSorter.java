package io.ntrail.analysis.profile;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongColumn;
import java.util.Arrays;

/**
 * Makes the nodes of a tree of call paths out of the different paths, by sorting these label by
 * label: what goes through a node lies together then, and no node has to be looked up. All nodes
 * are counted, those that are heavy enough are made.
 *
 * <p>A path has one segment or two, an outer one and an inner one.
 */
final class PathSorter {
  /** Flag of an entry whose place is in the inner segment, above the place. */
  private static final long IN_INNER = 1L << 32;

  private final PathTree paths;
  private final PathSegments segments;
  private final int[] labels;
  private final int labelCount;
  private final long least;

  /** Paths are numbered as the nodes of their tree, without the root. */
  private final int count;

  /** Begin of the inner segment of each path; -1 for none. */
  private final int[] inner;

  /** Number of the path, a flag, the place of the next label; in the order of the sort. */
  private final long[] entries;

  private final long[] weights;

  /** Entries and their buckets of the group that is at hand. */
  private long[] movedEntries = {};

  private long[] movedWeights = {};
  private int[] bucketOf = {};

  /** Bucket of each label in the group that {@link #stamps} says; the last is of what has ended. */
  private final int[] buckets;

  private final int[] stamps;
  private final int[] bucketLabels;

  /** Number of entries of each bucket, then its end. */
  private final int[] bucketEnds;

  private int group;

  /** Nodes that each path was the first to go through, and nodes of it. */
  private final int[] met;

  private final int[] lengths;

  /** Number of nodes with weights of so many bits. */
  private final long[] byBits = new long[Long.SIZE];

  private final Columns nodes = new Columns(1024);
  private final IntColumn parents = nodes.ints();
  private final IntColumn nodeLabels = nodes.ints();
  private final LongColumn self = nodes.longs();
  private final LongColumn inclusive = nodes.longs();

  /** The path that was the first to go through each node, and how many nodes are above it. */
  private final IntColumn firsts = nodes.ints();

  private final IntColumn depths = nodes.ints();

  private int mostNodes;
  private long weighty;
  private long floor;
  private long cut;
  private boolean isFull;

  /** Nodes of half the {@link #floor} and more for which there is still room. */
  private long spare;

  /** Groups that are still to be sorted: where each begins and ends, its node and its depth. */
  private final IntList open = new IntList();

  /**
   * Creates one that has sorted nothing yet.
   *
   * @param paths by segments; nodes below the root with negative labels have none
   * @param labelCount labels are less
   * @param least weight of nodes that are made
   */
  PathSorter(PathTree paths, PathSegments segments, int labelCount, long least) {
    this.paths = paths;
    this.labels = segments.labels().array();
    this.labelCount = labelCount;
    this.least = Math.max(1, least);
    this.count = paths.size() - 1;
    this.inner = new int[count];
    this.entries = new long[count];
    this.weights = new long[count];
    this.buckets = new int[labelCount + 1];
    this.stamps = new int[labelCount + 1];
    this.bucketLabels = new int[Math.min(count, labelCount + 1) + 1];
    this.bucketEnds = new int[bucketLabels.length];
    this.met = new int[count];
    this.lengths = new int[count];
    this.segments = segments;
  }

  /**
   * Sorts the paths and makes the nodes.
   *
   * @param most nodes that are made; if there are more, the heaviest
   */
  CallTree.Nodes sort(int most) {
    sort(most, least);
    if (isFull) {
      // The root takes the place of one.
      sort(most, floorFor(most - 1));
    }
    return inOrder();
  }

  /**
   * Returns the least weight of nodes, a power of two, of which there are no more than that. What
   * room is left is for those of half the weight, in the order in which they are met.
   */
  private long floorFor(int most) {
    long sum = 0;
    int bits = Long.SIZE - 1;
    while (sum + byBits[bits] <= most) {
      sum += byBits[bits];
      bits--;
    }
    spare = most - sum;
    return bits == Long.SIZE - 1 ? Long.MAX_VALUE : 1L << bits;
  }

  private void sort(int most, long from) {
    floor = from;
    mostNodes = most;
    isFull = false;
    weighty = 0;
    cut = 0;
    nodes.clear();
    Arrays.fill(byBits, 0);
    Arrays.fill(met, 0);
    nodes.add();
    parents.set(0, 0);
    nodeLabels.set(0, 0);
    self.set(0, paths.self(0));
    inclusive.set(0, 0);
    place();
    while (!open.isEmpty()) {
      int last = open.removeLast();
      int depth = open.removeLast();
      int node = open.removeLast();
      int end = open.removeLast();
      expand(open.removeLast(), end, node, depth, last);
    }
    for (int i = 0; i <= count; i++) {
      inclusive.add(0, paths.self(i));
    }
  }

  /** Puts the beginnings of all paths in order of what they are below, each a group of its own. */
  private void place() {
    int[] starts = new int[count + 2];
    for (int path = 1; path <= count; path++) {
      starts[top(path) + 1]++;
    }
    for (int i = 0; i <= count; i++) {
      starts[i + 1] += starts[i];
    }
    for (int path = 1; path <= count; path++) {
      int to = starts[top(path)]++;
      entries[to] = (long) (path - 1) << 33 | begin(path);
      weights[to] = paths.self(path);
    }
    // Each is where the next one begins, now.
    for (int top = 0; top <= count; top++) {
      int from = top == 0 ? 0 : starts[top - 1];
      int to = starts[top];
      if (to > from) {
        int node =
            top == 0
                ? 0
                : make(0, paths.label(top), sum(from, to), (int) (entries[from] >>> 33), 0);
        open(from, to, node, top == 0 ? 0 : 1, top == 0 ? PathSegments.END : paths.label(top));
      }
    }
  }

  /** Returns the node without a segment that a path begins at. */
  private int top(int path) {
    int top = path;
    while (top != PathTree.ROOT && paths.label(top) >= 0) {
      top = paths.parent(top);
    }
    return top;
  }

  /** Notes the inner segment of a path, and returns where its outer one begins. */
  private int begin(int path) {
    inner[path - 1] = -1;
    if (paths.label(path) < 0) {
      return segments.start(PathSegments.EMPTY);
    }
    int above = paths.parent(path);
    if (above == PathTree.ROOT || paths.label(above) < 0) {
      return segments.start(paths.label(path));
    }
    inner[path - 1] = segments.start(paths.label(path));
    return segments.start(paths.label(above));
  }

  private void open(int from, int to, int node, int depth, int last) {
    open.add(from);
    open.add(to);
    open.add(node);
    open.add(depth);
    open.add(last);
  }

  private long sum(int from, int to) {
    long sum = 0;
    for (int i = from; i < to; i++) {
      sum += weights[i];
    }
    return sum;
  }

  /**
   * Counts a node, and makes it if it is heavy enough.
   *
   * @param above the node above; -1 if that was not made
   * @param weight of all paths that go through it
   * @param first path that goes through it
   * @param depth nodes above it, without the root
   * @return its number; -1 if it was not made
   */
  private int make(int above, int label, long weight, int first, int depth) {
    met[first]++;
    if (weight == 0) {
      return -1;
    }
    weighty++;
    byBits[Long.SIZE - Long.numberOfLeadingZeros(weight)]++;
    if (above < 0 || weight < least) {
      return -1;
    }
    boolean isSpare = weight < floor && weight >= floor >>> 1 && spare > 0;
    if (weight < floor && !isSpare || nodes.rows() >= mostNodes) {
      isFull |= weight >= floor;
      cut += weight;
      self.add(above, weight);
      return -1;
    }
    spare -= isSpare ? 1 : 0;
    int node = nodes.add();
    parents.set(node, above);
    nodeLabels.set(node, label);
    self.set(node, 0);
    inclusive.set(node, weight);
    firsts.set(node, first);
    depths.set(node, depth);
    return node;
  }

  /** Sorts a group of paths that go through one node by their next label. */
  private void expand(int from, int to, int above, int depthOfAll, int lastOfAll) {
    int node = above;
    int depth = depthOfAll;
    int last = lastOfAll;
    while (to - from > 1) {
      int found = bucket(from, to, last);
      if (found > 1) {
        distribute(from, to, found);
        for (int bucket = 0, start = from; bucket < found; bucket++) {
          follow(start, bucketEnds[bucket], node, depth, bucketLabels[bucket]);
          start = bucketEnds[bucket];
        }
        return;
      }
      last = bucketLabels[0];
      if (last == PathSegments.END) {
        end(from, to, node, depth);
        return;
      }
      node = make(node, last, sum(from, to), path(from), depth);
      depth++;
    }
    finish(from, node, depth, last);
  }

  /** Goes on with the paths of a bucket. */
  private void follow(int from, int to, int node, int depth, int label) {
    if (label == PathSegments.END) {
      end(from, to, node, depth);
      return;
    }
    int below = make(node, label, sum(from, to), path(from), depth);
    if (to - from == 1) {
      finish(from, below, depth + 1, label);
    } else {
      open(from, to, below, depth + 1, label);
    }
  }

  /** Finds the next label of each entry, and returns how many different ones there are. */
  private int bucket(int from, int to, int last) {
    if (to - from > bucketOf.length) {
      movedEntries = new long[to - from];
      movedWeights = new long[to - from];
      bucketOf = new int[to - from];
    }
    if (++group == 0) {
      Arrays.fill(stamps, 0);
      group = 1;
    }
    int found = 0;
    for (int i = from; i < to; i++) {
      int label = next(i, last);
      int slot = label == PathSegments.END ? labelCount : label;
      if (stamps[slot] != group) {
        stamps[slot] = group;
        buckets[slot] = found;
        bucketLabels[found] = label;
        bucketEnds[found] = 0;
        found++;
      }
      int bucket = buckets[slot];
      bucketOf[i - from] = bucket;
      bucketEnds[bucket]++;
    }
    return found;
  }

  /** Returns the next label of an entry, and goes beyond it. */
  private int next(int i, int last) {
    long entry = entries[i];
    int label = labels[(int) entry];
    if (label == PathSegments.END) {
      int start = inner[(int) (entry >>> 33)];
      if (start < 0 || (entry & IN_INNER) != 0) {
        return label;
      }
      label = labels[start];
      if (label == last && label != PathSegments.END) {
        start++;
        label = labels[start];
      }
      entry = entry >>> 33 << 33 | IN_INNER | start;
    }
    entries[i] = label == PathSegments.END ? entry : entry + 1;
    return label;
  }

  /** Puts the entries of a group in order of their buckets, those of one as they were. */
  private void distribute(int from, int to, int found) {
    int size = to - from;
    System.arraycopy(entries, from, movedEntries, 0, size);
    System.arraycopy(weights, from, movedWeights, 0, size);
    for (int bucket = 0, start = from; bucket < found; bucket++) {
      int ofBucket = bucketEnds[bucket];
      bucketEnds[bucket] = start;
      start += ofBucket;
    }
    for (int i = 0; i < size; i++) {
      int at = bucketEnds[bucketOf[i]]++;
      entries[at] = movedEntries[i];
      weights[at] = movedWeights[i];
    }
  }

  private int path(int entry) {
    return (int) (entries[entry] >>> 33);
  }

  private void end(int from, int to, int node, int depth) {
    for (int i = from; i < to; i++) {
      lengths[path(i)] = depth;
      if (node >= 0) {
        self.add(node, weights[i]);
      }
    }
  }

  /** Makes the nodes that are left of a path, which are those of no other one. */
  private void finish(int entry, int above, int depthAbove, int lastAbove) {
    int node = above;
    int depth = depthAbove;
    int label = next(entry, lastAbove);
    if (label != PathSegments.END && (node < 0 || weights[entry] < least)) {
      count(entry, depth, label);
      return;
    }
    while (label != PathSegments.END) {
      node = make(node, label, weights[entry], path(entry), depth);
      depth++;
      label = next(entry, label);
    }
    end(entry, entry + 1, node, depth);
  }

  /** Counts the nodes that are left of a path, which is too light for them to be made. */
  private void count(int entry, int depth, int first) {
    int path = path(entry);
    int left = 0;
    int label = first;
    while (label != PathSegments.END) {
      int from = (int) entries[entry];
      int to = from;
      while (labels[to] != PathSegments.END) {
        to++;
      }
      left += 1 + to - from;
      entries[entry] += to - from;
      label = next(entry, labels[to - 1]);
    }
    met[path] += left;
    lengths[path] = depth + left;
    long weight = weights[entry];
    if (weight != 0) {
      weighty += left;
      byBits[Long.SIZE - Long.numberOfLeadingZeros(weight)] += left;
    }
  }

  /** Returns the nodes in the order in which paths went through them for the first time. */
  private CallTree.Nodes inOrder() {
    long[] before = new long[count];
    long sum = 1;
    for (int path = 0; path < count; path++) {
      // What it has before is of others.
      before[path] = sum - (lengths[path] - met[path]);
      sum += met[path];
    }
    int[] starts = new int[count + 1];
    int size = nodes.rows();
    for (int node = 1; node < size; node++) {
      starts[firsts.get(node) + 1]++;
    }
    for (int path = 0; path < count; path++) {
      starts[path + 1] += starts[path];
    }
    int[] order = new int[size];
    int[] renumbered = new int[size];
    for (int node = 1; node < size; node++) {
      int to = 1 + starts[firsts.get(node)]++;
      order[to] = node;
      renumbered[node] = to;
    }
    nodes.permute(order);
    long[] ids = new long[size];
    int[] above = new int[size];
    for (int node = 1; node < size; node++) {
      ids[node] = before[firsts.get(node)] + depths.get(node);
      above[node] = renumbered[parents.get(node)];
    }
    return new CallTree.Nodes(
        size, ids, above, nodeLabels.array(), self.array(), inclusive.array(), weighty, cut);
  }
}
