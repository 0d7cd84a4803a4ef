package io.ntrail.analysis.calls;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Adds up the time of calls by path: who called whom from a thread's first recorded call down.
 * Times are those without recorded callees, in the unit of the source's clock; calls that are open
 * at the end have none of their own, but those below them have. The time of a call of which only
 * the entry is recorded stays with its caller.
 *
 * <p>Memory grows with the number of different paths, up to a limit; what lies below is added to
 * the last node that there is.
 */
public final class CallPaths {
  private static final int MOST_NODES = 1 << 20;
  private static final int ROOT = 0;

  /** A routine with what it took: inclusive counts a recursive routine once. */
  public record Sum(long function, long self, long inclusive) {}

  /** A path with time of its own, outermost routine first. */
  public record Path(List<Long> functions, long self) {}

  private record Edge(int parent, long function) {}

  private record Stack(int thread, int area) {}

  private final Map<Edge, Integer> nodes = new HashMap<>();
  private final Map<Stack, int[]> around = new HashMap<>();
  private final Map<Stack, BitSet> openDepths = new HashMap<>();
  private int[] parents = new int[64];
  private long[] functions = new long[64];
  private long[] self = new long[64];
  private int count = 1;
  private boolean cut;

  /** Nothing yet. */
  public CallPaths() {}

  /** Adds a call; those of a stack in the order of their entries. */
  public void add(CallWalk call) {
    if (call.lostEntry() || call.isEntryOnly()) {
      return;
    }
    Stack stack = new Stack(call.thread(), call.area());
    int[] path = around.computeIfAbsent(stack, _ -> new int[16]);
    int depth = call.depth();
    if (depth + 1 >= path.length) {
      path = Arrays.copyOf(path, 2 * depth + 2);
      around.put(stack, path);
    }
    int parent = path[depth];
    int node = node(parent, call.function());
    path[depth + 1] = node;
    self[node] += call.duration();
    // An open caller has no time that could hold this.
    if (parent != ROOT && !isOpen(stack, depth - 1)) {
      self[parent] -= call.duration();
    }
    open(stack, depth, call.isOpen());
  }

  private boolean isOpen(Stack stack, int depth) {
    BitSet open = openDepths.get(stack);
    return open != null && open.get(depth);
  }

  private void open(Stack stack, int depth, boolean isOpen) {
    BitSet depths = openDepths.get(stack);
    if (isOpen) {
      openDepths.computeIfAbsent(stack, _ -> new BitSet()).set(depth);
    } else if (depths != null) {
      depths.clear(depth);
    }
  }

  private int node(int parent, long function) {
    Edge edge = new Edge(parent, function);
    Integer known = nodes.get(edge);
    if (known != null) {
      return known;
    }
    if (count >= MOST_NODES) {
      cut = true;
      return parent;
    }
    if (count == parents.length) {
      parents = Arrays.copyOf(parents, 2 * count);
      functions = Arrays.copyOf(functions, 2 * count);
      self = Arrays.copyOf(self, 2 * count);
    }
    parents[count] = parent;
    functions[count] = function;
    nodes.put(edge, count);
    return count++;
  }

  /** Whether paths were cut for want of memory. */
  public boolean isCut() {
    return cut;
  }

  /** The time of all calls. */
  public long total() {
    long total = 0;
    for (int node = 1; node < count; node++) {
      total += Math.max(0, self[node]);
    }
    return total;
  }

  /** The paths that have time of their own, each once. */
  public List<Path> paths() {
    List<Path> paths = new ArrayList<>();
    for (int node = 1; node < count; node++) {
      if (self[node] > 0) {
        List<Long> path = new ArrayList<>();
        for (int at = node; at != ROOT; at = parents[at]) {
          path.addFirst(functions[at]);
        }
        paths.add(new Path(path, self[node]));
      }
    }
    return paths;
  }

  /** The routines, in no order. */
  public List<Sum> functions() {
    long[] inclusive = new long[count];
    for (int node = count - 1; node > 0; node--) {
      // Nodes are behind their parents.
      inclusive[node] += Math.max(0, self[node]);
      inclusive[parents[node]] += inclusive[node];
    }
    Map<Long, Sum> sums = new HashMap<>();
    for (int node = 1; node < count; node++) {
      long all = isInsideItself(node) ? 0 : inclusive[node];
      sums.merge(
          functions[node],
          new Sum(functions[node], Math.max(0, self[node]), all),
          (a, b) -> new Sum(a.function, a.self + b.self, a.inclusive + b.inclusive));
    }
    return new ArrayList<>(sums.values());
  }

  private boolean isInsideItself(int node) {
    for (int at = parents[node]; at != ROOT; at = parents[at]) {
      if (functions[at] == functions[node]) {
        return true;
      }
    }
    return false;
  }
}
