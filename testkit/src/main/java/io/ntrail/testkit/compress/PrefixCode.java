package io.ntrail.testkit.compress;

import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Canonical Huffman codes: lengths from frequencies, codes from lengths. */
final class PrefixCode {
  private record Node(long weight, int order, int symbol, int left, int right) {}

  private PrefixCode() {}

  /** Code lengths; two symbols have one at least, because the codes must fill the space. */
  static int[] lengths(int[] frequency, int longest) {
    int[] weights = frequency.clone();
    for (int symbol = 0; Arrays.stream(weights).filter(w -> w > 0).count() < 2; symbol++) {
      weights[symbol] = Math.max(1, weights[symbol]);
    }
    while (true) {
      int[] lengths = huffman(weights);
      if (Arrays.stream(lengths).max().orElse(0) <= longest) {
        return lengths;
      }
      // Flattening the weights shortens the longest codes; it ends with nearly equal ones.
      for (int i = 0; i < weights.length; i++) {
        weights[i] = weights[i] == 0 ? 0 : weights[i] / 2 + 1;
      }
    }
  }

  private static int[] huffman(int[] weights) {
    Node[] nodes = new Node[2 * weights.length];
    int made = 0;
    PriorityQueue<Node> queue =
        new PriorityQueue<>(Comparator.comparingLong(Node::weight).thenComparingInt(Node::order));
    for (int i = 0; i < weights.length; i++) {
      if (weights[i] > 0) {
        nodes[made] = new Node(weights[i], made, i, -1, -1);
        queue.add(nodes[made++]);
      }
    }
    while (queue.size() > 1) {
      Node left = queue.remove();
      Node right = queue.remove();
      nodes[made] = new Node(left.weight + right.weight, made, -1, left.order, right.order);
      queue.add(nodes[made++]);
    }
    int[] depth = new int[made];
    int[] lengths = new int[weights.length];
    for (int i = made - 1; i >= 0; i--) {
      Node node = nodes[i];
      if (node.symbol >= 0) {
        lengths[node.symbol] = depth[i];
      } else {
        depth[node.left] = depth[i] + 1;
        depth[node.right] = depth[i] + 1;
      }
    }
    return lengths;
  }

  /** The codes of symbols: shorter ones first, then in the order of symbols. */
  static int[] codes(int[] lengths) {
    int[] codes = new int[lengths.length];
    int code = 0;
    for (int length = 1; length <= Arrays.stream(lengths).max().orElse(0); length++) {
      code <<= 1;
      for (int symbol = 0; symbol < lengths.length; symbol++) {
        if (lengths[symbol] == length) {
          codes[symbol] = code++;
        }
      }
    }
    return codes;
  }
}
