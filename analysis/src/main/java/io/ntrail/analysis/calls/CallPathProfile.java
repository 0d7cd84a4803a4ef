package io.ntrail.analysis.calls;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Adds up the time of calls by path: who called whom from the first recorded calls down. A routine
 * that calls itself directly is one node. Times are those without recorded callees, in the unit of
 * the source's clock; calls that are open at the end have none of their own, but those below them
 * have. The time of a call of which only the entry is recorded stays with its caller.
 *
 * <p>Of a stretch of time each call counts with that part of it that lies in the stretch: so
 * stretches that follow each other add up to the whole.
 *
 * <p>Memory grows with the number of different paths, up to a limit; what lies below is added to
 * the last node that there is.
 */
public final class CallPathProfile {
  private static final int ROOT = 0;

  /** A routine with what it took: inclusive counts a recursive routine once. */
  public record Sum(long function, long self, long inclusive) {}

  private record Edge(int parent, long function) {}

  private record Stack(int thread, int area) {}

  private record Process(long pid, @Nullable String name) {}

  /** The calls around the last one of a stack, by depth; what was not added is node 0. */
  private static final class Around {
    private int[] nodes = new int[16];
    private final BitSet open = new BitSet();
    private final BitSet cut = new BitSet();

    int above(int depth) {
      return depth == 0 || depth > nodes.length ? ROOT : nodes[depth - 1];
    }

    void set(int depth, int node, boolean isOpen, boolean isCut) {
      if (depth >= nodes.length) {
        nodes = Arrays.copyOf(nodes, 2 * depth);
      }
      nodes[depth] = node;
      open.set(depth, isOpen);
      cut.set(depth, isCut);
    }
  }

  private static final Process ALL = new Process(0, null);

  private final boolean byProcess;
  private final long from;
  private final long to;
  // A quarter of the memory, at about 250 bytes a node with what is made of it.
  private final int mostNodes =
      Math.clamp(Runtime.getRuntime().maxMemory() / 1000, 1 << 18, 1 << 22);
  private final Map<Edge, Integer> nodes = new HashMap<>();
  private final Map<Process, Integer> processNodes = new HashMap<>();
  private final List<Process> processes = new ArrayList<>();
  private final Map<Stack, Around> stacks = new HashMap<>();
  private @Nullable Around last;
  private int lastThread;
  private int lastArea;
  private int lastProcess;
  private int[] parents = new int[64];

  /** Routines; of nodes below the root, places in {@link #processes}. */
  private long[] functions = new long[64];

  private long[] self = new long[64];
  private int count = 1;
  private long cut;

