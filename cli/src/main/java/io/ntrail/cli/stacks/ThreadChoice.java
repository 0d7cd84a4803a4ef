package io.ntrail.cli.stacks;

import io.ntrail.analysis.stacks.SnapshotThread;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Threads whose stacks are shown, and the others.
 *
 * @param shown the faulting one first
 * @param others those that are counted
 */
record ThreadChoice(List<SnapshotThread> shown, List<SnapshotThread> others) {
  /**
   * Chooses threads: those that are asked for; else the faulting one; else, where no thread is at
   * fault, the first one.
   *
   * @param gaps what could not be read, and may list further threads
   * @throws CannotGoOn if none is meant
   */
  static ThreadChoice of(List<SnapshotThread> threads, SnapshotRequest request, List<Gap> gaps) {
    List<SnapshotThread> shown;
    if (!request.threads().isEmpty()) {
      shown = threads.stream().filter(request::isMeant).toList();
      if (shown.isEmpty()) {
        throw CannotGoOn.notFound(
            "no thread of " + request.name() + " matches " + request.threads().getFirst(),
            gaps,
            request.command() + " --all");
      }
    } else if (request.isAll()) {
      shown = threads;
    } else {
      List<SnapshotThread> faulting = threads.stream().filter(SnapshotThread::isFaulting).toList();
      shown = faulting.isEmpty() ? threads.stream().limit(1).toList() : faulting;
    }
    Set<SnapshotThread> chosen = Collections.newSetFromMap(new IdentityHashMap<>());
    chosen.addAll(shown);
    return new ThreadChoice(
        shown, threads.stream().filter(thread -> !chosen.contains(thread)).toList());
  }

  /** Returns the choice of which only the first so many are shown; the rest is counted. */
  ThreadChoice walked(int count) {
    List<SnapshotThread> rest = new ArrayList<>(shown.subList(count, shown.size()));
    rest.addAll(others);
    return new ThreadChoice(shown.subList(0, count), rest);
  }
}
