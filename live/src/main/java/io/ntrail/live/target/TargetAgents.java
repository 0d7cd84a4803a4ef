package io.ntrail.live.target;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.AgentStart;
import io.ntrail.live.windows.ProcessHandles;
import io.ntrail.live.windows.ProcessMachines;
import io.ntrail.live.windows.WindowsApi;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The agents beside a program and its descendants, one for each machine type of these: code of an
 * agent and of its calls fits programs of its own machine type alone. Used by one thread.
 */
public final class TargetAgents implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final AgentHost host;
  private final WindowsApi first;
  private final Map<Integer, WindowsApi> others = new LinkedHashMap<>();
  private final Map<Integer, CannotGoOn> failures = new HashMap<>();

  /**
   * Begins with the agent of the first program.
   *
   * @param host where others are started
   */
  public TargetAgents(AgentHost host, WindowsApi first) {
    this.host = host;
    this.first = first;
  }

  /**
   * Returns the calls of the agent for a process; it is started if it is not there.
   *
   * @return those of the first agent for a process that no agent fits: opening it tells why
   * @throws CannotGoOn if it does not run
   */
  public WindowsApi fitting(RunningProcess process) {
    int machine = machine(process);
    if (machine == first.agent().machine() || Architectures.of(machine).isEmpty()) {
      return first;
    }
    CannotGoOn failed = failures.get(machine);
    if (failed != null) {
      // Each try takes a while, and the system is the same.
      throw failed;
    }
    WindowsApi known = others.get(machine);
    return known != null ? known : start(machine);
  }

  private WindowsApi start(int machine) {
    Agent agent;
    try {
      agent = AgentStart.on(host, machine, PATIENCE);
    } catch (CannotGoOn e) {
      CannotGoOn why =
          CannotGoOn.impossible(
              "this system does not run ntrail's %d-bit agent: %s"
                  .formatted(machine == MachineType.I386 ? Integer.SIZE : Long.SIZE, e.message()),
              "");
      failures.put(machine, why);
      throw why;
    }
    WindowsApi calls = new WindowsApi(agent);
    others.put(machine, calls);
    // Ctrl+C is for the controller and for the programs.
    calls.call("kernel32!SetConsoleCtrlHandler", 0, 1);
    return calls;
  }

  private int machine(RunningProcess process) {
    long opened = ProcessHandles.find(first, process.pid());
    if (opened == 0) {
      return first.agent().machine();
    }
    int machine = ProcessMachines.machine(first, opened);
    first.call("kernel32!CloseHandle", opened);
    return machine;
  }

  /** Ends the agents. */
  @Override
  public void close() {
    try {
      others.values().forEach(other -> other.agent().close());
    } finally {
      first.agent().close();
    }
  }
}
