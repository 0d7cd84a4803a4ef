package io.ntrail.live.target;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.x64.X64Architecture;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The processor architectures whose programs can be traced: the only place that knows them by name.
 */
final class Architectures {
  private static final List<Architecture> ALL = List.of(new X64Architecture());

  /** Names of all, for messages. */
  private static final String NAMES =
      ALL.stream().map(Architecture::name).collect(Collectors.joining(" or "));

  private Architectures() {}

  /** Returns all architectures. */
  static List<Architecture> all() {
    return ALL;
  }

  /** Returns the architecture of a machine type; empty if its programs cannot be traced. */
  static Optional<Architecture> of(int machine) {
    return ALL.stream().filter(architecture -> architecture.machine() == machine).findFirst();
  }

  /**
   * Checks the machine type that the system reports for a process.
   *
   * @param emulated machine type that a subsystem emulates for it; 0 if it runs natively
   * @param host machine type of the system
   * @throws CannotGoOn if its programs cannot be traced, or not there
   */
  static void check(String what, int emulated, int host) {
    if (emulated != 0 && of(emulated).isEmpty()) {
      throw unsupported(what, emulated);
    }
    if (of(host).isEmpty()) {
      throw CannotGoOn.impossible(
          "%s runs on %s, which only emulates %s".formatted(what, MachineType.text(host), NAMES),
          "trace it on an x64 machine");
    }
  }

  /** Returns the error that the programs of a machine type cannot be traced. */
  static CannotGoOn unsupported(String what, int machine) {
    return CannotGoOn.impossible(
        "%s is not an %s program (%s)".formatted(what, NAMES, MachineType.text(machine)),
        "only " + NAMES + " programs can be traced; use a 64-bit build");
  }
}
