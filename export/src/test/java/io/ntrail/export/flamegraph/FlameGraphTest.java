package io.ntrail.export.flamegraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.testkit.Property;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of a flame graph as text: its policy, and the frames as its form has them. */
class FlameGraphTest {
  private static final FlameGraph.Heading HEADING =
      new FlameGraph.Heading("a <b> & \"c\"", List.of("one", "<i>two</i>"), "samples", "ntrail 1");

  private static String page(StackTree tree, double percent, int width) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FlameGraph.write(
        tree,
        HEADING,
        new FlameGraph.Options(percent, width),
        new PrintStream(out, false, StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }

  private static int add(StackTree tree, int column, long weight, String... names) {
    int node = 0;
    for (String name : names) {
      node = tree.child(node, name, FrameKind.NATIVE);
    }
    tree.add(node, column, weight);
    return node;
  }

  private static List<String> between(String page, String begin, String end) {
    List<String> found = new ArrayList<>();
    for (int at = page.indexOf(begin); at >= 0; at = page.indexOf(begin, at + 1)) {
      int from = at + begin.length();
      found.add(page.substring(from, page.indexOf(end, from)));
    }
    return found;
  }

  /** Frames of a page by their paths, read as docs/export.md describes them. */
  private static Map<String, Long> frames(String page) {
    String data = between(page, "<script>", "</script>").getLast();
    List<String> names = new ArrayList<>();
    for (String line : between(data, "const cpool = [\n", "\n];").getFirst().lines().toList()) {
      String text = line.substring(1, line.lastIndexOf('\'')).replaceAll("\\\\(.)", "$1");
      if (names.isEmpty()) {
        names.add(text);
      } else {
        names.add(names.getLast().substring(0, text.charAt(0) - ' ') + text.substring(1));
      }
    }
    Map<String, Long> frames = new TreeMap<>();
    List<String> path = new ArrayList<>();
    List<Long> lefts = new ArrayList<>();
    long left = 0;
    long width = 0;
    int level = 0;
    Matcher call = Pattern.compile("(?m)^([fun])\\(([\\d,]+)\\)$").matcher(data);
    while (call.find()) {
      String[] told = call.group(2).split(",", -1);
      boolean any = call.group(1).equals("f");
      int next = any ? Integer.parseInt(told[1]) : call.group(1).equals("u") ? level + 1 : level;
      left += any ? Long.parseLong(told[2]) : call.group(1).equals("n") ? width : 0;
      int at = any ? 3 : 1;
      width = told.length > at ? Long.parseLong(told[at]) : width;
      level = next;
      path = new ArrayList<>(path.subList(0, Math.min(level, path.size())));
      lefts = new ArrayList<>(lefts.subList(0, Math.min(level, lefts.size())));
      assertTrue(level == 0 || lefts.get(level - 1) <= left, "a frame lies on its caller");
      path.add(names.get(Integer.parseInt(told[0]) >>> 3));
      lefts.add(left);
      frames.put(String.join(";", path), width);
    }
    return frames;
  }

  @Test
  void framesAreThoseOfTheTree() {
    Property.check(g -> {
      StackTree tree = new StackTree(1);
      Map<String, Long> expected = new TreeMap<>();
      for (List<String> stack : g.list(15, each -> each.list(6, FlameGraphTest::name))) {
        if (!stack.isEmpty()) {
          long weight = 1L + g.below(300);
          add(tree, 0, weight, stack.toArray(String[]::new));
          expected.merge("all", weight, Long::sum);
          for (int i = 1; i <= stack.size(); i++) {
            expected.merge("all;" + String.join(";", stack.subList(0, i)), weight, Long::sum);
          }
        }
      }
      tree.settle();
      if (!expected.isEmpty()) {
        assertEquals(expected, frames(page(tree, 0, 0)));
      }
    });
  }

  private static String name(Property.Gen g) {
    String start = g.oneOf("", "a", "ab", "'", "\\", "</", "<!--", "\uD83D\uDE00", "x".repeat(100));
    return start + g.oneOf("b", "'", "\\'", "\uD83D\uDE01", "\uD83D\uDE02", "</script>", "y");
  }

  @Test
  void smallFramesAreOmittedAndStayWithTheirCaller() {
    StackTree tree = new StackTree(1);
    add(tree, 0, 97, "main", "big");
    add(tree, 0, 2, "main", "small", "smaller");
    add(tree, 0, 1, "main", "least");
    tree.settle();
    String page = page(tree, 3, 0);
    assertEquals(Map.of("all", 100L, "all;main", 100L, "all;main;big", 97L), frames(page));
    assertTrue(page.contains(" data-percent=\"3\" data-left=\"3\">"), page);
    assertEquals(6, frames(page(tree, 0, 0)).size());
  }

  @Test
  void thePageRunsOnlyItsOwnScripts() throws GeneralSecurityException {
    StackTree tree = new StackTree(2);
    add(tree, 0, 1, "</script><script>alert(1)</script>", "\u00E9\uD83D\uDE00");
    add(tree, 1, 2, "<!--<script>", "'];alert(1);['");
    tree.settle();
    String page = page(tree, 0, 1);
    String policy = between(page, "content=\"default-src 'none'; ", "\"").getFirst();
    List<String> parts = new ArrayList<>(between(page, "<style>", "</style>"));
    // A name may hold the beginning of a script: that begins none within one.
    between(page, "<script>\n", "</script>").forEach(script -> parts.add("\n" + script));
    assertEquals(3, parts.size(), "a style, the code, the data");
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    List<String> hashes = new ArrayList<>();
    for (String part : parts) {
      byte[] hash = sha.digest(part.getBytes(StandardCharsets.UTF_8));
      hashes.add("'sha256-" + Base64.getEncoder().encodeToString(hash) + "'");
    }
    assertEquals(
        "base-uri 'none'; form-action 'none'; style-src %s; script-src %s %s"
            .formatted(hashes.toArray()),
        policy);
  }

  @Test
  void theHeadingIsText() {
    StackTree tree = new StackTree(1);
    add(tree, 0, 1, "main");
    tree.settle();
    String page = page(tree, 0, 0);
    assertTrue(page.contains("<h1>a &lt;b&gt; &amp; &quot;c&quot;</h1>"), page);
    assertTrue(page.contains("<p>&lt;i&gt;two&lt;/i&gt;</p>"), page);
  }

  @Test
  void aComparisonHasTheOtherWeightOfEachFrame() {
    StackTree tree = new StackTree(2);
    add(tree, 0, 3, "main", "f");
    add(tree, 0, 4, "gone");
    add(tree, 1, 5, "main");
    add(tree, 1, 6, "main", "f");
    tree.settle();
    String page = page(tree, 0, 1);
    assertEquals(Map.of("all", 11L, "all;main", 11L, "all;main;f", 6L), frames(page));
    assertTrue(page.contains("\nothers = [\n7,3,3,\n];\n"), page);
    assertTrue(
        page.contains(
            " data-total=\"11\" data-decimals=\"0\" data-other=\"7\" data-side=\"after\""),
        page);
    String swapped = page(tree, 0, 0);
    assertEquals(
        Map.of("all", 7L, "all;main", 3L, "all;main;f", 3L, "all;gone", 4L), frames(swapped));
    assertTrue(swapped.contains("\nothers = [\n11,0,11,6,\n];\n"), swapped);
    assertTrue(swapped.contains(" data-side=\"before\""), swapped);
  }

  @Test
  void aProfileOfNothingIsAPage() {
    StackTree tree = new StackTree(1);
    tree.settle();
    assertEquals(Map.of("all", 0L), frames(page(tree, 0.01, 0)));
  }
}
