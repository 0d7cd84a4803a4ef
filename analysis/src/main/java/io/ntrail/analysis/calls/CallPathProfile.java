package io.ntrail.analysis.calls;

import io.ntrail.analysis.calls.CallNames.Name;
import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.PathTree;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.WeightTree;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.formats.collections.LongList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Time of recorded calls by path: the source of weights that recordings of calls are, and its sums.
 *
 * <p>Its weights differ from those of stacks. A call has a duration, known at its entry, and what
 * it weighs itself is that without its recorded callees: a callee's duration is added to the
 * callee's node and taken from its caller's. So no stack is looked up for a call, its node is found
 * from the caller's. Times are exact, in the unit of the source's clock, which may be ticks. A
 * routine that calls itself directly is one node; of one that calls itself over others the
 * inclusive time counts once. Calls that are open at the end have no time, but those below them
 * have: paths through an open call are apart from those through calls of its routine that ended,
 * and are no time of that routine. The time of a call of which only the entry is recorded stays
 * with its caller.
 *
 * <p>Of a stretch of time each call counts with that part of it that lies in the stretch: so
 * stretches that follow each other add up to the whole.
 *
 * <p>Memory grows with the number of different paths, up to a limit; what lies below is added to
 * the last node that there is.
 */
public final class CallPathProfile {
  /** Declaration of the metric. */
  public static final Metric METRIC = Metric.of("calls", "recorded calls", WeightUnit.NANOS);

  private static final int ROOT = PathTree.ROOT;

  /** Routine with its times: inclusive counts a recursive routine once. */
  record Sum(long function, long self, long inclusive) {}

  private record Stack(int thread, int area) {}

  private record Process(long pid, @Nullable String name) {}

  /** Calls around the last one of a stack, by depth; what was not added is node 0. */
  private static final class Around {
    private final IntList nodes = new IntList();
    private final BitSet open = new BitSet();
    private final BitSet cut = new BitSet();

    /** Node of the process; the root if it was not asked for. */
    private int process = ROOT;

    /** When they end; of open ones {@link Long#MIN_VALUE}. */
    private final LongList exits = new LongList();

    int above(int depth) {
      return depth == 0 || depth > nodes.size() ? ROOT : nodes.get(depth - 1);
    }

    void set(int depth, int node, long exit, boolean isCut) {
      exits.extend(depth + 1, Long.MIN_VALUE);
      exits.set(depth, exit);
      nodes.extend(depth + 1, ROOT);
      nodes.set(depth, node);
      open.set(depth, exit == Long.MIN_VALUE);
      cut.set(depth, isCut);
    }
  }

  private static final Process ALL = new Process(0, null);

  private final boolean byProcess;
  private final long from;
  private final long to;
  private final PathTree tree;
  private final Map<Process, Integer> processNodes = new HashMap<>();
  private final List<Process> processes = new ArrayList<>();
  private final Map<Stack, Around> stacks = new HashMap<>();
  private @Nullable Around last;
  private int lastThread;
  private int lastArea;

  /**
   * Numbers of routines. Labels of nodes are twice that, and one more for open calls; processes
   * have negative ones.
   */
  private final LongIntMap numbers = new LongIntMap(128);

  private final LongList functions = new LongList();
  private long cut;

  /** Creates a profile of the whole recording and all processes together. */
  public CallPathProfile() {
    this(false, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /**
   * Creates a profile of a stretch of time.
   *
   * @param byProcess whether processes have paths of their own
   * @param from when it begins; {@link Long#MIN_VALUE} for the start
   * @param to when it ends; {@link Long#MAX_VALUE} for the end
   */
  public CallPathProfile(boolean byProcess, long from, long to) {
    this.byProcess = byProcess;
    this.from = from;
    this.to = to;
    // A quarter of the memory, at about 250 bytes a node with what is made of it.
    this.tree = new PathTree(Math.clamp(Runtime.getRuntime().maxMemory() / 1000, 1 << 18, 1 << 22));
  }

  /**
   * Adds up the calls of some threads.
   *
   * @param threads by their places in the source
   * @param byProcess whether processes have paths of their own
   * @param from when the stretch of time begins; {@link Long#MIN_VALUE} for the start
   * @param to when it ends; {@link Long#MAX_VALUE} for the end
   */
  public static CallPathProfile of(
      CallRecording recording, List<Integer> threads, boolean byProcess, long from, long to) {
    CallPathProfile profile = new CallPathProfile(byProcess, from, to);
    // What is open when the time begins was entered before.
    try (CallStream stream = new CallStream(recording, threads, Long.MIN_VALUE, to)) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        profile.add(call);
      }
      CallWalk left = stream.leftOut();
      if (left != null) {
        profile.endAt(left.entry(), recording.source().clock().shared() ? -1 : left.thread());
      }
    }
    return profile;
  }

