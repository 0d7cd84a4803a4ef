package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.ProcessNames;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongIntMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Weights by call path: from the process down to what was called last, or from what was called last
 * up to its callers. A function that calls itself directly is one node.
 */
public final class CallTree implements ProfileAggregator, WeightTree {
  /** End of a stack that is at the root. */
  public enum Direction {
    TOP_DOWN,
    BOTTOM_UP
  }

  /**
   * Nodes of a tree of call paths whose weights are summed, in the order in which they were met;
   * the first is the root.
   */
  static final class Nodes {
    private final int size;
    private final long[] ids;
    private final int[] parents;
    private final int[] labels;
    private final long[] self;
    private final long[] inclusive;
    private final long weighty;
    private final long cut;

    Nodes(
        int size,
        long[] ids,
        int[] parents,
        int[] labels,
        long[] self,
        long[] inclusive,
        long weighty,
        long cut) {
      this.size = size;
      this.ids = ids;
      this.parents = parents;
      this.labels = labels;
      this.self = self;
      this.inclusive = inclusive;
      this.weighty = weighty;
      this.cut = cut;
    }

    /** Copies the nodes of a tree that are all in memory. */
    static Nodes of(PathTree tree, long cut) {
      int size = tree.size();
      long[] ids = new long[size];
      int[] parents = new int[size];
      int[] labels = new int[size];
      long[] self = new long[size];
      long[] inclusive = tree.inclusive(Long.MIN_VALUE);
      long weighty = 0;
      for (int node = 0; node < size; node++) {
        ids[node] = node;
        parents[node] = tree.parent(node);
        labels[node] = tree.label(node);
        self[node] = tree.self(node);
        weighty += node > 0 && inclusive[node] != 0 ? 1 : 0;
      }
      return new Nodes(size, ids, parents, labels, self, inclusive, weighty, cut);
    }

    /** Returns the number of nodes. */
    int size() {
      return size;
    }

    /** Returns the number of a node among all there are. */
    long id(int node) {
      return ids[node];
    }

    /** Returns the node above. */
    int parent(int node) {
      return parents[node];
    }

    /** Returns the label of a node. */
    int label(int node) {
      return labels[node];
    }

    /** Returns the weight of what ends at a node. */
    long self(int node) {
      return self[node];
    }

    /** Returns the weight of what goes through a node. */
    long inclusive(int node) {
      return inclusive[node];
    }

    /** Returns how many nodes have a weight, but for the root: also those that are not here. */
    long weighty() {
      return weighty;
    }

    /** Returns the weight of nodes for which there was no room. */
    long cut() {
      return cut;
    }
  }

  private static final long MEMORY = Runtime.getRuntime().maxMemory() / 4;

  /** Bytes of a node, and of a path with its segments and their labels. */
  private static final long NODE = 64;

  private static final long PATH = 240;

  /** Labels for each path: less than stacks have frames, as paths share segments. */
  private static final int LABELS = 15;

  /** Memory of which paths have a quarter of their share at most: nodes need it as well. */
  private static final long SMALL = 128 << 20;

  private final ProcessNames names;
  private final FunctionIndex functions;
  private final Direction direction;
  private final boolean byModule;

  private final List<String> processes = new ArrayList<>();
  private final LongIntMap processNumbers = new LongIntMap();

  /** The node of the paths of each process; -1 for none. */
  private final IntList processNodes = new IntList();

  private final int mostPaths;
  private final int mostNodes;
  private PathTree paths = new PathTree(Integer.MAX_VALUE);
  private final PathSegments segments;

  /** All nodes, once there were too many paths to keep each. */
  private @Nullable PathTree folded;

  private long cut;
  private final IntList none = new IntList();
  private Nodes nodes = Nodes.of(new PathTree(1), 0);

  /** Creates an empty tree that may use a quarter of the memory. */
  public CallTree(
      ProcessNames names, FunctionIndex functions, Direction direction, boolean byModule) {
    this(
        names,
        functions,
        direction,
        byModule,
        Math.clamp(MEMORY / NODE, 1 << 18, Integer.MAX_VALUE / 4),
        Math.clamp(Math.max(MEMORY / 4, MEMORY - SMALL) / PATH, 1 << 16, Integer.MAX_VALUE / 64));
  }

  /**
   * Creates an empty tree.
   *
   * @param mostNodes that it may have
   * @param mostPaths different ones that are kept at once; with as many labels of each as usual
   */
  public CallTree(
      ProcessNames names,
      FunctionIndex functions,
      Direction direction,
      boolean byModule,
      int mostNodes,
      int mostPaths) {
    this.names = names;
    this.functions = functions;
    this.direction = direction;
    this.byModule = byModule;
    this.mostNodes = mostNodes;
    this.mostPaths = mostPaths;
    this.segments =
        new PathSegments(direction == Direction.TOP_DOWN, byModule, functions, LABELS * mostPaths);
    none.add(FunctionIndex.NO_STACK_FUNCTION);
  }

  @Override
  public void expect(int part) {
    segments.touch(part);
  }

  @Override
  public void add(WeightedStack stack) {
    int top = direction == Direction.TOP_DOWN ? processNode(stack) : PathTree.ROOT;
    int path = stack.parts() > 0 ? ofParts(top, stack) : -1;
    paths.add(path >= 0 ? path : ofFunctions(top, stack), stack.weight());
    if (paths.size() >= mostPaths || segments.isFull(mostPaths)) {
      fold();
    }
  }

