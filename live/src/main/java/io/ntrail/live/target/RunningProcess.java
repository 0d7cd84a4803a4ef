package io.ntrail.live.target;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.windows.WindowsApi;
import java.util.List;
import java.util.stream.Collectors;

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
  private static final int MAX_NAMED = 12;

  /** Copies the list. */
  public RunningProcess {
    threads = List.copyOf(threads);
  }

  /**
   * Identity of a process as long as the system runs: ids are used again.
   *
   * @param created when it began, FILETIME
   */
  public record Identity(int pid, long created) {}

  /** Returns what no other process has. */
  public Identity identity() {
    return new Identity(pid, created);
  }

  /** Lists the processes. */
  public static List<RunningProcess> all(WindowsApi calls) {
    try (SystemProcesses processes = new SystemProcesses(calls)) {
      return processes.list();
    }
  }

  /**
   * Returns the process that a user means.
   *
   * @param which its id, or the name of its program's file with or without {@code .exe}
   * @throws CannotGoOn if there is none, or not one alone
   */
  public static RunningProcess named(WindowsApi calls, String which) {
    List<RunningProcess> all = all(calls);
    List<RunningProcess> meant =
        all.stream()
            .filter(one ->
                which.equals(Integer.toString(one.pid()))
                    || one.name().equalsIgnoreCase(which)
                    || one.name().equalsIgnoreCase(which + ".exe"))
            .toList();
    if (meant.size() == 1) {
      return meant.getFirst();
    }
    String others =
        (meant.isEmpty() ? all : meant)
            .stream()
                .filter(one -> !one.name().isEmpty())
                .limit(MAX_NAMED)
                .map(one -> "%s (%d)".formatted(one.name(), one.pid()))
                .collect(Collectors.joining(", "));
    throw meant.isEmpty()
        ? new CannotGoOn(
            which.chars().allMatch(Character::isDigit)
                ? "no process with id " + which
                : "no process named " + which,
            "one of these: " + others)
        : new CannotGoOn(
            "%d processes are named %s: %s".formatted(meant.size(), which, others),
            "-p " + meant.getFirst().pid());
  }
}
