package io.ntrail.cli.stacks;

import io.ntrail.analysis.model.StoppableWork;
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
  /**
   * Walks and names the stacks that are shown.
   *
   * @param work is told of each, and may leave out the rest
   */
  static SnapshotAnswer of(
      SnapshotFacts facts,
      SnapshotStacks stacks,
      Optional<SnapshotStacks> nativeSide,
      ThreadChoice threads,
      SnapshotRequest request,
      StoppableWork<?> work) {
    List<ThreadStack> shown = new ArrayList<>();
    for (SnapshotThread thread : threads.shown()) {
      // The first one is the answer: it is walked anyway.
      if (!shown.isEmpty() && work.isStopping()) {
        work.stopped();
        break;
      }
      ThreadStack stack = stacks.stack(thread);
      shown.add(request.hasInline() ? stack : stack.withoutInlined());
      work.done(1);
    }
    ThreadChoice walked = threads.walked(shown.size());
    Map<Long, ThreadStack> nativeStacks = new HashMap<>();
    nativeSide.ifPresent(side -> {
      Set<Long> ids = new HashSet<>();
      walked.shown().forEach(thread -> ids.add(thread.tid()));
      for (SnapshotThread thread : side.process().threads()) {
        if (ids.contains(thread.tid())) {
          nativeStacks.put(thread.tid(), side.stack(thread));
        }
      }
    });
    return new SnapshotAnswer(facts, stacks, nativeSide, walked, shown, nativeStacks);
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
