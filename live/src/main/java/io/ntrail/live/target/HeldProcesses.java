package io.ntrail.live.target;

import io.ntrail.live.windows.WindowsApi;
import java.util.HashSet;
import java.util.Set;

/**
 * Processes that were created suspended and not resumed yet, as far as searches saw them. A process
 * that ends in this state has run no code.
 */
public final class HeldProcesses {
  private final Set<RunningProcess.Identity> held = new HashSet<>();

  /** Begins with none. */
  public HeldProcesses() {}

  /**
   * Returns whether a process runs or may have run. One that is seen here held and later ended
   * counts as never resumed: whoever looks is told of each resumption by a traced creator.
   *
   * @param calls of an agent that fits the process
   */
  public boolean mayRun(WindowsApi calls, RunningProcess process) {
    return switch (TargetProcess.start(calls, process)) {
      case HELD -> {
        held.add(process.identity());
        yield false;
      }
      case BEGUN -> {
        held.remove(process.identity());
        yield true;
      }
      case ENDED -> !held.contains(process.identity());
    };
  }
}
