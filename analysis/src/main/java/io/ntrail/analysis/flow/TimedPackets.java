package io.ntrail.analysis.flow;

import io.ntrail.formats.pt.PacketType;

/** Packets that tell of branches and that a CYC before them times. */
final class TimedPackets {
  private boolean isTimed;

  /** Takes each packet; returns true for a branch that was timed. */
  boolean take(PacketType type) {
    switch (type) {
      case CYC -> isTimed = true;
      // Parts of a stream begin there, without what is before.
      case PSB -> isTimed = false;
      case TNT8, TNT64, TIP, TIP_PGE, TIP_PGD -> {
        boolean was = isTimed;
        isTimed = false;
        return was;
      }
      default -> {
        // Not a branch.
      }
    }
    return false;
  }
}
