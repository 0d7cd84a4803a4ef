package io.ntrail.cli.stacks;

import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.analysis.stacks.SnapshotStacks;
import io.ntrail.analysis.stacks.SnapshotThread;
import io.ntrail.analysis.stacks.ThreadStack;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Stacks of a process at one instant as they are answered: those that are shown, walked and named.
 *
 * @param facts what is told beside them
 * @param stacks that walk and name
 * @param nativeSide the 64-bit side of a 32-bit process; empty unless it is asked for
 * @param threads which are shown
 * @param shown their stacks
 * @param nativeStacks of the same threads on the 64-bit side, by thread id
 */
record SnapshotAnswer(
    SnapshotFacts facts,
    SnapshotStacks stacks,
    Optional<SnapshotStacks> nativeSide,
    ThreadChoice threads,
    List<ThreadStack> shown,
    Map<Long, ThreadStack> nativeStacks) {
  /** Walks and names the stacks that are shown. */
  static SnapshotAnswer of(
      SnapshotFacts facts,
      SnapshotStacks stacks,
      Optional<SnapshotStacks> nativeSide,
      ThreadChoice threads,
      SnapshotRequest request) {
    List<ThreadStack> shown = new ArrayList<>();
    for (SnapshotThread thread : threads.shown()) {
      ThreadStack stack = stacks.stack(thread);
      shown.add(request.hasInline() ? stack : stack.withoutInlined());
    }
    Map<Long, ThreadStack> nativeStacks = new HashMap<>();
    nativeSide.ifPresent(side -> {
      Set<Long> ids = new HashSet<>();
      threads.shown().forEach(thread -> ids.add(thread.tid()));
      for (SnapshotThread thread : side.process().threads()) {
        if (ids.contains(thread.tid())) {
          nativeStacks.put(thread.tid(), side.stack(thread));
        }
      }
    });
    return new SnapshotAnswer(facts, stacks, nativeSide, threads, shown, nativeStacks);
  }

  /** Returns the fault if it is that of a thread. */
  Optional<SnapshotFacts.Fault> faultOf(ThreadStack stack) {
    return facts.fault().filter(fault -> fault.tid() == stack.thread().tid());
  }

  /** Returns the groups that are shown: equal stacks together, or each alone. */
  List<StackGroup<ThreadStack>> groups(boolean together) {
    List<StackGroup<ThreadStack>> groups = StackGroup.of(shown, ThreadStack::frames, together);
    List<StackGroup<ThreadStack>> ordered = new ArrayList<>(groups);
    // The thread that stopped comes first, whatever it shares its stack with.
    ordered.sort(
        Comparator.comparing(
            group -> group.members().stream().noneMatch(stack -> stack.thread().isFaulting())));
    return ordered;
  }

  /** Returns the function that has the code where a fault happened. */
  NamedFrame place(SnapshotFacts.Fault fault) {
    return stacks.at(fault.address());
  }
}
