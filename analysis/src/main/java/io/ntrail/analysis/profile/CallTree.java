package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.ProcessNames;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongIntMap;
import java.util.ArrayList;
import java.util.List;

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

  private final ProcessNames names;
  private final FunctionIndex functions;
  private final Direction direction;
  private final boolean byModule;

  private final List<String> processes = new ArrayList<>();
  private final LongIntMap processNodes = new LongIntMap();
  private final PathTree tree;
  private long[] inclusive = {};
  private long cut;

  /** Creates an empty tree. */
  public CallTree(
      ProcessNames names, FunctionIndex functions, Direction direction, boolean byModule) {
    this.names = names;
    this.functions = functions;
    this.direction = direction;
    this.byModule = byModule;
    // A quarter of the memory, at about 60 bytes a node.
    this.tree =
        new PathTree(
            Math.clamp(Runtime.getRuntime().maxMemory() / 240, 1 << 18, Integer.MAX_VALUE / 4));
  }

  @Override
  public void add(WeightedStack stack) {
    int node = direction == Direction.TOP_DOWN ? processNode(stack) : 0;
    int last = -1;
    IntList frames = stack.functions();
    for (int i = 0; i < frames.size(); i++) {
      int at = direction == Direction.TOP_DOWN ? frames.size() - 1 - i : i;
      int function = frames.get(at);
      int label = byModule ? functions.module(function) : function;
      if (label != last) {
        int next = tree.child(node, label);
        if (next < 0) {
          cut += stack.weight();
          break;
        }
        node = next;
        last = label;
      }
    }
    if (frames.size() == 0 && direction == Direction.BOTTOM_UP) {
      node =
          Math.max(
              0,
              tree.child(0, byModule ? FunctionIndex.NO_STACK : FunctionIndex.NO_STACK_FUNCTION));
    }
    tree.add(node, stack.weight());
  }

  private int processNode(WeightedStack stack) {
    int number =
        stack.process() == ProcessNames.NO_ID
            ? -1
            : names.processNumber(stack.process(), stack.key());
    long identity = (long) number << 32 | stack.process() & 0xFFFF_FFFFL;
    int known = processNodes.get(identity);
    if (known >= 0) {
      return known;
    }
    String name = names.processName(number, stack.process());
    String text = name == null ? "(unknown)" : name;
    processes.add(
        stack.process() == ProcessNames.NO_ID
            ? text
            : text + " (" + Integer.toUnsignedString(stack.process()) + ")");
    int node = tree.child(0, -processes.size());
    processNodes.put(identity, Math.max(0, node));
    return Math.max(0, node);
  }

  /** Makes the sums; nothing can be added afterwards. */
  public void settle() {
    inclusive = tree.inclusive(Long.MIN_VALUE);
  }

  @Override
  public int size() {
    return tree.size();
  }

  @Override
  public int parent(int node) {
    return tree.parent(node);
  }

  /** Returns the weight of the stacks that end at a node. */
  @Override
  public long self(int node) {
    return tree.self(node);
  }

  /** Returns the weight of the stacks that go through a node. */
  @Override
  public long inclusive(int node) {
    return inclusive[node];
  }

  @Override
  public String text(int node) {
    int label = tree.label(node);
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
    return byModule ? functions.kindOfModule(tree.label(node)) : functions.kind(tree.label(node));
  }

  /** Returns whether a node stands for a process. */
  public boolean isProcess(int node) {
    return node != 0 && tree.label(node) < 0;
  }

  /** Returns the function, or module, of a node. */
  public int label(int node) {
    return tree.label(node);
  }

  /** Returns the weight of stacks that were truncated at the memory limit. */
  @Override
  public long cut() {
    return cut;
  }
}
