package io.ntrail.analysis.etw.weights;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.FrameRules;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.profile.CallTree;
import io.ntrail.analysis.profile.CallTree.Direction;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.analysis.profile.WeightedStack;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.etl.BigProfile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Call trees against maps of whole paths, which know neither parts of stacks nor sorting. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallTreeTest {
  private static final int MANY = 1 << 22;
  private static final Profiler.Request REQUEST =
      new Profiler.Request(CpuSamples.TIMER, WeightUnit.SAMPLES, Variant.ONLY, ProfileScope.ALL);

  /** A rule that means nothing: where there are rules, stacks are not taken by parts. */
  private static final FrameRules BY_FRAME =
      new FrameRules(true, false, false, List.of(), List.of(NamePattern.of("no!such")));

  @SuppressWarnings("NullAway.Init") // Set by survey().
  private EtwRecording recording;

  @SuppressWarnings("NullAway.Init") // Set by survey().
  private ProfileInput input;

  @BeforeAll
  void survey(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("samples.etl");
    BigProfile.write(file, 1_500_000, 1_000, 31);
    recording = EtwRecording.of(List.of(InputFile.copy(file, "samples.etl")));
    input = ProfileInput.of(recording, new SchemaSources(UserSchemas.NONE), 1, false);
  }

  @AfterAll
  void close() {
    recording.close();
  }

  /** One node: its number, that of the one above, its label, its weights. */
  private record Node(long id, long above, String label, long self, long inclusive) {}

  /** Nodes in the order in which stacks go through them for the first time, found by a map. */
  private static final class Paths {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<Node> all = new ArrayList<>();
    private final Direction direction;
    private final boolean byModule;
    private final FunctionIndex functions;

    Paths(Direction direction, boolean byModule, FunctionIndex functions) {
      this.direction = direction;
      this.byModule = byModule;
      this.functions = functions;
      all.add(new Node(0, 0, "all", 0, 0));
    }

    void add(WeightedStack stack, String process) {
      List<String> path = new ArrayList<>();
      for (int i = 0; i < stack.count(); i++) {
        path.add(text(stack.function(i)));
      }
      if (direction == Direction.TOP_DOWN) {
        path = new ArrayList<>(path.reversed());
        path.addFirst(process);
      } else if (path.isEmpty()) {
        path.add(text(FunctionIndex.NO_STACK_FUNCTION));
      }
      int node = 0;
      String last = "";
      go(node, 0, stack.weight());
      for (String label : path) {
        if (!label.equals(last)) {
          int above = node;
          node = numbers.computeIfAbsent(above + " " + label, _ -> all.size());
          if (node == all.size()) {
            all.add(new Node(node, above, label, 0, 0));
          }
          go(node, 0, stack.weight());
          last = label;
        }
      }
      go(node, stack.weight(), 0);
    }

    private void go(int id, long self, long through) {
      Node node = all.get(id);
      all.set(id, new Node(id, node.above, node.label, node.self + self, node.inclusive + through));
    }

    private String text(int function) {
      int label = byModule ? functions.module(function) : function;
      return label + " " + (byModule ? functions.moduleName(label) : functions.text(label));
    }

    /** Returns the root and the nodes of at least that weight. */
    List<Node> nodes(long least) {
      return all.stream().filter(node -> node.id == 0 || node.inclusive >= least).toList();
    }
  }

  private static List<Node> nodes(CallTree tree) {
    List<Node> nodes = new ArrayList<>();
    for (int node = 0; node < tree.size(); node++) {
      boolean isNumbered = node > 0 && !tree.isProcess(node);
      nodes.add(
          new Node(
              tree.id(node),
              tree.id(tree.parent(node)),
              (isNumbered ? tree.label(node) + " " : "") + tree.text(node),
              tree.self(node),
              tree.inclusive(node)));
    }
    return nodes;
  }

  /** A tree, and the same by whole paths. */
  private record Pair(CallTree tree, Paths paths, long total) {}

  private Pair add(
      Direction direction, boolean byModule, FrameRules rules, int mostNodes, int mostPaths) {
    Profiler profiler = new Profiler(input, REQUEST, null, rules);
    FunctionIndex functions = profiler.functions();
    CallTree tree =
        new CallTree(input.machine(), functions, direction, byModule, mostNodes, mostPaths);
    Paths paths = new Paths(direction, byModule, functions);
    profiler.run(stack -> {
      tree.add(stack);
      int number = input.machine().processNumber(stack.process(), stack.key());
      String name = input.machine().processName(number, stack.process());
      paths.add(stack, (name == null ? "(unknown)" : name) + " (" + stack.process() + ")");
    });
    return new Pair(tree, paths, profiler.total());
  }

  private Pair functions(int mostNodes) {
    return add(Direction.TOP_DOWN, false, FrameRules.USUAL, mostNodes, MANY);
  }

  @Test
  void nodesAreThoseOfAllPathsInTheOrderInWhichTheyAreMet() {
    for (FrameRules rules : List.of(FrameRules.USUAL, BY_FRAME)) {
      for (Direction direction : Direction.values()) {
        for (boolean byModule : new boolean[] {false, true}) {
          Pair pair = add(direction, byModule, rules, MANY, MANY);
          pair.tree.settle();
          assertEquals(pair.paths.nodes(1), nodes(pair.tree), direction + " " + byModule);
          assertEquals(pair.paths.all.size() - 1, pair.tree.weighty());
          assertEquals(0, pair.tree.cut());
        }
      }
    }
  }

  @Test
  void lightNodesThatNobodyAsksForAreCountedOnly() {
    for (long least : new long[] {2, 40, 300, 1L << 40}) {
      Pair pair = functions(MANY);
      pair.tree.settle(least, 1);
      assertEquals(pair.paths.nodes(least), nodes(pair.tree));
      assertEquals(pair.paths.all.size() - 1, pair.tree.weighty());
      assertEquals(0, pair.tree.cut());
    }
  }

  @Test
  void theHeaviestNodesAreKeptWhereThereIsNoRoomForAll() {
    int all = functions(MANY).paths.all.size();
    for (int most : new int[] {2, 3, 100, 17_000, all - 2, all - 1}) {
      Pair pair = functions(most);
      pair.tree.settle();
      assertKept(pair, most);
    }
  }

  @Test
  void allNodesAreKeptWhereThereIsJustRoomForThem() {
    int all = functions(MANY).paths.all.size();
    Pair pair = functions(all);
    pair.tree.settle();
    assertEquals(pair.paths.nodes(1), nodes(pair.tree));
    assertEquals(0, pair.tree.cut());
  }

  /** Nodes that are not there weigh where they would hang, and less than twice the lightest. */
  private static void assertKept(Pair pair, int most) {
    CallTree tree = pair.tree;
    List<Node> all = pair.paths.all;
    long[] below = new long[tree.size()];
    BitSet kept = new BitSet();
    long lightest = pair.total;
    for (int node = 0; node < tree.size(); node++) {
      kept.set((int) tree.id(node));
      below[tree.parent(node)] += node == 0 ? 0 : tree.inclusive(node);
      lightest = Math.min(lightest, tree.inclusive(node));
    }
    long cut = 0;
    List<Node> found = nodes(tree);
    for (int node = 0; node < tree.size(); node++) {
      Node is = found.get(node);
      Node truth = all.get((int) is.id);
      assertEquals(truth.above + truth.label, is.above + is.label);
      assertEquals(truth.inclusive, is.inclusive);
      assertEquals(is.inclusive - below[node], is.self);
      cut += is.self - truth.self;
    }
    assertTrue(tree.size() <= most);
    assertTrue(tree.size() > most / 2, tree.size() + " of " + most);
    for (Node node : all) {
      assertTrue(kept.get((int) node.id) || node.inclusive < 2 * lightest, node.toString());
    }
    assertEquals(all.size() - 1, tree.weighty());
    assertTrue(cut > 0);
    assertEquals(cut, tree.cut());
  }

  @Test
  void pathsThatAreTooManyAreFoldedIntoNodesUntilTheseAre() {
    // Room for some hundred paths at a time, and for a thousand nodes.
    for (boolean byModule : new boolean[] {false, true}) {
      for (Direction direction : Direction.values()) {
        Pair pair = add(direction, byModule, FrameRules.USUAL, 1_100, 300);
        pair.tree.settle();
        assertTrue(pair.tree.cut() > 0 && pair.tree.size() > 1_000);
        assertEquals(pair.total, pair.tree.inclusive(0));
        List<Node> all = pair.paths.all;
        // What was met first has its number, and weighs what goes through it.
        for (Node node : nodes(pair.tree).subList(0, 100)) {
          Node same = all.get((int) node.id);
          assertEquals(same.above + same.label, node.above + node.label);
          assertEquals(same.inclusive, node.inclusive);
        }
      }
    }
  }

  @Test
  void foldedPathsWeighWhatTheirNodesDo() {
    // Few nodes for each path: room for all of them, and for 3,000 paths.
    for (FrameRules rules : List.of(FrameRules.USUAL, BY_FRAME)) {
      Pair pair = add(Direction.TOP_DOWN, true, rules, 12_000, 3_000);
      assertTrue(pair.paths.all.stream().filter(node -> node.self > 0).count() > 3_000);
      pair.tree.settle();
      assertEquals(0, pair.tree.cut());
      assertEquals(pair.paths.nodes(1), nodes(pair.tree));
    }
  }
}
