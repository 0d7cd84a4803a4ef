package io.ntrail.export.flamegraph;

import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.export.stacks.FrameNames;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.RowSort;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Writes a flame graph: one page with everything in it. Of a tree of two columns it is a
 * comparison, as wide as the second one and coloured by the change of shares.
 *
 * <p>The frames are written in the form that async-profiler's converter reads (docs/export.md). The
 * page runs nothing but its own two scripts and loads nothing: its policy names them by their
 * hashes. Names may hold anything.
 */
public final class FlameGraph {
  /**
   * Heading of the page.
   *
   * @param title of the window
   * @param lines what was asked of what, totals, losses, state of symbols
   * @param unit what weights are, such as {@code samples}
   * @param program name and version of the program that wrote it
   */
  public record Heading(String title, List<String> lines, String unit, String program) {}

  /**
   * Options of the drawing.
   *
   * @param percent of the total that a frame must have to be drawn; of others the weight stays with
   *     the frame that they are called from
   * @param width which column frames are as wide as: 0 or 1
   */
  public record Options(double percent, int width) {}

  /** Column of a tree that has only one. */
  private static final int NONE = -1;

  private final StackTree tree;
  private final StackTree.Below below;
  private final int width;
  private final int other;
  private final long least;

  /** The frames that are drawn, outermost first, with what they call after them. */
  private final IntList order = new IntList();

  private final IntList levels = new IntList();

  /** Index of the name of each. */
  private int[] places = {};

  private int leftOut;

  private FlameGraph(StackTree tree, Options options) {
    this.tree = tree;
    this.below = tree.below();
    this.width = Math.min(options.width, tree.columns() - 1);
    this.other = tree.columns() == 1 ? NONE : 1 - width;
    this.least = Math.max(1, (long) Math.ceil(tree.total(width) * options.percent / 100));
  }

  /**
   * Writes the page.
   *
   * @param tree settled
   */
  public static void write(StackTree tree, Heading heading, Options options, PrintStream out) {
    FlameGraph graph = new FlameGraph(tree, options);
    graph.choose();
    graph.page(heading, options, out);
  }

  /** Puts the frames in order: below each node by name. */
  private void choose() {
    IntList open = new IntList();
    IntList depths = new IntList();
    IntList children = new IntList();
    open.add(0);
    depths.add(0);
    while (!open.isEmpty()) {
      int node = open.removeLast();
      int level = depths.removeLast();
      order.add(node);
      levels.add(level);
      children.clear();
      for (int child = below.first(node); child != 0; child = below.next(child)) {
        if (tree.inclusive(width, child) >= least) {
          children.add(child);
        }
      }
      for (int i :
          RowSort.sorted(children.size(), (a, b) -> byName(children.get(b), children.get(a)))) {
        open.add(children.get(i));
        depths.add(level + 1);
      }
    }
    for (int node = 1; node < tree.size(); node++) {
      long weight = tree.inclusive(width, node);
      leftOut += weight > 0 && weight < least ? 1 : 0;
    }
  }

  private int byName(int a, int b) {
    return FrameNames.BYTEWISE.compare(tree.name(a), tree.name(b));
  }

