package io.ntrail.live.windows;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.CallOutcome;
import java.util.Optional;

/**
 * Machine types of a process, as the system reports them.
 *
 * @param emulated of the subsystem that it runs in; 0 if it runs natively
 * @param host of the system
 */
public record ProcessMachines(int emulated, int host) {
  /** Handle that each process has for itself. */
  private static final long OWN = -1;

  private static final ProcessMachines X86_ON_X64 =
      new ProcessMachines(MachineType.I386, MachineType.AMD64);

  /**
   * Asks the system; empty if it does not say.
   *
   * @param process a handle of the agent
   */
  public static Optional<ProcessMachines> of(WindowsApi calls, long process) {
    long cells = calls.put(0, new BytesBuilder(16).u64(0).u64(0));
    if (calls.find("kernel32!IsWow64Process2") != 0) {
      CallOutcome asked = calls.call("kernel32!IsWow64Process2", process, cells, cells + 8);
      Bytes machines = calls.get(0, 16);
      return asked.isTrue()
          ? Optional.of(new ProcessMachines(machines.u16(0), machines.u16(8)))
          : Optional.empty();
    }
    CallOutcome asked = calls.call("kernel32!IsWow64Process", process, cells);
    return asked.isTrue() && calls.get(0, 4).u32(0) != 0
        ? Optional.of(X86_ON_X64)
        : Optional.empty();
  }

  /**
   * Returns the machine type of a process's programs.
   *
   * @param process a handle of the agent
   */
  public static int machine(WindowsApi calls, long process) {
    return of(calls, process)
        .map(its -> its.emulated == 0 ? its.host : its.emulated)
        // A system that tells of emulated processes alone: the others are of its own type, which is
        // that of an agent unless that is emulated.
        .or(() -> of(calls, OWN).map(ProcessMachines::host))
        .orElse(calls.agent().machine());
  }

  /** Returns whether it is a 32-bit process on a 64-bit system, for Intel both. */
  public boolean isX86OnX64() {
    return equals(X86_ON_X64);
  }
}
