package io.ntrail.cli.command;

import io.ntrail.analysis.profile.CallTree;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** Prints a call tree: with lines, as JSON, or each path in a line. */
final class ProfileTreeView {
  private static final double LEAST = 1;

  private final ProfileView view;
  private final CallTree tree;
  private final ProfileRequest request;

  ProfileTreeView(ProfileView view, CallTree tree, ProfileRequest request) {
    this.view = view;
    this.tree = tree;
    this.request = request;
  }

  void print() {
    switch (request.format()) {
      case "collapsed" -> collapsed();
      case "json", "jsonl" -> json();
      default -> text();
    }
  }

  /** Outermost first, parts by semicolons, then the weight; what has the same path is one line. */
  private void collapsed() {
    PrintStream out = view.terminal().out();
    List<String> path = new ArrayList<>();
    for (int node = 1; node < tree.size(); node++) {
      if (tree.self(node) == 0) {
        continue;
      }
      path.clear();
      for (int at = node; at > 0; at = tree.parent(at)) {
        path.add(tree.text(at).replace(';', ':').replace('\n', ' '));
      }
      Collections.reverse(path);
      out.println(String.join(";", path) + " " + tree.self(node));
    }
  }

  private void json() {
    List<List<Integer>> children = tree.children(Math.max(1, request.leastOf(view.total())));
    try (Json json = new Json(view.terminal().out())) {
      view.beginJson(json)
          .text("direction", request.look() == ProfileRequest.Look.TREE ? "topDown" : "bottomUp")
          .array("nodes");
      Deque<Integer> open = new ArrayDeque<>(children.getFirst().reversed());
      while (!open.isEmpty()) {
        int node = open.pop();
        json.object()
            .number("id", node)
            .number("parent", tree.parent(node))
            .text("text", tree.text(node))
            .number("self", tree.self(node))
            .number("inclusive", tree.inclusive(node))
            .endObject();
        children.get(node).reversed().forEach(open::push);
      }
      json.endArray().number("cut", tree.cut()).endObject();
    }
  }

  private void text() {
    view.heading();
    double percent = request.least() > 0 ? request.least() : LEAST;
    long total = view.total();
    boolean down = request.look() == ProfileRequest.Look.TREE;
    List<List<Integer>> children =
        tree.children(Math.max(1, (long) Math.ceil(total * percent / 100)));
    Table table = new Table().number(down ? "incl. " + view.unit() : view.unit()).number("%");
    if (down) {
      table.number("self");
    }
    table.name(
        (down ? "call tree (top-down" : "who calls the hottest functions (bottom-up")
            + ", branches under "
            + Numbers.oneDecimal(percent)
            + " % left out)");
    List<Integer> roots = children.getFirst();
    int shown =
        request.limit() == 0 || down ? roots.size() : (int) Math.min(request.limit(), roots.size());
    long left = total;
    for (int root : roots.subList(0, shown)) {
      left -= tree.inclusive(root);
      branch(table, children, root, down);
    }
    if (left > 0) {
      List<String> cells =
          new ArrayList<>(List.of(view.weight(left), Numbers.percent(left, total)));
      if (down) {
        cells.add("");
      }
      cells.add("not shown (-n 0 --min 0.01% shows more)");
      table.row(cells);
    }
    List<String> cells =
        new ArrayList<>(List.of(view.weight(total), Numbers.percent(total, total)));
    if (down) {
      cells.add("");
    }
    cells.add("total");
    table.row(cells);
    table.print(view.terminal().out(), 0, view.width());
    if (tree.cut() > 0) {
      view.terminal()
          .out()
          .println(view.weight(tree.cut()) + " have stacks that are cut for want of memory");
    }
  }

  /** A node that is still to be printed. */
  private record Branch(int node, String before, String below) {}

  private void branch(Table table, List<List<Integer>> children, int root, boolean down) {
    boolean ascii = view.ascii();
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
                  view.weight(tree.inclusive(node)),
                  Numbers.percent(tree.inclusive(node), view.total())));
      if (down) {
        cells.add(view.weight(tree.self(node)));
      }
      cells.add(branch.before + tree.text(node));
      table.row(cells);
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
