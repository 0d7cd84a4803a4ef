package io.ntrail.programs.patchability;

import java.util.List;
import java.util.stream.IntStream;

/** Work on numbered items, in stretches of them on all cores. */
final class ParallelParts {
  /** Items below which other threads do not pay. */
  private static final int MANY = 256;

  private static final int PER_THREAD = 4;

  private ParallelParts() {}

  /** Work on a stretch of the items. */
  @FunctionalInterface
  interface Part<T> {
    /** Does it for the items {@code from} up to, but not including, {@code to}. */
    T of(int from, int to);
  }

  /** Returns true if there are enough items, and cores, for more than one stretch. */
  static boolean arePaying(int items) {
    return items >= MANY && Runtime.getRuntime().availableProcessors() > 1;
  }

  /** Returns what comes of each stretch, in their order. */
  static <T> List<T> of(int items, Part<T> work) {
    if (!arePaying(items)) {
      return List.of(work.of(0, items));
    }
    int parts = Runtime.getRuntime().availableProcessors() * PER_THREAD;
    return IntStream.range(0, parts)
        .parallel()
        .mapToObj(part -> work.of(start(items, part, parts), start(items, part + 1, parts)))
        .toList();
  }

  private static int start(int items, int part, int parts) {
    return (int) ((long) items * part / parts);
  }
}
