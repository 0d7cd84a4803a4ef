package io.ntrail.analysis.flow;

import io.ntrail.analysis.flow.PendingPackets.Binding;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PacketType;

/**
 * Follows the packets of a stream through the code.
 *
 * <p>Nothing runs ahead of the trace: after each packet the flow stands where this packet proves
 * that it came to. Used by one thread.
 */
public final class FlowDecoder {
  private final PacketCursor packets;
  private final FlowSettings settings;
  private final CodeWalk walk;
  private final FlowPlace place;
  private final PendingPackets pending;
  private final EventPackets events;
  private final HeaderCheck header;

  /** A decoder before the first packet. */
  public FlowDecoder(
      PacketCursor packets, CodeBlocks blocks, FlowSettings settings, FlowSink sink) {
    this.packets = packets;
    this.settings = settings;
    this.walk = new CodeWalk(blocks, sink, settings);
    this.place = new FlowPlace(packets, walk, settings, sink);
    this.pending = place.pending;
    this.events = new EventPackets(place);
    this.header = new HeaderCheck(place, events);
  }

  /** Decodes the rest of the stream. */
  public void run() {
    while (packets.next()) {
      take();
    }
    end();
  }

  /** Ends the flow where the last packet proves that it came to. */
  public void end() {
    if (header.isPending()) {
      header.resolve(false);
    }
    events.flushPower();
    if (place.state == FlowState.OVERFLOW) {
      place.endOverflow(pending.hasFup ? pending.fup : 0);
    }
  }

  /** Takes the packet that the cursor stands on; for callers that look at the packets, too. */
  public void take() {
    PacketType type = packets.type();
    if (type.isTiming()) {
      return;
    }
    place.nextPacket();
    if (header.isOpen()) {
      if (!header.take(type)) {
        process(type);
      }
    } else if (type == PacketType.PSB) {
      header.psb();
    } else if (header.isPending()) {
      if (header.keeps(type)) {
        return;
      }
      if (!type.isState() && type != PacketType.ERROR) {
        header.resolve(type == PacketType.TIP_PGE);
        place.nextPacket();
      }
      process(type);
    } else if (place.state != FlowState.SEARCHING || type == PacketType.ERROR) {
      process(type);
    }
    if (place.takeAgain()) {
      process(type);
    }
    if (pending.wasFull()) {
      place.error(FlowError.CONTEXT, packets.offset(), 0);
    }
  }

  /**
   * Looks at code again that changed: what the packets from here on prove ran as it is now. For
   * callers that take the packets one by one, and know when the code changed.
   *
   * @param length bytes, from 1
   */
  public void codeChanged(long address, long length) {
    walk.codeChanged(address, length);
  }

  /** Returns true if no header waits to be understood: a snapshot can be taken. */
  boolean isOutsideHeaders() {
    return !header.isOpen() && !header.isPending();
  }

  FlowSnapshot snapshot() {
    return walk.snapshot(place.state, pending.snapshot());
  }

  /** Goes on as the decoder that a snapshot is of. */
  void restore(FlowSnapshot from) {
    walk.restore(from);
    pending.restore(from.pending());
    place.state = from.state();
  }

  private void process(PacketType type) {
    if (pending.hasFup && !resolveFup(type)) {
      return;
    }
    switch (type) {
      case TNT8, TNT64 -> branches();
      case TIP -> target();
      case TIP_PGE -> enable();
      case TIP_PGD -> disable();
      case FUP -> address();
      case MODE_EXEC -> pending.newCodeSize = TraceHeader.codeSize(packets);
      case OVF -> overflow();
      case ERROR -> damage();
      default -> events.take(type);
    }
  }

  /**
   * Looks at a FUP whose meaning the next packet tells: it belongs to the MODE.Exec before it
   * unless a TIP follows, and ends an overflow unless tracing is off.
   *
   * @return false if the flow was lost
   */
  private boolean resolveFup(PacketType type) {
    if (place.state == FlowState.OVERFLOW) {
      resolveOverflow(type);
    } else if (place.state == FlowState.ENABLED
        && pending.isFupOfMode
        && !isEndOfBranch(type)
        && (type == PacketType.MODE_EXEC || !type.isState())) {
      return toMode();
    } else if (place.state == FlowState.ENABLED && !isBeforeTarget(type)) {
      place.fail(FlowError.CONTEXT);
      return false;
    } else if (place.state == FlowState.LOST) {
      pending.hasFup = isEndOfBranch(type) || type.isState();
    }
    return true;
  }

