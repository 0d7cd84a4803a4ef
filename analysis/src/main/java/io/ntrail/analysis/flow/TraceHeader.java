package io.ntrail.analysis.flow;

import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;

/**
 * State that a header tells, from its PSB to its PSBEND, and until it is known whether it counts:
 * if tracing starts right behind it, it was off before, whatever the header says.
 */
final class TraceHeader {
  private boolean isOpen;
  private boolean isPending;
  private long offset;
  private boolean hasIp;
  private long ip;
  private int codeSize = -1;
  private boolean isSpeculative;

  /** Bits of a MODE.TSX behind the header; -1: none. */
  private int waiting = -1;

  /** Begins at a PSB. */
  void begin(long at) {
    isOpen = true;
    isPending = false;
    offset = at;
    hasIp = false;
    codeSize = -1;
    isSpeculative = false;
    waiting = -1;
  }

  /** Takes a packet of state; returns false for packets that cannot stand in a header. */
  boolean take(PacketType type, PacketCursor packets) {
    switch (type) {
      case FUP -> {
        hasIp = packets.hasIp();
        ip = packets.ip();
      }
      case MODE_EXEC -> codeSize = codeSize(packets);
      case MODE_TSX -> isSpeculative = (packets.value() & 1) != 0;
      case PIP, VMCS -> {
        // Says nothing of the flow.
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of the code size that a MODE.Exec tells. */
  static int codeSize(PacketCursor packets) {
    long bits = packets.value();
    return (bits & 1) != 0 ? 2 : (bits & 2) != 0 ? 1 : 0;
  }

  /** Ends the header: it waits for the next packet. */
  void end() {
    isOpen = false;
    isPending = true;
  }

  /** Forgets the header. */
  void drop() {
    isOpen = false;
    isPending = false;
    waiting = -1;
  }

  /** Ends the waiting: the header was looked at. */
  void resolve() {
    isPending = false;
  }

  /** Keeps a MODE.TSX that follows the header. */
  void keep(int transaction) {
    waiting = transaction;
  }

  /** Returns the MODE.TSX that was kept, once; -1: none. */
  int takeWaiting() {
    int kept = waiting;
    waiting = -1;
    return kept;
  }

  boolean isOpen() {
    return isOpen;
  }

  boolean isPending() {
    return isPending;
  }

  long offset() {
    return offset;
  }

  /** Returns true if it says that tracing is on. */
  boolean hasIp() {
    return hasIp;
  }

  long ip() {
    return ip;
  }

  /** Returns the number of the code size; -1: not told. */
  int codeSize() {
    return codeSize;
  }

  boolean isSpeculative() {
    return isSpeculative;
  }
}