  /** Nothing yet, of the whole recording and all processes together. */
  public CallPathProfile() {
    this(false, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /**
   * Nothing yet, of a stretch of time.
   *
   * @param byProcess whether processes have paths of their own
   * @param from when it begins; {@link Long#MIN_VALUE} for the start
   * @param to when it ends; {@link Long#MAX_VALUE} for the end
   */
  public CallPathProfile(boolean byProcess, long from, long to) {
    this.byProcess = byProcess;
    this.from = from;
    this.to = to;
  }

  /** Adds a call; those of a stack in the order of their entries, from the very first on. */
  public void add(CallWalk call) {
    if (call.lostEntry() || call.isEntryOnly() || call.entry() >= to) {
      return;
    }
    Around around = around(call);
    int depth = call.depth();
    boolean isOpen = call.isOpen();
    if (!isOpen && call.exit().orElseThrow() <= from && from != Long.MIN_VALUE) {
      around.set(depth, ROOT, false, false);
      return;
    }
    long duration = isOpen ? 0 : part(call.entry(), call.exit().orElseThrow());
    int above = around.above(depth);
    boolean isRoot = above == ROOT;
    int parent = isRoot ? lastProcess : above;
    int node = node(parent, call.function());
    boolean isCut = node < 0;
    if (isCut) {
      node = parent;
      cut += duration;
    }
    self[node] += duration;
    // An open caller has no time that could hold this.
    if (!isRoot && !around.open.get(depth - 1)) {
      self[parent] -= duration;
      cut -= around.cut.get(depth - 1) ? duration : 0;
    }
    around.set(depth, node, isOpen, isCut);
  }

  private long part(long entry, long exit) {
    return Math.max(0, Math.min(exit, to) - Math.max(entry, from));
  }

  private Around around(CallWalk call) {
    Around same = last;
    if (same == null || call.thread() != lastThread || call.area() != lastArea) {
      lastThread = call.thread();
      lastArea = call.area();
      same = stacks.computeIfAbsent(new Stack(lastThread, lastArea), _ -> new Around());
      last = same;
      CallThread thread = call.threadInfo();
      Process process = byProcess ? new Process(thread.pid(), thread.process()) : ALL;
      lastProcess =
          processNodes.computeIfAbsent(
              process,
              added -> {
                processes.add(added);
                return make(ROOT, processes.size() - 1L);
              });
    }
    return same;
  }

  /** The node of a routine below another one; negative if there is no memory for it. */
  private int node(int parent, long function) {
    if (functions[parent] == function && !isProcess(parent)) {
      return parent;
    }
    Edge edge = new Edge(parent, function);
    Integer known = nodes.get(edge);
    if (known != null) {
      return known;
    }
    if (count >= mostNodes) {
      return -1;
    }
    int node = make(parent, function);
    nodes.put(edge, node);
    return node;
  }

  private int make(int parent, long function) {
    if (count == parents.length) {
      parents = Arrays.copyOf(parents, 2 * count);
      functions = Arrays.copyOf(functions, 2 * count);
      self = Arrays.copyOf(self, 2 * count);
    }
    parents[count] = parent;
    functions[count] = function;
    return count++;
  }

  /** Time of calls that have no node of their own for want of memory. */
  public long cut() {
    return cut;
  }

  /**
   * Number of nodes; node 0 is the root, which stands for everything. Each is behind its parent.
   */
  public int size() {
    return count;
  }

  /** The node above. */
  public int parent(int node) {
    return parents[node];
  }

  /** Whether a node stands for a process, or for all of them together. */
  public boolean isProcess(int node) {
    return node != ROOT && parents[node] == ROOT;
  }

  /** {@code shopd.exe (4312)}, {@code (unknown)}, of a node that stands for a process. */
  public String process(int node) {
    Process process = processes.get((int) functions[node]);
    String pid = Long.toUnsignedString(process.pid);
    if (process.name == null && process.pid == 0) {
      return "(unknown)";
    }
    return process.name == null ? "process " + pid : process.name + " (" + pid + ")";
  }

  /** The routine of a node. */
  public long function(int node) {
    return functions[node];
  }

  /** Time of a path without what is below it. */
  public long self(int node) {
    return Math.max(0, self[node]);
  }

  /** Time of each path with all that is below it. */
  public long[] inclusive() {
    long[] inclusive = new long[count];
    for (int node = count - 1; node > 0; node--) {
      inclusive[node] += self(node);
      inclusive[parents[node]] += inclusive[node];
    }
    return inclusive;
  }

  /** The time of all calls. */
  public long total() {
    long total = 0;
    for (int node = 1; node < count; node++) {
      total += self(node);
    }
    return total;
  }

  /** The routines, in no order. */
  public List<Sum> functions() {
    long[] inclusive = inclusive();
    BitSet inside = insideThemselves();
    Map<Long, Sum> sums = new HashMap<>();
    for (int node = 1; node < count; node++) {
      if (isProcess(node)) {
        continue;
      }
      long all = inside.get(node) ? 0 : inclusive[node];
      sums.merge(
          functions[node],
          new Sum(functions[node], self(node), all),
          (a, b) -> new Sum(a.function, a.self + b.self, a.inclusive + b.inclusive));
    }
    return new ArrayList<>(sums.values());
  }

  /** Nodes that have a node of the same routine above them. */
  private BitSet insideThemselves() {
    int[] child = new int[count];
    int[] sibling = new int[count];
    for (int node = count - 1; node > 0; node--) {
      sibling[node] = child[parents[node]];
      child[parents[node]] = node;
    }
    BitSet inside = new BitSet();
    Map<Long, Integer> above = new HashMap<>();
    int node = ROOT;
    while (true) {
      if (child[node] != ROOT) {
        node = child[node];
      } else {
        while (node != ROOT && sibling[node] == ROOT) {
          leave(node, above);
          node = parents[node];
        }
        if (node == ROOT) {
          return inside;
        }
        leave(node, above);
        node = sibling[node];
      }
      if (!isProcess(node) && above.merge(functions[node], 1, Integer::sum) > 1) {
        inside.set(node);
      }
    }
  }

  private void leave(int node, Map<Long, Integer> above) {
    if (!isProcess(node)) {
      above.merge(functions[node], -1, Integer::sum);
    }
  }
}
