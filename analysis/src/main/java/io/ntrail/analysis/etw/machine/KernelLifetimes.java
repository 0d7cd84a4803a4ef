package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.naming.Lifetimes;
import io.ntrail.formats.etl.KernelEvent.Life;

/** Notes about lives that the kernel's events of processes, threads and images make. */
final class KernelLifetimes {
  private KernelLifetimes() {}

  /**
   * Returns the kind of note that an event makes.
   *
   * @param type of its hook id
   * @return -1 if it is not a lifetime event
   */
  static byte kind(int type) {
    return switch (type) {
      case Life.START -> Lifetimes.START;
      case Life.END -> Lifetimes.END;
      case Life.DC_START -> Lifetimes.RUNDOWN_START;
      case Life.DC_END -> Lifetimes.RUNDOWN_END;
      case Life.DEFUNCT -> Lifetimes.DEFUNCT;
      default -> -1;
    };
  }
}
