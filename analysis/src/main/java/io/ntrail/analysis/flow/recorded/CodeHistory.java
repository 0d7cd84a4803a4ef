package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.naming.Images;
import io.ntrail.formats.collections.Search;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongPredicate;

/**
 * Code of each process as time goes on. What it has at a time stays the same until an image of its
 * own or of the kernel comes or goes. Safe for use by several threads.
 */
final class CodeHistory {
  /** Processes in which the kernel's images are recorded. */
  private static final List<Integer> KERNEL = List.of(0, 4);

  /** Spaces that are kept, about 100 bytes an image. */
  private static final int MOST = 256;

  /**
   * Times between which nothing changes.
   *
   * @param own number of changes of the process before
   * @param kernel number of changes of the kernel before
   */
  private record State(int process, int own, int kernel) {}

  private final Machine machine;
  private final LongPredicate isKernel;
  private final CodeSource source;
  private final Map<Integer, List<Images.Load>> byProcess = new HashMap<>();
  private final Map<Integer, long[]> changes = new HashMap<>();
  private final Map<State, ProcessCode> known =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<State, ProcessCode> eldest) {
          return size() > MOST;
        }
      };

  /**
   * Knows the images of a machine.
   *
   * @param isKernel whether an address is of the kernel's half
   */
  CodeHistory(Machine machine, LongPredicate isKernel, CodeSource source) {
    this.machine = machine;
    this.isKernel = isKernel;
    this.source = source;
    for (Images.Load load : machine.images().loads()) {
      byProcess.computeIfAbsent(load.pid(), _ -> new ArrayList<>()).add(load);
    }
    byProcess.forEach((pid, loads) ->
        changes.put(
            pid,
            loads.stream()
                .flatMap(load -> List.of(load.from(), load.to()).stream())
                .mapToLong(Long::longValue)
                .distinct()
                .sorted()
                .toArray()));
  }

  /**
   * Returns the code that a process can run at a time.
   *
   * @param key see {@link io.ntrail.analysis.etw.recording.EtwRecording#key}
   */
  synchronized ProcessCode at(int pid, long key) {
    int kernel = KERNEL.stream().mapToInt(id -> changesBefore(id, key)).sum();
    return known.computeIfAbsent(
        new State(pid, changesBefore(pid, key), kernel), _ -> make(pid, key));
  }

  private int changesBefore(int pid, long key) {
    long[] times = changes.getOrDefault(pid, new long[0]);
    return Search.floor(times, times.length, key) + 1;
  }

  private ProcessCode make(int pid, long key) {
    List<Images.Load> loads = new ArrayList<>();
    for (int owner : KERNEL) {
      add(owner, key, true, loads);
    }
    if (!KERNEL.contains(pid)) {
      // Drivers of a session are listed in its processes.
      add(pid, key, true, loads);
    }
    add(pid, key, false, loads);
    String name = machine.processName(machine.processNumber(pid, key), pid);
    return new ProcessCode(Objects.requireNonNullElse(name, "process " + pid), loads, source);
  }

  private void add(int owner, long key, boolean inKernel, List<Images.Load> to) {
    for (Images.Load load : byProcess.getOrDefault(owner, List.of())) {
      if (load.from() <= key && key < load.to() && isKernel.test(load.base()) == inKernel) {
        to.add(load);
      }
    }
  }
}
