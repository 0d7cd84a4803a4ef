package io.ntrail.cli.profile;

import io.ntrail.analysis.profile.WeightTree;
import io.ntrail.cli.common.CellWriter;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.export.collapsed.CollapsedWriter;
import io.ntrail.export.stacks.StackTree;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Prints a call tree: with lines, as JSON, or each path in a line. */
final class ProfileTreeView {
  private static final double LEAST = 1;

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
      return;
    }
    Listing<Integer> listing = new Listing<>("nodes", columns(), sink -> shown().forEach(sink));
    listing.print(
        shape.format(),
        page.terminal().out(),
        this::text,
        json -> {
          page.members(json.text("schema", "ntrail.profile-tree/1"))
              .text("direction", shape.look() == ProfileShape.Look.TREE ? "topDown" : "bottomUp");
          List<Integer> nodes = shown();
          new Listing<>("nodes", listing.columns(), nodes::forEach).json(json);
          json.number("nodesLeftOut", tree.weighty() - nodes.size()).number("cut", tree.cut());
        });
  }

  private ListingColumns<Integer> columns() {
    return new ListingColumns<Integer>()
        .count("id", Integer::longValue)
        .knownCount("parent", node -> tree.parent(node) == 0 ? -1 : tree.parent(node))
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

  /** The nodes that are requested, each after the one above it. */
  private List<Integer> shown() {
    List<List<Integer>> children = tree.children(Math.max(1, shape.leastOf(page.total())));
    List<Integer> nodes = new ArrayList<>();
    Deque<Integer> open = new ArrayDeque<>(roots(children));
    while (!open.isEmpty()) {
      int node = open.pop();
      nodes.add(node);
      children.get(node).reversed().forEach(open::push);
    }
    return nodes;
  }

  private List<Integer> roots(List<List<Integer>> children) {
    List<Integer> roots = children.getFirst();
    return shape.limit() == 0 || shape.limit() > roots.size()
        ? roots
        : roots.subList(0, (int) shape.limit());
  }

  private void text() {
    page.heading();
    if (tree.weighty() == 0) {
      return;
    }
    double percent = shape.least() > 0 ? shape.least() : LEAST;
    long total = page.total();
    boolean down = shape.look() == ProfileShape.Look.TREE;
    List<List<Integer>> children =
        tree.children(Math.max(1, (long) Math.ceil(total * percent / 100)));
    Table table = new Table().number(down ? "incl. " + page.unit() : page.unit()).number("%");
    if (down) {
      table.number("self");
    }
    table.name(
        (down ? "call tree (top-down" : "callers of the hottest functions (bottom-up")
            + ", branches under "
            + Numbers.oneDecimal(percent)
            + " % omitted)");
    long left = total;
    for (int root : roots(children)) {
      left -= tree.inclusive(root);
      branch(table, children, root, down);
    }
    if (left > 0) {
      List<String> cells =
          new ArrayList<>(List.of(page.weight(left), Numbers.percent(left, total)));
      if (down) {
        cells.add("");
      }
      cells.add("not shown (-n 0 --min 0.01% shows more)");
      table.row(cells);
    }
    List<String> cells =
        new ArrayList<>(List.of(page.weight(total), Numbers.percent(total, total)));
    if (down) {
      cells.add("");
    }
    cells.add("total");
    table.row(cells);
    table.print(page.terminal().out(), 0, page.width());
    if (tree.cut() > 0) {
      page.terminal()
          .out()
          .println("memory limit reached: " + page.weight(tree.cut()) + " have truncated stacks");
    }
  }

  /** A node that is still to be printed. */
  private record Branch(int node, String before, String below) {}

  private void branch(Table table, List<List<Integer>> children, int root, boolean down) {
    boolean ascii = page.ascii();
    String more = ascii ? "|- " : "\u251C\u2500 ";
    String last = ascii ? "\\- " : "\u2514\u2500 ";
    String bar = ascii ? "|  " : "\u2502  ";
    Deque<Branch> open = new ArrayDeque<>();
    open.push(new Branch(root, "", ""));
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
      if (table.waiting() >= PART) {
        table.print(page.terminal().out(), 0, page.width());
      }
      List<Integer> callees = children.get(node);
      for (int i = callees.size() - 1; i >= 0; i--) {
        boolean isLast = i == callees.size() - 1;
        String ahead = isLast ? last : more;
        String deeper = isLast ? "   " : bar;
        open.push(new Branch(callees.get(i), branch.below + ahead, branch.below + deeper));
      }
    }
  }
}