  private void page(Heading heading, Options options, PrintStream out) {
    String style = resource("page.css");
    String code = resource("page.js");
    StringBuilder data = new StringBuilder("\n");
    names(data);
    frames(data);
    others(data);
    data.append("start();\n");
    String body = resource("page.html");
    StringBuilder lines = new StringBuilder();
    heading.lines.forEach(line -> lines.append("<p>").append(html(line)).append("</p>\n"));
    String policy =
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '%s'; script-src '%s' '%s'"
            .formatted(hash(style), hash(code), hash(data.toString()));
    out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta http-equiv=\"Content-Security-Policy\" content=\"")
        .append(policy)
        .append("\">\n<meta name=\"generator\" content=\"")
        .append(html(heading.program))
        .append("\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>")
        .append(html(heading.title))
        .append("</title>\n<style>")
        .append(style)
        .append("</style>\n</head>\n<body data-unit=\"")
        .append(html(heading.unit))
        .append("\" data-total=\"" + tree.total(width))
        .append("\" data-decimals=\"" + tree.decimals(width))
        .append("\" data-other=\"" + (other == NONE ? "" : tree.total(other)))
        .append("\" data-side=\"" + (other == NONE ? "" : width == 1 ? "after" : "before"))
        .append("\" data-percent=\"" + plain(options.percent))
        .append("\" data-left=\"" + leftOut)
        .append("\">\n<header>\n<h1>")
        .append(html(heading.title))
        .append("</h1>\n")
        .append(lines)
        .append("<p>")
        .append(html(heading.program))
        .append("</p>\n</header>\n")
        .append(body)
        .append("<script>")
        .append(code)
        .append("</script>\n<script>")
        .append(data)
        .append("</script>\n</body>\n</html>\n");
    out.flush();
  }

  private static String plain(double percent) {
    String text = Double.toString(percent);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  /**
   * The names, sorted, each with the number of characters that it has in common with the one before
   * it, at most 95, as a character from the blank on.
   */
  private void names(StringBuilder data) {
    String[] names = namesInUse();
    data.append("const cpool = [\n'all'");
    // The first one is written in full: the converter does not take "all" for one before it.
    String before = "";
    for (int i = 1; i < names.length; i++) {
      String name = names[i];
      int common = 0;
      int most = Math.min(95, Math.min(before.length(), name.length()));
      while (common < most && before.charAt(common) == name.charAt(common)) {
        common++;
      }
      if (common > 0 && Character.isHighSurrogate(name.charAt(common - 1))) {
        common--;
      }
      data.append(",\n'");
      script(data, (char) (' ' + common) + name.substring(common));
      data.append('\'');
      before = name;
    }
    data.append("\n];\nunpack(cpool);\n\n");
    places = new int[order.size()];
    for (int i = 1; i < order.size(); i++) {
      places[i] = Arrays.binarySearch(names, 1, names.length, name(order.get(i)));
    }
  }

  private String name(int node) {
    return FrameNames.plain(tree.name(node), tree.kind(node));
  }

  private String[] namesInUse() {
    TreeSet<String> names = new TreeSet<>();
    for (int i = 1; i < order.size(); i++) {
      names.add(name(order.get(i)));
    }
    return Stream.concat(Stream.of("all"), names.stream()).toArray(String[]::new);
  }

  /** A text as it is between quotation marks of a script that is in a page. */
  private static void script(StringBuilder data, String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\'' || c == '\\') {
        data.append('\\').append(c);
      } else if (c == '<' && i + 1 < text.length() && "/!".indexOf(text.charAt(i + 1)) >= 0) {
        // Nothing in a name may end the script, or begin a comment of the page.
        data.append("<\\");
      } else {
        data.append(c);
      }
    }
  }

  /**
   * The frames: {@code u} is called by the one before it and begins where that does, {@code n} is
   * beside the one before it, {@code f} gives level and distance. A weight that is the same as the
   * one before it is left out.
   */
  private void frames(StringBuilder data) {
    long[] lefts = new long[order.size() + 1];
    long[] ends = new long[order.size() + 1];
    int level = 0;
    long left = 0;
    long weight = 0;
    for (int i = 0; i < order.size(); i++) {
      int node = order.get(i);
      int at = levels.get(i);
      // Where a frame's callees that were placed so far end.
      lefts[at] = i == 0 ? 0 : at > level ? left : ends[at];
      long wide = tree.inclusive(width, node);
      long key = (long) places[i] << 3 | type(tree.kind(node));
      String rest = wide == weight ? ")" : "," + wide + ")";
      if (i == 0) {
        data.append("n(").append(key).append(',').append(wide).append(')');
      } else if (at == level + 1 && lefts[at] == left) {
        data.append("u(").append(key).append(rest);
      } else if (at == level && lefts[at] == left + weight) {
        data.append("n(").append(key).append(rest);
      } else {
        data.append("f(").append(key).append(',').append(at).append(',').append(lefts[at] - left);
        data.append(rest);
      }
      data.append('\n');
      level = at;
      left = lefts[at];
      weight = wide;
      ends[at] = left + wide;
    }
    data.append('\n');
  }

  /** The numbers of kinds, as async-profiler's converter has them. */
  private static int type(FrameKind kind) {
    return switch (kind) {
      case MANAGED -> 1;
      case INLINED -> 2;
      case NATIVE -> 3;
      case PROCESS -> 4;
      case KERNEL -> 5;
    };
  }

  /** Appends the weights of the frames in the column that is not their width, in the same order. */
  private void others(StringBuilder data) {
    if (other == NONE) {
      return;
    }
    data.append("others = [\n");
    for (int i = 0; i < order.size(); i++) {
      data.append(tree.inclusive(other, order.get(i))).append(i % 20 == 19 ? ",\n" : ",");
    }
    data.append("\n];\n");
  }

  private static String html(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }

  private static String hash(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return "sha256-" + Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static String resource(String name) {
    try (InputStream in =
        Objects.requireNonNull(FlameGraph.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