  /** Adds a call; those of a stack in the order of their entries, from the very first on. */
  public void add(CallWalk call) {
    if (call.lostEntry() || call.isEntryOnly() || call.entry() >= to) {
      return;
    }
    Around around = around(call);
    int depth = call.depth();
    boolean isOpen = call.isOpen();
    long exit = call.exit().orElse(Long.MIN_VALUE);
    if (!isOpen && exit <= from && from != Long.MIN_VALUE) {
      around.set(depth, ROOT, exit, false);
      return;
    }
    long duration = isOpen ? 0 : part(call.entry(), exit);
    int above = around.above(depth);
    boolean isRoot = above == ROOT;
    int parent = isRoot ? processOf(call, around) : above;
    int node = node(parent, 2 * number(call.function()) + (isOpen ? 1 : 0));
    boolean isCut = node < 0;
    if (isCut) {
      node = parent;
      cut += duration;
    }
    tree.add(node, duration);
    // An open caller has no time that could hold this.
    if (!isRoot && !around.open.get(depth - 1)) {
      tree.add(parent, -duration);
      cut -= around.cut.get(depth - 1) ? duration : 0;
    }
    around.set(depth, node, exit, isCut);
  }

  /**
   * Takes away what calls took after a time up to which all were added.
   *
   * @param thread whose calls were added up to that time only; -1: those of all threads
   */
  private void endAt(long time, int thread) {
    for (Map.Entry<Stack, Around> stack : stacks.entrySet()) {
      Around around = stack.getValue();
      if (thread >= 0 && stack.getKey().thread != thread) {
        continue;
      }
      for (int depth = 0; depth < around.nodes.size(); depth++) {
        // What lies deeper than the calls that are still open ended before.
        long later = Math.min(around.exits.get(depth), to) - Math.max(time, from);
        int node = around.nodes.get(depth);
        if (node == ROOT || around.open.get(depth) || later <= 0) {
          continue;
        }
        tree.add(node, -later);
        cut -= around.cut.get(depth) ? later : 0;
        int parent = around.above(depth);
        if (parent != ROOT && !around.open.get(depth - 1)) {
          tree.add(parent, later);
          cut += around.cut.get(depth - 1) ? later : 0;
        }
      }
    }
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
    }
    return same;
  }

  /** Returns the node of a call's process, made when there is something to add to it. */
  private int processOf(CallWalk call, Around around) {
    if (around.process == ROOT) {
      CallThread thread = call.threadInfo();
      Process process = byProcess ? new Process(thread.pid(), thread.process()) : ALL;
      around.process =
          processNodes.computeIfAbsent(
              process,
              added -> {
                processes.add(added);
                return tree.top(-processes.size());
              });
    }
    return around.process;
  }

  /** Returns the node of a label below another one; negative if there is no memory for it. */
  private int node(int parent, int label) {
    return tree.label(parent) == label && parent != ROOT ? parent : tree.child(parent, label);
  }

  private int number(long function) {
    int known = numbers.get(function);
    if (known >= 0) {
      return known;
    }
    int number = numbers.size();
    functions.add(function);
    numbers.put(function, number);
    return number;
  }

  /** Returns the time of calls without a node of their own, as the memory limit was reached. */
  public long cut() {
    return cut;
  }

  /**
   * Returns the number of nodes; node 0 is the root, which stands for everything. Each comes after
   * its parent.
   */
  public int size() {
    return tree.size();
  }

  /** Returns the node above. */
  public int parent(int node) {
    return tree.parent(node);
  }

  /** Returns whether a node stands for a process, or for all of them together. */
  public boolean isProcess(int node) {
    return tree.label(node) < 0;
  }

  /**
   * Returns the process of a node that stands for one: {@code shopd.exe (4312)}, {@code (unknown)}.
   */
  public String process(int node) {
    Process process = processes.get(-tree.label(node) - 1);
    if (process.pid == CallThread.NO_PROCESS) {
      return "(unknown)";
    }
    String pid = Long.toUnsignedString(process.pid);
    return process.name == null ? "process " + pid : process.name + " (" + pid + ")";
  }

  /** Returns the routine of a node. */
  public long function(int node) {
    return functions.get(tree.label(node) >> 1);
  }

  /** Returns true if a node stands for calls that are open at the end: it has no time itself. */
  public boolean isOpen(int node) {
    return !isProcess(node) && (tree.label(node) & 1) != 0;
  }

  /** Returns the time of a path without what is below it. */
  public long self(int node) {
    return Math.max(0, tree.self(node));
  }

  /** Returns the time of each path with all that is below it. */
  public long[] inclusive() {
    return tree.inclusive(0);
  }

  /** Returns the time of all calls. */
  public long total() {
    long total = 0;
    for (int node = 1; node < tree.size(); node++) {
      total += self(node);
    }
    return total;
  }

  /**
   * Returns the routines that took any time, the heaviest first.
   *
   * @param bySelf whether by what they took themselves, or else with all that they called
   */
  public List<ProfileRow> rows(CallNames names, boolean bySelf) {
    return sums().stream()
        .filter(sum -> sum.inclusive() > 0)
        .map(sum -> row(sum, names.of(sum.function())))
        .sorted(ProfileRow.order(bySelf))
        .toList();
  }

  /** Returns the routines of which no call ended, but some are open: without times. */
  public List<ProfileRow> openRows(CallNames names) {
    BitSet open = new BitSet();
    for (int node = 1; node < tree.size(); node++) {
      if (isOpen(node)) {
        open.set(tree.label(node) >> 1);
      }
    }
    if (open.isEmpty()) {
      return List.of();
    }
    return sums().stream()
        .filter(sum -> sum.inclusive() == 0 && open.get(numbers.get(sum.function())))
        .map(sum -> row(sum, names.of(sum.function())))
        .toList();
  }

  private static ProfileRow row(Sum sum, Name name) {
    boolean hasPlace = !name.module().equals(CallNames.UNKNOWN);
    return new ProfileRow(
        null,
        null,
        null,
        null,
        name.module(),
        name.function(),
        null,
        hasPlace ? name.rva() : -1,
        sum.self(),
        sum.inclusive());
  }

  /** Returns the paths with names, processes above their first calls. */
  public WeightTree tree(CallNames names) {
    return new NamedPaths(this, names);
  }

  /** Returns the times of the routines, in no order. */
  List<Sum> sums() {
    long[] inclusive = inclusive();
    BitSet inside = insideThemselves();
    int[] nodes = new int[functions.size()];
    long[] selves = new long[functions.size()];
    long[] inclusives = new long[functions.size()];
    for (int node = 1; node < tree.size(); node++) {
      if (!isProcess(node)) {
        int number = tree.label(node) >> 1;
        nodes[number]++;
        selves[number] += self(node);
        inclusives[number] += isOpen(node) || inside.get(node) ? 0 : inclusive[node];
      }
    }
    List<Sum> sums = new ArrayList<>();
    for (int number = 0; number < functions.size(); number++) {
      // One that was cut for want of memory has no node.
      if (nodes[number] > 0) {
        sums.add(new Sum(functions.get(number), selves[number], inclusives[number]));
      }
    }
    return sums;
  }

  /** Returns the nodes that have a node of the same routine above them, open calls left out. */
  private BitSet insideThemselves() {
    int[] child = new int[tree.size()];
    int[] sibling = new int[tree.size()];
    for (int node = tree.size() - 1; node > 0; node--) {
      sibling[node] = child[tree.parent(node)];
      child[tree.parent(node)] = node;
    }
    BitSet inside = new BitSet();
    int[] above = new int[functions.size()];
    int node = ROOT;
    while (true) {
      if (child[node] != ROOT) {
        node = child[node];
      } else {
        while (node != ROOT && sibling[node] == ROOT) {
          leave(node, above);
          node = tree.parent(node);
        }
        if (node == ROOT) {
          return inside;
        }
        leave(node, above);
        node = sibling[node];
      }
      if (counts(node) && ++above[tree.label(node) >> 1] > 1) {
        inside.set(node);
      }
    }
  }

  private void leave(int node, int[] above) {
    if (counts(node)) {
      above[tree.label(node) >> 1]--;
    }
  }

  private boolean counts(int node) {
    return !isProcess(node) && !isOpen(node);
  }

  /** Time of calls by path, with names. */
  private static final class NamedPaths implements WeightTree {
    private final CallPathProfile paths;
    private final CallNames names;
    private final long[] inclusive;

    /** Creates a tree of what was added up, processes above their first calls. */
    NamedPaths(CallPathProfile paths, CallNames names) {
      this.paths = paths;
      this.names = names;
      this.inclusive = paths.inclusive();
    }

    @Override
    public int size() {
      return paths.size();
    }

    @Override
    public int parent(int node) {
      return paths.parent(node);
    }

    @Override
    public String text(int node) {
      if (node == 0) {
        return "all";
      }
      return paths.isProcess(node) ? paths.process(node) : names.text(paths.function(node));
    }

    @Override
    public FrameKind kind(int node) {
      return paths.isProcess(node) ? FrameKind.PROCESS : FrameKind.NATIVE;
    }

    @Override
    public boolean isOpen(int node) {
      return paths.isOpen(node);
    }

    @Override
    public long self(int node) {
      return paths.self(node);
    }

    @Override
    public long inclusive(int node) {
      return inclusive[node];
    }

    @Override
    public long cut() {
      return paths.cut();
    }
  }
}
