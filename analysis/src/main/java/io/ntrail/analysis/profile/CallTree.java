package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.FunctionList;
import io.ntrail.analysis.naming.LongIndex;
import io.ntrail.analysis.naming.ProcessNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Weights by call path: from the process down to what was called last, or from what was called last
 * up to its callers. A function that calls itself directly is one node.
 */
public final class CallTree implements ProfileAggregator, WeightTree {
  /** Which end of a stack is at the root. */
  public enum Direction {
    TOP_DOWN,
    BOTTOM_UP
  }

  private final ProcessNames names;
  private final FunctionIndex functions;
  private final Direction direction;
  private final boolean byModule;
  private final int mostNodes;

  private final List<String> processes = new ArrayList<>();
  private final Map<Long, Integer> processNodes = new HashMap<>();
  private int size = 1;
  private int[] parents = new int[1024];
  private int[] labels = new int[1024];
  private long[] self = new long[1024];
  private long[] inclusive = {};
  private final LongIndex index = new LongIndex(2048);
  private long cut;

  /** Empty. */
  public CallTree(
      ProcessNames names, FunctionIndex functions, Direction direction, boolean byModule) {
    this.names = names;
    this.functions = functions;
    this.direction = direction;
    this.byModule = byModule;
    // A quarter of the memory, at about 60 bytes a node.
    this.mostNodes =
        Math.clamp(Runtime.getRuntime().maxMemory() / 240, 1 << 18, Integer.MAX_VALUE / 4);
  }

  @Override
  public void add(WeightedStack stack) {
    int node = direction == Direction.TOP_DOWN ? processNode(stack) : 0;
    int last = -1;
    FunctionList frames = stack.functions();
    for (int i = 0; i < frames.count(); i++) {
      int at = direction == Direction.TOP_DOWN ? frames.count() - 1 - i : i;
      int function = frames.get(at);
      int label = byModule ? functions.module(function) : function;
      if (label != last) {
        int next = child(node, label);
        if (next < 0) {
          cut += stack.weight();
          break;
        }
        node = next;
        last = label;
      }
    }
    if (frames.count() == 0 && direction == Direction.BOTTOM_UP) {
      node =
          Math.max(
              0, child(0, byModule ? FunctionIndex.NO_STACK : FunctionIndex.NO_STACK_FUNCTION));
    }
    self[node] += stack.weight();
  }

  private int processNode(WeightedStack stack) {
    int number =
        stack.process() == ProcessNames.NO_ID
            ? -1
            : names.processNumber(stack.process(), stack.key());
    long identity = (long) number << 32 | stack.process() & 0xFFFF_FFFFL;
    Integer known = processNodes.get(identity);
    if (known != null) {
      return known;
    }
    String name = names.processName(number, stack.process());
    String text = name == null ? "(unknown)" : name;
    processes.add(
        stack.process() == ProcessNames.NO_ID
            ? text
            : text + " (" + Integer.toUnsignedString(stack.process()) + ")");
    int node = child(0, -processes.size());
    processNodes.put(identity, Math.max(0, node));
    return Math.max(0, node);
  }

  private int child(int parent, int label) {
    long key = (long) parent << 32 | label & 0xFFFF_FFFFL;
    int known = index.get(key);
    if (known >= 0) {
      return known;
    }
    if (size >= mostNodes) {
      return -1;
    }
    if (size == parents.length) {
      int capacity = size + (size >> 1);
      parents = Arrays.copyOf(parents, capacity);
      labels = Arrays.copyOf(labels, capacity);
      self = Arrays.copyOf(self, capacity);
    }
    parents[size] = parent;
    labels[size] = label;
    index.put(key, size);
    return size++;
  }

  /** Makes the sums; nothing can be added afterwards. */
  public void settle() {
    inclusive = Arrays.copyOf(self, size);
    // Children come behind their parents.
    for (int node = size - 1; node > 0; node--) {
      inclusive[parents[node]] += inclusive[node];
    }
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int parent(int node) {
    return parents[node];
  }

  /** Weight of the stacks that end at a node. */
  @Override
  public long self(int node) {
    return self[node];
  }

  /** Weight of the stacks that go through a node. */
  @Override
  public long inclusive(int node) {
    return inclusive[node];
  }

  @Override
  public String text(int node) {
    int label = labels[node];
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
    return byModule ? functions.kindOfModule(labels[node]) : functions.kind(labels[node]);
  }

  /** Whether a node stands for a process. */
  public boolean isProcess(int node) {
    return node != 0 && labels[node] < 0;
  }

  /** Function, or module, of a node. */
  public int label(int node) {
    return labels[node];
  }

  /** Weight of stacks whose ends were left out for want of memory. */
  @Override
  public long cut() {
    return cut;
  }
}
