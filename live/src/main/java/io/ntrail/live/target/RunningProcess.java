package io.ntrail.live.target;

import java.util.List;

/**
 * Process of the target's system.
 *
 * @param pid the system's id
 * @param parent id of the process that started it; that one may be gone, and its id another's
 * @param created when it began, FILETIME
 * @param name of its program's file; empty if the system does not say
 * @param threads that it had
 */
public record RunningProcess(
    int pid, int parent, long created, String name, List<TargetThread> threads) {
  /** Copies the list. */
  public RunningProcess {
    threads = List.copyOf(threads);
  }

  /** Lists the processes. */
  public static List<RunningProcess> all(WindowsApi calls) {
    try (SystemProcesses processes = new SystemProcesses(calls)) {
      return processes.list();
    }
  }
}
