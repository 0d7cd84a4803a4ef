package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.formats.collections.IntList;
import io.ntrail.programs.unwind.FrameTrust;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Weights by whole stack: stacks of the same functions are one, whichever process they are of. */
public final class StackFrequencies implements ProfileAggregator {
  /**
   * Stacks of the same functions.
   *
   * @param weight of all of them
   * @param frames innermost first; each stands for a function, or a range of code without a name
   */
  public record Group(long weight, List<NamedFrame> frames) {
    /** Copies the list. */
    public Group {
      frames = List.copyOf(frames);
    }
  }

  /** The heaviest first; of the same weight the one that was seen first. */
  private final Comparator<Integer> order =
      Comparator.<Integer>comparingLong(this::self).reversed().thenComparing(node -> node);

  private final FunctionIndex functions;
  private final PathTree tree;
  private long cut;

  /** Creates one without stacks. */
  public StackFrequencies(FunctionIndex functions) {
    this.functions = functions;
    // A quarter of the memory, at about 60 bytes a node.
    this.tree =
        new PathTree(
            Math.clamp(Runtime.getRuntime().maxMemory() / 240, 1 << 18, Integer.MAX_VALUE / 4));
  }

  @Override
  public void add(WeightedStack stack) {
    int node = PathTree.ROOT;
    IntList frames = stack.functions();
    for (int i = frames.size() - 1; i >= 0; i--) {
      node = tree.child(node, frames.get(i));
      if (node < 0) {
        cut += stack.weight();
        return;
      }
    }
    tree.add(node, stack.weight());
  }

  private long self(int node) {
    return tree.self(node);
  }

  /** Returns the weight of what has no stack. */
  public long withoutStack() {
    return tree.self(PathTree.ROOT);
  }

  /** Returns the weight of stacks that were left out, as the memory limit was reached. */
  public long cut() {
    return cut;
  }

  /** Returns the number of different stacks. */
  public int distinct() {
    int count = 0;
    for (int node = 1; node < tree.size(); node++) {
      count += tree.self(node) != 0 ? 1 : 0;
    }
    return count;
  }

  /**
   * Returns the heaviest stacks, the heaviest first.
   *
   * @param most how many; 0 for all
   */
  public List<Group> heaviest(int most) {
    PriorityQueue<Integer> heaviest = new PriorityQueue<>(order.reversed());
    for (int node = 1; node < tree.size(); node++) {
      if (tree.self(node) != 0) {
        heaviest.add(node);
        if (most > 0 && heaviest.size() > most) {
          heaviest.remove();
        }
      }
    }
    return heaviest.stream().sorted(order).map(this::group).toList();
  }

  private Group group(int end) {
    List<NamedFrame> frames = new ArrayList<>();
    for (int node = end; node != PathTree.ROOT; node = tree.parent(node)) {
      frames.add(frame(tree.label(node)));
    }
    return new Group(tree.self(end), frames);
  }

  private NamedFrame frame(int function) {
    boolean inlined = functions.kind(function) == FrameKind.INLINED;
    FrameTrust trust = inlined ? FrameTrust.INLINE : FrameTrust.RECORDED;
    NamedFrame unknown = NamedFrame.of(trust, NamedFrame.UNKNOWN);
    int module = functions.module(function);
    return module == FunctionIndex.UNKNOWN
        ? unknown
        : unknown
            .in(functions.moduleName(module), functions.rva(function))
            .named(functions.name(function));
  }
}