  /** Ends an overflow that a FUP followed where a packet says whether tracing is on. */
  private void resolveOverflow(PacketType type) {
    switch (type) {
      case TRACE_STOP, TIP_PGE -> {
        pending.hasFup = false;
        place.endOverflow(0);
      }
      case TNT8, TNT64, TIP, TIP_PGD, OVF, ERROR -> {
        pending.hasFup = false;
        endOverflow(pending.fup);
      }
      case FUP -> {
        if (pending.binding == Binding.NONE) {
          pending.hasFup = false;
          endOverflow(pending.fup);
        }
      }
      default -> {
        // Events, and state: both while tracing is on and while it is off.
      }
    }
  }

  /** Returns true for packets that may follow a FUP whose branch did not come yet. */
  private static boolean isBeforeTarget(PacketType type) {
    return switch (type) {
      case FUP, OVF, ERROR -> true;
      default -> isEndOfBranch(type) || type.isState();
    };
  }

  private static boolean isEndOfBranch(PacketType type) {
    return type == PacketType.TIP || type == PacketType.TIP_PGD;
  }

  /** Goes to where a MODE.Exec belongs: from where the flow is, or it goes on there. */
  private boolean toMode() {
    long address = pending.fup;
    int mode = pending.newCodeSize;
    if (walk.to(address)) {
      pending.hasFup = false;
      pending.applyMode(walk);
      return true;
    }
    place.takeOnce();
    place.fail(walk.error());
    if (place.state == FlowState.LOST) {
      walk.setCodeSize(mode);
      place.begin(address);
    }
    return place.state == FlowState.ENABLED;
  }

  private void damage() {
    header.drop();
    if (packets.error() != PacketError.BEFORE_FIRST_PSB) {
      place.error(FlowError.PACKETS, packets.offset(), 0);
    }
    place.state = FlowState.SEARCHING;
    walk.lose();
    pending.forget();
  }

  private void branches() {
    switch (place.state) {
      case ENABLED -> {
        if (walk.hasBits() || pending.needsFup()) {
          place.fail(FlowError.CONTEXT);
        } else if (!walk.branches(packets.branchBits(), packets.branches())) {
          place.fail(walk.error(), packets.offsetOfBranch(walk.bits()));
        } else if (walk.hasBits() && walk.bits() > packets.lastBranches()) {
          // Of TNTs that come as one, a later one than that where the target is missing.
          place.fail(FlowError.CONTEXT, packets.offsetOfBranch(walk.bits()) + 1);
        }
      }
      case DISABLED, OVERFLOW -> place.fail(FlowError.CONTEXT);
      default -> {
        // Lost: nobody knows which branches they are of.
      }
    }
  }

  private void target() {
    boolean hasIp = packets.hasIp();
    switch (place.state) {
      case ENABLED -> {
        if (!hasIp) {
          place.fail(FlowError.NO_ADDRESS);
        } else if (pending.needsFup()) {
          place.fail(FlowError.CONTEXT);
        } else if (pending.hasFup) {
          interrupt();
        } else if (!walk.target(packets.ip(), pending.newCodeSize)) {
          place.fail(walk.error());
        } else {
          pending.newCodeSize = -1;
          events.branched(packets.ip());
        }
      }
      case LOST -> {
        if (hasIp && pending.hasFup) {
          interrupted();
        } else if (hasIp) {
          pending.applyMode(walk);
          pending.forget();
          place.begin(packets.ip());
        }
      }
      case OVERFLOW -> {
        if (hasIp && settings.errata().contains(Erratum.SKD010)) {
          pending.applyMode(walk);
          endOverflow(packets.ip());
        } else {
          place.fail(FlowError.CONTEXT);
        }
      }
      default -> place.fail(FlowError.CONTEXT);
    }
  }

  private void interrupt() {
    boolean isWrong = pending.isAborted && settings.errata().contains(Erratum.BDM64);
    if (isWrong && !walk.isNear(pending.fup)) {
      walk.begin(pending.fup);
    }
    if (!walk.hasBits() && walk.to(pending.fup)) {
      interrupted();
      return;
    }
    long fup = pending.fup;
    boolean isAborted = pending.isAborted;
    place.takeOnce();
    place.fail(walk.hasBits() ? FlowError.MISMATCH : walk.error());
    if (place.state == FlowState.LOST) {
      pending.fup = fup;
      pending.isAborted = isAborted;
      interrupted();
    }
  }

