package io.ntrail.cli.profile;

import io.ntrail.analysis.profile.WeightTree;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.export.collapsed.CollapsedWriter;
import io.ntrail.export.stacks.StackTree;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Printer of a call tree: with lines, as JSON, or each path in a line. A limit keeps the heaviest
 * nodes; on the screen a chain of only children stays in one column.
 */
final class ProfileTreeView {
  /** Rows that are kept before they are printed: deep ones are long. */
  private static final int PART = 500;

  private final ProfilePage page;
  private final WeightTree tree;
  private final ProfileShape shape;

  ProfileTreeView(ProfilePage page, WeightTree tree, ProfileShape shape) {
    this.page = page;
    this.tree = tree;
    this.shape = shape;
  }

  void print() {
    if (shape.format() == Format.COLLAPSED) {
      StackTree stacks = StackTree.of(tree);
      stacks.settle();
      CollapsedWriter.write(stacks, false, page.terminal().out());
      if (tree.cut() > 0) {
        page.terminal().err().println("warning: " + cutLine());
      }
      return;
    }
    Listing<Integer> listing = new Listing<>("nodes", columns(), this::shown);
    listing.print(
        shape.format(),
        page.terminal().out(),
        this::text,
        json -> {
          page.members(json.text("schema", "ntrail.profile-tree/1"))
              .text("direction", shape.look() == ProfileShape.Look.TREE ? "topDown" : "bottomUp");
          long[] shown = {0};
          new Listing<Integer>("nodes", listing.columns(), sink -> shown[0] = shown(sink))
              .json(json);
          json.number("nodesLeftOut", tree.weighty() - shown[0]).number("cut", tree.cut());
        });
  }

  private ListingColumns<Integer> columns() {
    return new ListingColumns<Integer>()
        .count("id", tree::id)
        .knownCount("parent", node -> tree.parent(node) == 0 ? -1 : tree.id(tree.parent(node)))
        .text("text", tree::text)
        .value("open", this::open)
        .onlyJson()
        .count("self", tree::self)
        .count("inclusive", tree::inclusive);
  }

  private void open(int node, CellWriter cell) {
    if (tree.isOpen(node)) {
      cell.flag(true);
    } else {
      cell.absent();
    }
  }

  /** Hands on the nodes that are requested, each after the one above it; returns how many. */
  private long shown(Consumer<Integer> sink) {
    WeightTree.Children children = children();
    Deque<Integer> open = new ArrayDeque<>();
    addReversed(children, 0, open);
    long count = 0;
    while (!open.isEmpty()) {
      int node = open.removeLast();
      sink.accept(node);
      count++;
      addReversed(children, node, open);
    }
    return count;
  }

  private static void addReversed(WeightTree.Children children, int node, Deque<Integer> open) {
    for (int i = children.count(node) - 1; i >= 0; i--) {
      open.add(children.get(node, i));
    }
  }

  /** Returns the children of all nodes, as far as they are heavy enough and there is room. */
  private WeightTree.Children children() {
    WeightTree.Children children = tree.children(Math.max(1, shape.leastOf(page.total())));
    return shape.limit() == 0 || shape.limit() >= tree.size()
        ? children
        : tree.children(heaviest(children));
  }

  /** Returns as many nodes as there is room for: none weighs more than the one above it. */
  private BitSet heaviest(WeightTree.Children children) {
    PriorityQueue<Found> found = new PriorityQueue<>(Found.ORDER);
    BitSet heaviest = new BitSet();
    int order = 0;
    for (int i = 0; i < children.count(0); i++) {
      int root = children.get(0, i);
      found.add(new Found(root, tree.inclusive(root), order++));
    }
    for (long room = shape.limit(); room > 0 && !found.isEmpty(); room--) {
      int node = found.remove().node;
      heaviest.set(node);
      for (int i = 0; i < children.count(node); i++) {
        int child = children.get(node, i);
        found.add(new Found(child, tree.inclusive(child), order++));
      }
    }
    return heaviest;
  }

