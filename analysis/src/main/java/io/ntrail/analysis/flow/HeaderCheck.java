package io.ntrail.analysis.flow;

import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketType;

/** Headers, from PSB to PSBEND: begins with what they tell, or compares it with what is known. */
final class HeaderCheck {
  private final FlowPlace place;
  private final EventPackets events;
  private final TraceHeader header = new TraceHeader();

  /** True if an overflow is pending whose FUP came before the header ({@link Erratum#APL12}). */
  private boolean hasOverflowAt;

  private long overflowAt;

  HeaderCheck(FlowPlace place, EventPackets events) {
    this.place = place;
    this.events = events;
  }

  /** Returns true between PSB and PSBEND. */
  boolean isOpen() {
    return header.isOpen();
  }

  /** Returns true if the next packet says whether the header counts. */
  boolean isPending() {
    return header.isPending();
  }

  /** Keeps a packet of state that follows a header, until that is known. */
  boolean keeps(PacketType type) {
    return switch (type) {
      case MODE_TSX, PIP, VMCS -> {
        header.keep(type, type == PacketType.MODE_TSX ? place.packets.value() : events.operand());
        yield true;
      }
      default -> false;
    };
  }

  void drop() {
    header.drop();
  }

  void psb() {
    // A header whose state was not needed yet.
    if (header.isPending()) {
      resolve(false);
    }
    if (place.state == FlowState.ENABLED
        && (place.pending.hasFup || place.pending.needsFup() || place.walk.hasBits())) {
      place.fail(FlowError.CONTEXT);
    }
    events.flushPower();
    hasOverflowAt = place.state == FlowState.OVERFLOW && place.pending.hasFup;
    overflowAt = place.pending.fup;
    place.pending.forget();
    header.begin(place.packets.offset());
  }

  /**
   * Takes a packet of an open header.
   *
   * @return false if it is one that cannot be in a header, and ends it
   */
  boolean take(PacketType type) {
    switch (type) {
      case PSBEND -> {
        header.end();
        if (!header.hasIp()) {
          resolve(false);
        }
      }
      case PSB -> psb();
      case OVF -> {
        header.drop();
        if (place.state == FlowState.SEARCHING && header.codeSize() >= 0) {
          place.walk.setCodeSize(header.codeSize());
        }
        place.state = FlowState.DISABLED;
        return false;
      }
      case ERROR -> {
        return false;
      }
      default -> {
        if (!header.take(type, place.packets)) {
          header.drop();
          place.fail(FlowError.CONTEXT);
        }
      }
    }
    return true;
  }

  /**
   * Compares what a header tells with what is known, or begins with it.
   *
   * @param isEnabledNext whether tracing is enabled by the next packet: then it is off, whatever
   *     the header says, as {@link Erratum#BDM70} has it
   */
  void resolve(boolean isEnabledNext) {
    header.resolve();
    boolean isOn = header.hasIp() && !isEnabledNext;
    place.walk.forgetCalls();
    if (place.state == FlowState.OVERFLOW && hasOverflowAt && isOn) {
      // The header says that tracing was on behind the overflow.
      place.endOverflow(overflowAt);
      place.begin(overflowAt);
    }
    if (place.state == FlowState.ENABLED) {
      if (isReached(isOn)) {
        takeWaiting();
        return;
      }
      if (place.settings.asLibipt()) {
        giveUp();
        return;
      }
    }
    if (place.state == FlowState.DISABLED && isOn) {
      place.error(FlowError.STATUS, header.offset(), header.ip());
      if (place.settings.asLibipt()) {
        giveUp();
        return;
      }
    } else if (place.state == FlowState.OVERFLOW) {
      place.endOverflow(isOn ? header.ip() : 0);
    }
    if (header.codeSize() >= 0) {
      place.walk.setCodeSize(header.codeSize());
    }
    place.walk.setSpeculative(header.isSpeculative());
    if (isOn) {
      place.begin(header.ip());
    } else {
      place.state = FlowState.DISABLED;
    }
    takeWaiting();
  }

  private boolean isReached(boolean isOn) {
    CodeWalk walk = place.walk;
    boolean isSame = isOn && (header.codeSize() < 0 || header.codeSize() == walk.codeSize());
    if (isSame && (place.settings.asLibipt() || isWalkedTo(header.ip()))) {
      return true;
    }
    place.error(isSame ? walk.seamError() : FlowError.STATUS, header.offset(), walk.address());
    return false;
  }

  /** Walks on to the place of the header; calls on the way there were before its PSB, too. */
  private boolean isWalkedTo(long ip) {
    boolean isThere = place.walk.to(ip);
    place.walk.forgetCalls();
    return isThere;
  }

  /** Waits for the next header, as libipt does. */
  private void giveUp() {
    place.walk.lose();
    place.state = FlowState.SEARCHING;
    header.drop();
  }

  private void takeWaiting() {
    for (int i = 0; i < header.waiting(); i++) {
      events.state(header.waitingType(i), header.waitingValue(i));
    }
    header.forgetWaiting();
  }
}
