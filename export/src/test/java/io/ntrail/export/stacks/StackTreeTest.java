package io.ntrail.export.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.testkit.Property;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Stacks by names: what is the same is one node, and sums are those of all below. */
class StackTreeTest {
  private static int node(StackTree tree, String... names) {
    int node = 0;
    for (String name : names) {
      node = tree.child(node, name, FrameKind.NATIVE);
    }
    return node;
  }

  private static void add(StackTree tree, int column, long weight, String... names) {
    tree.add(node(tree, names), column, weight);
  }

  @Test
  void framesOfOneNameBelowTheSameAreOne() {
    StackTree tree = new StackTree(1);
    assertEquals(node(tree, "a", "b"), node(tree, "a", "b"));
    assertFalse(node(tree, "a", "b") == node(tree, "b", "b"));
    assertEquals(5, tree.size(), "all, a, a;b, b, b;b");
  }

  @Test
  void everythingBelowANodeIsPartOfIt() {
    StackTree tree = new StackTree(2);
    add(tree, 0, 3, "a", "b");
    add(tree, 1, 4, "a", "c");
    add(tree, 0, 1, "a");
    tree.settle();
    assertEquals(4, tree.inclusive(0, node(tree, "a")));
    assertEquals(4, tree.inclusive(1, node(tree, "a")));
    assertEquals(1, tree.self(0, node(tree, "a")));
    assertEquals(4, tree.total(0));
    assertEquals(3, tree.stacks());
  }

  @Test
  void aStackOfNoWeightIsAStack() {
    StackTree tree = new StackTree(1);
    add(tree, 0, 0, "a", "b");
    assertTrue(tree.isStack(node(tree, "a", "b")));
    assertFalse(tree.isStack(node(tree, "a")));
  }

  @Test
  void normalizedWeightsAreRoundedDownOneByOne() {
    StackTree tree = new StackTree(2);
    add(tree, 0, 2, "a");
    add(tree, 0, 1, "b");
    add(tree, 1, 4, "a");
    tree.settle();
    tree.normalize();
    assertEquals(2, tree.self(0, node(tree, "a")), "2 * 4 / 3");
    assertEquals(1, tree.self(0, node(tree, "b")), "1 * 4 / 3");
    assertEquals(3, tree.total(0));
    assertEquals(4, tree.total(1));
  }

  @Test
  void normalizingDoesNotOverflow() {
    StackTree tree = new StackTree(2);
    add(tree, 0, 1L << 61, "a");
    add(tree, 0, 1L << 61, "b");
    add(tree, 1, 1L << 40, "a");
    tree.settle();
    tree.normalize();
    assertEquals(1L << 39, tree.self(0, node(tree, "a")));
  }

  @Test
  void aSumThatDoesNotFitIsRefused() {
    StackTree tree = new StackTree(1);
    add(tree, 0, Long.MAX_VALUE, "a");
    assertThrows(ArithmeticException.class, () -> add(tree, 0, 1, "b"));
    tree.settle();
    assertEquals(Long.MAX_VALUE, tree.total(0), "what was refused left nothing behind");
  }

  @Test
  void aFunctionThatCallsItselfCountsOnce() {
    StackTree tree = new StackTree(1);
    add(tree, 0, 5, "a", "b", "a");
    add(tree, 0, 2, "a", "b", "a", "b");
    add(tree, 0, 1, "b");
    tree.settle();
    Map<String, FlatStacks.Row> rows = new HashMap<>();
    FlatStacks.of(tree, 0, name -> name).forEach(row -> rows.put(row.name(), row));
    assertEquals(new FlatStacks.Row("a", 5, 7), rows.get("a"));
    assertEquals(new FlatStacks.Row("b", 3, 8), rows.get("b"));
  }

  @Test
  void processesAreNotFunctions() {
    StackTree tree = new StackTree(1);
    int process = tree.child(0, "shopd.exe (4312)", FrameKind.PROCESS);
    tree.add(process, 0, 2);
    tree.add(tree.child(process, "a", FrameKind.NATIVE), 0, 3);
    tree.settle();
    List<FlatStacks.Row> rows = FlatStacks.of(tree, 0, name -> name);
    assertEquals(
        List.of(new FlatStacks.Row("a", 3, 3), new FlatStacks.Row(FlatStacks.NO_STACK, 2, 2)),
        rows);
  }

  /** A stack's functions are looked for one by one here. */
  @Test
  void rowsAreTheSumsOfTheStacksThatTheyAreIn() {
    Property.check(g -> {
      StackTree tree = new StackTree(1);
      Map<String, Long> self = new HashMap<>();
      Map<String, Long> inclusive = new HashMap<>();
      for (List<String> stack :
          g.list(20, each -> each.list(8, name -> name.oneOf("a", "b", "c", "d")))) {
        if (stack.isEmpty()) {
          continue;
        }
        long weight = g.below(5);
        add(tree, 0, weight, stack.toArray(String[]::new));
        self.merge(stack.getLast(), weight, Long::sum);
        stack.stream().distinct().forEach(name -> inclusive.merge(name, weight, Long::sum));
      }
      inclusive.values().removeIf(weight -> weight == 0);
      tree.settle();
      Map<String, Long> found = new HashMap<>();
      for (FlatStacks.Row row : FlatStacks.of(tree, 0, name -> name)) {
        found.put(row.name(), row.inclusive());
        assertEquals(self.getOrDefault(row.name(), 0L), row.self());
      }
      assertEquals(inclusive, found);
    });
  }
}
