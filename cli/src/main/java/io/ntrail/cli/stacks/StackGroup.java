package io.ntrail.cli.stacks;

import io.ntrail.analysis.stacks.NamedFrame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Threads with the same stack: the same addresses, whatever their stack pointers.
 *
 * @param <S> a thread with its stack
 * @param members the threads, in their order; at least one
 * @param frames of the first one
 */
record StackGroup<S>(List<S> members, List<NamedFrame> frames) {
  private record Place(long ip, boolean isInlined, String text) {}

  /**
   * Groups stacks.
   *
   * @param together whether equal ones are one group, the largest first; else each is a group of
   *     its own, in the order of the stacks
   */
  static <S> List<StackGroup<S>> of(
      List<S> stacks, Function<S, List<NamedFrame>> frames, boolean together) {
    Map<Object, List<S>> groups = new LinkedHashMap<>();
    for (S stack : stacks) {
      Object key =
          together
              ? frames.apply(stack).stream()
                  .map(frame -> new Place(frame.ip(), frame.isInlined(), frame.text()))
                  .toList()
              : groups.size();
      groups.computeIfAbsent(key, _ -> new ArrayList<>()).add(stack);
    }
    List<StackGroup<S>> result = new ArrayList<>();
    groups
        .values()
        .forEach(
            members -> result.add(new StackGroup<>(members, frames.apply(members.getFirst()))));
    if (together) {
      result.sort(
          Comparator.comparingInt((StackGroup<S> group) -> group.members().size()).reversed());
    }
    return result;
  }
}
