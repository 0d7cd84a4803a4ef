package io.ntrail.analysis.flow;

import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;

/**
 * State that a header tells, from its PSB to its PSBEND, and until it is known whether it counts:
 * if tracing starts right behind it, it was off before, whatever the header says.
 */
final class TraceHeader {
  /** Packets that wait at most; a processor writes one of each. */
  private static final int MOST = 8;

  private boolean isOpen;
  private boolean isPending;
  private long offset;
  private boolean hasIp;
  private long ip;
  private int codeSize = -1;
  private boolean isSpeculative;

  /** Packets of state behind the header, which wait until it is known whether it counts. */
  private final PacketType[] waitingTypes = new PacketType[MOST];

  private final long[] waitingValues = new long[MOST];
  private int waiting;

  /** Begins at a PSB. */
  void begin(long at) {
    isOpen = true;
    isPending = false;
    offset = at;
    hasIp = false;
    codeSize = -1;
    isSpeculative = false;
    waiting = 0;
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
    waiting = 0;
  }

  /** Ends the waiting: the header was looked at. */
  void resolve() {
    isPending = false;
  }

  /** Keeps a packet of state that follows the header. */
  void keep(PacketType type, long value) {
    if (waiting < MOST) {
      waitingTypes[waiting] = type;
      waitingValues[waiting++] = value;
    }
  }

  /** Returns how many packets wait. */
  int waiting() {
    return waiting;
  }

  PacketType waitingType(int index) {
    return waitingTypes[index];
  }

  long waitingValue(int index) {
    return waitingValues[index];
  }

  void forgetWaiting() {
    waiting = 0;
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
