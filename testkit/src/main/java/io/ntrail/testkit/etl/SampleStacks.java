package io.ntrail.testkit.etl;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Stacks of the sample recording: texts of a weight, a colon and function names outermost first,
 * separated by blanks.
 */
final class SampleStacks {
  private final SplittableRandom random;

  /** The caller's source of randomness is shared: every draw changes what it draws next. */
  SampleStacks(SplittableRandom random) {
    this.random = random;
  }

  /** Returns one of some stacks, more often one with a larger weight. */
  String pick(List<String> weighted) {
    int total = weighted.stream().mapToInt(SampleStacks::weight).sum();
    int dice = random.nextInt(total);
    for (String stack : weighted) {
      dice -= weight(stack);
      if (dice < 0) {
        return stack;
      }
    }
    throw new IllegalStateException("weights");
  }

  private static int weight(String stack) {
    return Integer.parseInt(stack, 0, stack.indexOf(':'), 10);
  }

  /**
   * Returns the addresses of a stack innermost first: a return address has its fixed place, the
   * innermost moves.
   */
  long[] frames(String stack) {
    String[] names =
        stack.substring(stack.indexOf(':', 0, Math.min(4, stack.length())) + 1).split(" ", -1);
    long[] out = new long[names.length];
    for (int i = 0; i < names.length; i++) {
      int offset = i == names.length - 1 ? 4 * (1 + random.nextInt(20)) : 0x14 + names[i].length();
      out[names.length - 1 - i] = SampleMachine.address(names[i], offset);
    }
    return out;
  }
}
