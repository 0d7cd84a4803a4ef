package io.ntrail.analysis.etw.stacks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Stacks that share their outer frames. */
class StackTrieTest {
  private static int add(StackTrie tree, long... frames) {
    LittleEndian bytes = new LittleEndian();
    for (long frame : frames) {
      bytes.u64(frame);
    }
    StackBatch batch = new StackBatch();
    batch.add(0, Bytes.copyOf(bytes.toByteArray(), "stack"), 0, frames.length, 8);
    tree.add(batch);
    return batch.node(0);
  }

  private static long[] frames(StackTrie tree, int stack) {
    StackAddresses frames = new StackAddresses();
    tree.copy(stack, frames);
    return frames.toArray();
  }

  @Test
  void aStackIsGivenBackAsItCame() {
    Property.check(g -> {
      StackTrie tree = new StackTrie();
      List<long[]> stacks = new ArrayList<>();
      List<Integer> nodes = new ArrayList<>();
      for (long n = g.between(0, 60); n > 0; n--) {
        long[] frames = new long[g.below(8)];
        for (int i = 0; i < frames.length; i++) {
          frames[i] = 0x1000L * g.below(4);
        }
        stacks.add(frames);
        nodes.add(add(tree, frames));
      }
      int[] places = tree.settle();
      for (int i = 0; i < stacks.size(); i++) {
        assertArrayEquals(stacks.get(i), frames(tree, places[nodes.get(i)]));
      }
    });
  }

  @Test
  void calleesAreStoredAfterTheirCaller() {
    StackTrie tree = new StackTrie();
    int inner = add(tree, 3, 2, 1);
    int other = add(tree, 9, 8);
    int deeper = add(tree, 4, 3, 2, 1);
    int[] places = tree.settle();
    assertEquals(3, places[inner]);
    assertEquals(4, places[deeper]);
    assertEquals(6, places[other]);
  }

  @Test
  void theSameAddressHasTheSameNumber() {
    StackTrie tree = new StackTrie();
    int one = add(tree, 7, 1);
    int two = add(tree, 1, 7);
    int[] places = tree.settle();
    StackAddresses frames = new StackAddresses();
    tree.copy(places[one], frames);
    tree.copy(places[two], frames);
    frames.setInnermost(5);
    assertEquals(-1, frames.number(0));
    assertEquals(frames.number(1), frames.number(4));
    assertEquals(frames.number(2), frames.number(3));
  }
}
