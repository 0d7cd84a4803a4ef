package io.ntrail.export.stacks;

import io.ntrail.analysis.naming.FrameKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Adds up a {@link StackTree} by name: the weight of the stacks that end in a frame of it, and of
 * those that go through one at all, where a stack counts once.
 */
public final class FlatStacks {
  /**
   * Weights of a name.
   *
   * @param name as requested
   * @param self weight of stacks whose innermost frame it is
   * @param inclusive weight of stacks that it is in
   */
  public record Row(String name, long self, long inclusive) {}

  /** Name of the row of stacks that are nothing but a process. */
  public static final String NO_STACK = "(no stack)";

  private FlatStacks() {}

  /**
   * The rows of a settled tree, in no order; processes are none.
   *
   * @param naming makes a row's name out of a frame's: the same, or that of its module
   */
  public static List<Row> of(StackTree tree, int column, UnaryOperator<String> naming) {
    Map<String, Integer> numbers = new HashMap<>();
    List<String> names = new ArrayList<>();
    int[] rows = new int[tree.size()];
    int[] rowOfLabel = new int[tree.names()];
    for (int node = 1; node < rows.length; node++) {
      int label = tree.label(node);
      if (rowOfLabel[label] == 0) {
        String name = naming.apply(tree.name(node));
        Integer known = numbers.putIfAbsent(name, names.size());
        if (known == null) {
          names.add(name);
        }
        rowOfLabel[label] = 1 + (known == null ? names.size() - 1 : known);
      }
      // A stack that is nothing but a process is one of its own code, of which nothing is known.
      rows[node] = tree.kind(node) == FrameKind.PROCESS ? -1 : rowOfLabel[label] - 1;
    }
    long[] self = new long[names.size()];
    long[] inclusive = new long[names.size()];
    int[] open = new int[names.size()];
    long nameless = 0;
    StackTree.Below below = tree.below();
    int node = below.first(0);
    while (node != 0) {
      int row = rows[node];
      if (row < 0) {
        nameless += tree.self(column, node);
      } else {
        self[row] += tree.self(column, node);
        if (open[row]++ == 0) {
          inclusive[row] += tree.inclusive(column, node);
        }
      }
      if (below.first(node) != 0) {
        node = below.first(node);
        continue;
      }
      close(open, rows[node]);
      while (node != 0 && below.next(node) == 0) {
        node = tree.parent(node);
        close(open, node == 0 ? -1 : rows[node]);
      }
      node = node == 0 ? 0 : below.next(node);
    }
    List<Row> result = new ArrayList<>();
    for (int row = 0; row < self.length; row++) {
      if (inclusive[row] != 0) {
        result.add(new Row(names.get(row), self[row], inclusive[row]));
      }
    }
    if (nameless != 0) {
      result.add(new Row(NO_STACK, nameless, nameless));
    }
    return result;
  }

  private static void close(int[] open, int row) {
    if (row >= 0) {
      open[row]--;
    }
  }
}