  private void text() {
    page.heading();
    if (tree.weighty() == 0) {
      return;
    }
    long total = page.total();
    boolean down = shape.look() == ProfileShape.Look.TREE;
    WeightTree.Children children = children();
    Table table = new Table().number(down ? "incl. " + page.unit() : page.unit()).number("%");
    if (down) {
      table.number("self");
    }
    table.name(
        (down ? "call tree (top-down" : "callers of the hottest functions (bottom-up")
            + (shape.least() > 0
                ? ", branches under " + Numbers.oneDecimal(shape.least()) + " % omitted)"
                : ")"));
    long left = total;
    long lines = 0;
    for (int i = 0; i < children.count(0); i++) {
      int root = children.get(0, i);
      left -= tree.inclusive(root);
      lines += branch(table, children, root, down);
    }
    rest(table, left, lines, down);
    List<String> cells =
        new ArrayList<>(List.of(page.weight(total), Numbers.percent(total, total)));
    if (down) {
      cells.add("");
    }
    cells.add("total");
    table.row(cells);
    table.print(page.terminal().out(), 0, page.width());
    if (tree.cut() > 0) {
      page.terminal().out().println(cutLine());
    }
  }

  private String cutLine() {
    return "memory limit reached: " + page.weight(tree.cut()) + " have truncated stacks";
  }

  /** Adds the row of what is not shown: its weight as far as whole roots are missing. */
  private void rest(Table table, long left, long lines, boolean down) {
    long more = tree.weighty() - lines;
    if (more == 0 && left <= 0) {
      return;
    }
    boolean full = shape.limit() != 0 && lines >= shape.limit();
    String way = (full ? "-n 0" : "") + (shape.least() > 0 ? " --min 0" : "");
    String why = tree.cut() > 0 ? "left out at the memory limit" : way.strip() + " shows all";
    List<String> cells = new ArrayList<>();
    cells.add(left > 0 ? page.weight(left) : "");
    cells.add(left > 0 ? Numbers.percent(left, page.total()) : "");
    if (down) {
      cells.add("");
    }
    cells.add(more == 0 ? "in no line" : Numbers.counted(more, "more line") + " (" + why + ")");
    table.row(cells);
  }

  /**
   * A node that is still to be printed.
   *
   * @param isOnly whether it is the only one shown under the one above it
   */
  private record Branch(int node, String before, String below, boolean isOnly) {}

  /** A node whose children are still to be looked at. */
  private record Found(int node, long weight, int order) {
    static final Comparator<Found> ORDER =
        Comparator.comparingLong(Found::weight).reversed().thenComparingInt(Found::order);
  }

  /** Adds the rows of a root, and returns how many there are. */
  private int branch(Table table, WeightTree.Children children, int root, boolean down) {
    int lines = 0;
    boolean ascii = page.ascii();
    String more = ascii ? "|- " : "\u251C\u2500 ";
    String last = ascii ? "\\- " : "\u2514\u2500 ";
    String bar = ascii ? "|  " : "\u2502  ";
    Deque<Branch> open = new ArrayDeque<>();
    open.push(new Branch(root, "", "", false));
    while (!open.isEmpty()) {
      Branch branch = open.pop();
      int node = branch.node;
      List<String> cells =
          new ArrayList<>(
              List.of(
                  page.weight(tree.inclusive(node)),
                  Numbers.percent(tree.inclusive(node), page.total())));
      if (down) {
        cells.add(page.weight(tree.self(node)));
      }
      cells.add(branch.before + tree.text(node) + (tree.isOpen(node) ? "  (open)" : ""));
      table.row(cells);
      lines++;
      if (table.waiting() >= PART) {
        table.print(page.terminal().out(), 0, page.width());
      }
      int callees = children.count(node);
      boolean isOnly = callees == 1;
      if (isOnly && branch.isOnly) {
        // A chain stays in its column: deep stacks are mostly such.
        open.push(new Branch(children.get(node, 0), branch.below, branch.below, true));
        continue;
      }
      for (int i = callees - 1; i >= 0; i--) {
        boolean isLast = i == callees - 1;
        String ahead = isLast ? last : more;
        String deeper = isLast ? "   " : bar;
        open.push(
            new Branch(children.get(node, i), branch.below + ahead, branch.below + deeper, isOnly));
      }
    }
    return lines;
  }
}