  /** Goes on behind an interrupt, whose address was reached or is told. */
  private void interrupted() {
    pending.hasFup = false;
    place.event(FlowEvent.INTERRUPTED, pending.fup);
    if (pending.isAborted) {
      pending.isAborted = false;
      walk.setSpeculative(false);
      place.event(FlowEvent.ABORT, pending.fup);
    }
    events.interrupted(pending.fup);
    pending.applyMode(walk);
    place.event(FlowEvent.INTERRUPT, packets.ip());
    events.branched(packets.ip());
    place.begin(packets.ip());
  }

  private void enable() {
    if (place.state == FlowState.ENABLED) {
      place.fail(FlowError.CONTEXT);
      return;
    }
    if (!packets.hasIp()) {
      place.fail(FlowError.NO_ADDRESS);
      return;
    }
    if (place.state == FlowState.OVERFLOW) {
      place.endOverflow(0);
    } else if (place.state == FlowState.LOST) {
      // Where it ended was not seen.
      place.event(FlowEvent.DISABLED, 0);
    }
    events.flushPower();
    pending.applyMode(walk);
    pending.forget();
    place.event(FlowEvent.ENABLED, packets.ip());
    place.begin(packets.ip());
  }

  private void disable() {
    switch (place.state) {
      case ENABLED -> {
        if (pending.needsFup()) {
          place.fail(FlowError.CONTEXT);
          return;
        }
        boolean entersMachine = settings.errata().contains(Erratum.SKD022);
        boolean isReached =
            !walk.hasBits()
                && (pending.hasFup
                    ? walk.toInterrupt(pending.fup, entersMachine)
                    : walk.toDisable(packets.hasIp(), packets.ip()));
        if (!isReached) {
          place.fail(walk.hasBits() ? FlowError.MISMATCH : walk.error());
          return;
        }
        long goesOn = packets.hasIp() ? packets.ip() : 0;
        if (pending.hasFup) {
          place.event(FlowEvent.INTERRUPTED, pending.fup);
          events.interrupted(pending.fup);
          place.event(FlowEvent.DISABLED, goesOn);
          events.branched(goesOn);
        } else {
          events.branched(goesOn);
          place.event(FlowEvent.DISABLED, goesOn);
        }
      }
      case OVERFLOW -> {
        if (!settings.errata().contains(Erratum.APL11)
            && !settings.errata().contains(Erratum.SKD010)) {
          place.fail(FlowError.CONTEXT);
          return;
        }
        place.endOverflow(0);
      }
      case LOST -> place.event(FlowEvent.DISABLED, packets.hasIp() ? packets.ip() : 0);
      default -> {
        place.fail(FlowError.CONTEXT);
        return;
      }
    }
    events.flushPower();
    pending.applyMode(walk);
    pending.forget();
    walk.lose();
    walk.leaveOut();
    place.state = FlowState.DISABLED;
  }

  private void address() {
    switch (place.state) {
      case ENABLED -> {
        if (events.bound()) {
          return;
        }
        if (!packets.hasIp()) {
          place.fail(FlowError.NO_ADDRESS);
        } else if (!pending.hasFup) {
          pending.await(packets.ip());
        }
      }
      case OVERFLOW -> {
        if (events.bound()) {
          return;
        }
        if (!packets.hasIp()) {
          place.fail(FlowError.NO_ADDRESS);
        } else if (settings.errata().contains(Erratum.APL12)) {
          pending.await(packets.ip());
        } else {
          endOverflow(packets.ip());
        }
      }
      case DISABLED -> {
        if (pending.newCodeSize >= 0) {
          pending.applyMode(walk);
        } else if (!events.bound()) {
          place.fail(FlowError.CONTEXT);
        }
      }
      default -> {
        if (place.state == FlowState.LOST && packets.hasIp()) {
          found(packets.ip());
        }
      }
    }
  }

  /** Goes on at the address of another packet; alone, a FUP waits for the TIP that follows. */
  private void found(long address) {
    if (pending.newCodeSize >= 0) {
      int mode = pending.newCodeSize;
      place.begin(address);
      pending.newCodeSize = mode;
      pending.await(address);
    } else if (pending.binding != Binding.NONE) {
      place.begin(address);
      events.bound();
    } else {
      pending.await(address);
    }
  }

  private void overflow() {
    if (place.state == FlowState.OVERFLOW) {
      place.endOverflow(0);
    }
    events.flushPower();
    pending.forget();
    walk.lose();
    walk.leaveOut();
    walk.setSpeculative(false);
    place.state = FlowState.OVERFLOW;
  }

  private void endOverflow(long address) {
    place.endOverflow(address);
    place.begin(address);
  }
}
