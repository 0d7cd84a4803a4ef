package io.ntrail.live.target;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.ia32.Ia32Architecture;
import io.ntrail.live.code.x64.X64Architecture;
import io.ntrail.live.windows.ProcessMachines;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The processor architectures whose programs can be traced: the only place that knows them by name.
 */
final class Architectures {
  private static final List<Architecture> ALL =
      List.of(new X64Architecture(), new Ia32Architecture());

  /** Names of all, for messages. */
  private static final String NAMES =
      ALL.stream().map(Architecture::name).collect(Collectors.joining(" or "));

  private Architectures() {}

  /** Returns all architectures. */
  static List<Architecture> all() {
    return ALL;
  }

  /** Returns the architecture of most programs. */
  static Architecture usual() {
    return ALL.getFirst();
  }

  /** Returns the architecture of programs of 32 bits, whatever system they run on. */
  static Architecture ofPrograms32() {
    return of(MachineType.I386).orElseThrow();
  }

  /** Returns the architecture of a machine type; empty if its programs cannot be traced. */
  static Optional<Architecture> of(int machine) {
    return ALL.stream().filter(architecture -> architecture.machine() == machine).findFirst();
  }

  /**
   * Checks the machine type that the system reports for a process.
   *
   * @param machines of the process and of its system
   * @param agent machine type of the agent beside it, whose calls are to go into the process
   * @throws CannotGoOn if its programs cannot be traced, or not there, or not with this agent
   */
  static void check(String what, ProcessMachines machines, int agent) {
    if (of(machines.host()).isEmpty()) {
      throw CannotGoOn.impossible(
          "%s runs on %s, which only emulates %s"
              .formatted(what, MachineType.text(machines.host()), NAMES),
          "trace it on an x64 machine");
    }
    checked(what, machines.emulated() == 0 ? machines.host() : machines.emulated(), agent);
  }

  /**
   * Returns the architecture of a program.
   *
   * @param machine its machine type
   * @param agent machine type of the agent beside it
   * @throws CannotGoOn if there is none, or if the agent is of another one
   */
  static Architecture checked(String what, int machine, int agent) {
    if (machine != agent) {
      throw CannotGoOn.impossible(
          "%s is not an %s program (%s)"
              .formatted(what, MachineType.text(agent), MachineType.text(machine)),
          of(machine).isPresent()
              ? "trace it by itself, from its start or with -p"
              : "only " + NAMES + " programs can be traced; use a 64-bit build");
    }
    return of(machine)
        .orElseThrow(() -> new IllegalStateException("an agent for " + MachineType.text(machine)));
  }
}