  /** Returns the path of a stack that consists of parts; -1 if its functions must be known. */
  private int ofParts(int top, WeightedStack stack) {
    FrameLookup lookup = stack.names();
    if (!lookup.isAdditive() || stack.hasBefore()) {
      return -1;
    }
    int layout = lookup.layout(stack.codeProcess(), stack.key(), stack.isKernel());
    if (layout < 0) {
      return -1;
    }
    int inner = segments.of(stack, layout, stack.part(0));
    if (inner < 0 || stack.parts() == 1) {
      return inner < 0 ? -1 : paths.child(top, inner);
    }
    int user = lookup.layout(stack.codeProcess(), stack.key(), false);
    int outer = user < 0 ? -1 : segments.of(stack, user, stack.part(1));
    if (outer < 0) {
      return -1;
    }
    return direction == Direction.TOP_DOWN
        ? paths.child(paths.child(top, outer), inner)
        : paths.child(paths.child(top, inner), outer);
  }

  private int ofFunctions(int top, WeightedStack stack) {
    IntList frames = stack.functions();
    if (!frames.isEmpty()) {
      return paths.child(top, segments.of(frames));
    }
    return direction == Direction.TOP_DOWN ? top : paths.child(top, segments.of(none));
  }

  private int processNode(WeightedStack stack) {
    int number =
        stack.process() == ProcessNames.NO_ID
            ? -1
            : names.processNumber(stack.process(), stack.key());
    long identity = (long) number << 32 | stack.process() & 0xFFFF_FFFFL;
    int known = processNumbers.get(identity);
    if (known < 0) {
      known = processes.size();
      processNumbers.put(identity, known);
      String name = names.processName(number, stack.process());
      String text = name == null ? "(unknown)" : name;
      processes.add(
          stack.process() == ProcessNames.NO_ID
              ? text
              : text + " (" + Integer.toUnsignedString(stack.process()) + ")");
    }
    processNodes.extend(known + 1, -1);
    int node = processNodes.get(known);
    if (node < 0) {
      node = paths.top(-known - 1);
      processNodes.set(known, node);
    }
    return node;
  }

  /** Adds all paths to a tree whose nodes are single labels, and forgets them. */
  private void fold() {
    segments.resolve(1);
    PathTree tree = folded;
    if (tree == null) {
      tree = new PathTree(mostNodes);
      folded = tree;
    }
    // Complements are nodes at which a path was truncated.
    int[] ends = new int[paths.size()];
    IntList labels = new IntList();
    tree.add(PathTree.ROOT, paths.self(PathTree.ROOT));
    for (int path = 1; path < ends.length; path++) {
      int label = paths.label(path);
      int end = ends[paths.parent(path)];
      labels.clear();
      if (label < 0) {
        labels.add(label);
      } else if (end >= 0) {
        segments.copy(label, labels);
      }
      for (int i = 0; i < labels.size() && end >= 0; i++) {
        if (i > 0 || end == PathTree.ROOT || tree.label(end) != labels.get(i)) {
          int child = tree.child(end, labels.get(i));
          end = child < 0 ? ~end : child;
        }
      }
      ends[path] = end;
      tree.add(end < 0 ? ~end : end, paths.self(path));
      cut += end < 0 ? paths.self(path) : 0;
    }
    forget();
  }

  private void forget() {
    paths = new PathTree(Integer.MAX_VALUE);
    segments.clear();
    processNodes.clear();
  }

  /** Makes the sums; nothing can be added afterwards. */
  public void settle() {
    settle(0, 1);
  }

  /**
   * Makes the sums; nothing can be added afterwards.
   *
   * @param least inclusive weight of the nodes that will be looked at
   * @param cores threads to use
   */
  public void settle(long least, int cores) {
    if (folded == null && segments.resolve(cores)) {
      int labels = byModule ? functions.moduleCount() : functions.count();
      nodes = new PathSorter(paths, segments, labels, least).sort(mostNodes);
    } else {
      fold();
      nodes = Nodes.of(Objects.requireNonNull(folded), cut);
      folded = null;
    }
    forget();
  }

  @Override
  public int size() {
    return nodes.size();
  }

  @Override
  public int parent(int node) {
    return nodes.parent(node);
  }

  @Override
  public long id(int node) {
    return nodes.id(node);
  }

  @Override
  public long weighty() {
    return nodes.weighty();
  }

  /** Returns the weight of the stacks that end at a node. */
  @Override
  public long self(int node) {
    return nodes.self(node);
  }

  /** Returns the weight of the stacks that go through a node. */
  @Override
  public long inclusive(int node) {
    return nodes.inclusive(node);
  }

  @Override
  public String text(int node) {
    int label = nodes.label(node);
    if (node == 0) {
      return "all";
    }
    if (label < 0) {
      return processes.get(-label - 1);
    }
    return byModule ? functions.moduleName(label) : functions.text(label);
  }

  @Override
  public FrameKind kind(int node) {
    if (isProcess(node)) {
      return FrameKind.PROCESS;
    }
    return byModule ? functions.kindOfModule(nodes.label(node)) : functions.kind(nodes.label(node));
  }

  /** Returns whether a node stands for a process. */
  public boolean isProcess(int node) {
    return node != 0 && nodes.label(node) < 0;
  }

  /** Returns the function, or module, of a node. */
  public int label(int node) {
    return nodes.label(node);
  }

  /** Returns the weight of stacks that were truncated at the memory limit. */
  @Override
  public long cut() {
    return nodes.cut();
  }
}
