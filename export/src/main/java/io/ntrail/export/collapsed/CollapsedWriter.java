package io.ntrail.export.collapsed;

import io.ntrail.export.stacks.FrameNames;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.formats.collections.IntList;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Writes collapsed stacks: UTF-8, lines end with a line feed and are sorted byte by byte. A tree of
 * two columns gives two weights a line. An outermost name that begins with {@code #}, as comments
 * do, gets a {@code _} in front. Nothing is held but the path to the line being written.
 */
public final class CollapsedWriter {
  /**
   * Item below a node: a stack that ends here, or all that go on from here.
   *
   * @param key how its lines go on after the path to the node above: sorting these sorts lines,
   *     since a semicolon ends none of the names
   */
  private record Item(String key, int node, boolean isStack) {}

  private final StackTree tree;
  private final StackTree.Below below;
  private final boolean annotated;

  private CollapsedWriter(StackTree tree, boolean annotated) {
    this.tree = tree;
    this.below = tree.below();
    this.annotated = annotated;
  }

  /**
   * Writes all stacks of a settled tree.
   *
   * @param annotated whether names have their kind as a suffix, such as {@code _[k]}
   */
  public static void write(StackTree tree, boolean annotated, PrintStream out) {
    new CollapsedWriter(tree, annotated).write(out);
  }

  private void write(PrintStream out) {
    StringBuilder line = new StringBuilder();
    // Of each open node the length of its path, and what is left below it, the next one last.
    IntList lengths = new IntList();
    Deque<List<Item>> open = new ArrayDeque<>();
    lengths.add(0);
    open.push(items(0));
    while (!open.isEmpty()) {
      List<Item> items = open.element();
      if (items.isEmpty()) {
        open.pop();
        lengths.removeLast();
        continue;
      }
      Item item = items.removeLast();
      line.setLength(lengths.get(lengths.size() - 1));
      line.append(item.key);
      if (item.isStack) {
        out.append(line).append('\n');
      } else {
        lengths.add(line.length());
        open.push(items(item.node));
      }
    }
    out.flush();
  }

  private List<Item> items(int parent) {
    List<Item> items = new ArrayList<>();
    for (int node = below.first(parent); node != 0; node = below.next(node)) {
      String name = name(node);
      if (parent == 0 && name.startsWith("#")) {
        name = "_" + name;
      }
      if (tree.isStack(node)) {
        StringBuilder key = new StringBuilder(name);
        for (int column = 0; column < tree.columns(); column++) {
          key.append(' ').append(weight(tree.self(column, node), tree.decimals(column)));
        }
        items.add(new Item(key.toString(), node, true));
      }
      if (below.first(node) != 0) {
        items.add(new Item(name + ";", node, false));
      }
    }
    items.sort(Comparator.comparing(Item::key, FrameNames.BYTEWISE.reversed()));
    return items;
  }

  /** {@code 12.5} of 1250 with two decimals. */
  private static String weight(long units, int decimals) {
    return decimals == 0 || units == 0
        ? Long.toString(units)
        : BigDecimal.valueOf(units, decimals).stripTrailingZeros().toPlainString();
  }

  private String name(int node) {
    String name = tree.name(node);
    String ending = annotated ? FrameNames.annotation(tree.kind(node)) : "";
    return name.endsWith(ending) ? name : name + ending;
  }
}
