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
  private final FlowSink sink;
  private final CodeWalk walk;
  private FlowState state = FlowState.SEARCHING;

  private final TraceHeader header = new TraceHeader();

  private final PendingPackets pending = new PendingPackets();
  private boolean isRetaken;

  /** A decoder before the first packet. */
  public FlowDecoder(
      PacketCursor packets, CodeBlocks blocks, FlowSettings settings, FlowSink sink) {
    this.packets = packets;
    this.settings = settings;
    this.sink = sink;
    this.walk = new CodeWalk(blocks, sink, settings);
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
      resolveHeader(false);
    }
  }

  /** Takes the packet that the cursor stands on; for callers that look at the packets, too. */
  public void take() {
    PacketType type = packets.type();
    if (type.isTiming()) {
      return;
    }
    if (header.isOpen()) {
      inHeader(type);
      return;
    }
    if (type == PacketType.PSB) {
      psb();
      return;
    }
    if (type == PacketType.ERROR) {
      damage();
      return;
    }
    if (state == FlowState.SEARCHING && !header.isPending()) {
      return;
    }
    isRetaken = false;
    if (header.isPending() && type == PacketType.MODE_TSX) {
      header.keep((int) packets.value());
      return;
    }
    if (header.isPending() && !type.isState()) {
      resolveHeader(type == PacketType.TIP_PGE);
    }
    process(type);
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
      case MODE_TSX -> transaction((int) packets.value());
      case OVF -> overflow();
      case TRACE_STOP -> sink.event(FlowEvent.STOPPED, 0);
      case PTW -> ptwrite();
      case EXSTOP, BEP, CFE, TRIG -> {
        if (packets.field(type.fields().getFirst()) != 0) {
          pending.binding = Binding.OTHER;
        }
      }
      default -> {}
    }
  }

  /**
   * Looks at a FUP whose meaning the next packet tells: it belongs to the MODE.Exec before it
   * unless a TIP follows, and ends an overflow unless tracing is off.
   *
   * @return false if the flow was lost
   */
  private boolean resolveFup(PacketType type) {
    if (state == FlowState.OVERFLOW && !type.isState()) {
      pending.hasFup = false;
      if (type == PacketType.TRACE_STOP) {
        sink.event(FlowEvent.OVERFLOW, 0);
        state = FlowState.DISABLED;
      } else if (type != PacketType.TIP_PGE) {
        endOverflow(pending.fup);
      }
    } else if (state == FlowState.ENABLED
        && pending.isFupOfMode
        && type != PacketType.TIP
        && type != PacketType.TIP_PGD
        && (type == PacketType.MODE_EXEC || !type.isState())) {
      return toMode();
    }
    return true;
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
    isRetaken = true;
    fail(walk.error());
    if (state == FlowState.LOST) {
      walk.setCodeSize(mode);
      begin(address);
    }
    return state == FlowState.ENABLED;
  }

  private void psb() {
    if (state == FlowState.ENABLED && (pending.hasFup || walk.hasBits())) {
      fail(FlowError.CONTEXT);
    }
    // A header whose state was not needed yet.
    if (header.isPending()) {
      resolveHeader(false);
    }
    pending.forget();
    header.begin(packets.offset());
  }

  private void inHeader(PacketType type) {
    switch (type) {
      case PSBEND -> {
        header.end();
        if (!header.hasIp()) {
          resolveHeader(false);
        }
      }
      case OVF -> {
        header.drop();
        if (state == FlowState.SEARCHING && header.codeSize() >= 0) {
          walk.setCodeSize(header.codeSize());
        }
        state = FlowState.DISABLED;
        overflow();
      }
      case PSB -> psb();
      case ERROR -> damage();
      default -> {
        if (!header.take(type, packets)) {
          header.drop();
          fail(FlowError.CONTEXT);
        }
      }
    }
  }

  /**
   * Compares what a header tells with what is known, or begins with it.
   *
   * @param isEnabledNext whether tracing is enabled by the next packet: then it is off, whatever
   *     the header says, as {@link Erratum#BDM70} has it
   */
  private void resolveHeader(boolean isEnabledNext) {
    header.resolve();
    boolean isOn = header.hasIp() && !isEnabledNext;
    walk.forgetCalls();
    switch (state) {
      case DISABLED -> {
        if (isOn) {
          sink.error(FlowError.STATUS, header.offset(), header.ip());
        }
      }
      case ENABLED -> {
        boolean isSame = isOn && (header.codeSize() < 0 || header.codeSize() == walk.codeSize());
        if (isSame && walk.to(header.ip())) {
          takeWaiting();
          return;
        }
        sink.error(isSame ? walk.seamError() : FlowError.STATUS, header.offset(), walk.address());
      }
      case OVERFLOW -> sink.event(FlowEvent.OVERFLOW, isOn ? header.ip() : 0);
      case SEARCHING, LOST -> {
        // Nothing to compare with.
      }
    }
    if (header.codeSize() >= 0) {
      walk.setCodeSize(header.codeSize());
    }
    walk.setSpeculative(header.isSpeculative());
    if (isOn) {
      begin(header.ip());
    } else {
      state = FlowState.DISABLED;
    }
    takeWaiting();
  }

  private void takeWaiting() {
    int kept = header.takeWaiting();
    if (kept >= 0) {
      transaction(kept);
    }
  }

  private void begin(long address) {
    walk.begin(address);
    state = FlowState.ENABLED;
  }

  private void damage() {
    header.drop();
    if (packets.error() != PacketError.BEFORE_FIRST_PSB) {
      sink.error(FlowError.PACKETS, packets.offset(), 0);
    }
    state = FlowState.SEARCHING;
    walk.lose();
    pending.forget();
  }

  /** Gives the flow up; the packet is looked at again if it tells where it goes on. */
  private void fail(FlowError error) {
    sink.error(error, packets.offset(), state == FlowState.ENABLED ? walk.address() : 0);
    walk.lose();
    if (pending.isAborted) {
      walk.setSpeculative(false);
    }
    pending.forget();
    if (settings.resync() == FlowSettings.Resync.PSB) {
      state = FlowState.SEARCHING;
      return;
    }
    state = FlowState.LOST;
    if (!isRetaken) {
      isRetaken = true;
      process(packets.type());
    }
  }

  private void branches() {
    switch (state) {
      case ENABLED -> {
        if (pending.hasFup || walk.hasBits()) {
          fail(FlowError.CONTEXT);
        } else if (!walk.branches(packets.branchBits(), packets.branches())) {
          fail(walk.error());
        }
      }
      case DISABLED, OVERFLOW -> fail(FlowError.CONTEXT);
      default -> {
        // Lost: nobody knows which branches they are of.
      }
    }
  }

  private void target() {
    boolean hasIp = packets.hasIp();
    switch (state) {
      case ENABLED -> {
        if (!hasIp) {
          fail(FlowError.NO_ADDRESS);
        } else if (pending.hasFup) {
          interrupt();
        } else if (!walk.target(packets.ip(), pending.newCodeSize)) {
          fail(walk.error());
        } else {
          pending.newCodeSize = -1;
        }
      }
      case LOST -> {
        if (hasIp) {
          pending.applyMode(walk);
          pending.forget();
          begin(packets.ip());
        }
      }
      case OVERFLOW -> {
        if (hasIp && settings.errata().contains(Erratum.SKD010)) {
          pending.applyMode(walk);
          endOverflow(packets.ip());
        } else {
          fail(FlowError.CONTEXT);
        }
      }
      default -> fail(FlowError.CONTEXT);
    }
  }

  private void interrupt() {
    if (walk.hasBits()) {
      fail(FlowError.MISMATCH);
      return;
    }
    if (!walk.to(pending.fup)) {
      fail(walk.error());
      return;
    }
    pending.hasFup = false;
    sink.event(FlowEvent.INTERRUPTED, pending.fup);
    if (pending.isAborted) {
      pending.isAborted = false;
      walk.setSpeculative(false);
      sink.event(FlowEvent.ABORT, pending.fup);
    }
    pending.applyMode(walk);
    sink.event(FlowEvent.INTERRUPT, packets.ip());
    begin(packets.ip());
  }

  private void enable() {
    if (state == FlowState.ENABLED) {
      fail(FlowError.CONTEXT);
      return;
    }
    if (!packets.hasIp()) {
      fail(FlowError.NO_ADDRESS);
      return;
    }
    if (state == FlowState.OVERFLOW) {
      sink.event(FlowEvent.OVERFLOW, 0);
    }
    pending.applyMode(walk);
    pending.forget();
    sink.event(FlowEvent.ENABLED, packets.ip());
    begin(packets.ip());
  }

  private void disable() {
    switch (state) {
      case ENABLED -> {
        boolean entersMachine = settings.errata().contains(Erratum.SKD022);
        boolean isReached =
            !walk.hasBits()
                && (pending.hasFup
                    ? walk.toInterrupt(pending.fup, entersMachine)
                    : walk.toDisable(packets.hasIp(), packets.ip()));
        if (!isReached) {
          fail(walk.hasBits() ? FlowError.MISMATCH : walk.error());
          return;
        }
        if (pending.hasFup) {
          sink.event(FlowEvent.INTERRUPTED, pending.fup);
        }
        sink.event(FlowEvent.DISABLED, packets.hasIp() ? packets.ip() : 0);
      }
      case OVERFLOW -> {
        if (!settings.errata().contains(Erratum.APL11)
            && !settings.errata().contains(Erratum.SKD010)) {
          fail(FlowError.CONTEXT);
          return;
        }
        sink.event(FlowEvent.OVERFLOW, 0);
      }
      case LOST -> {
        // Tracing is off from here on, whatever was before.
      }
      default -> {
        fail(FlowError.CONTEXT);
        return;
      }
    }
    pending.applyMode(walk);
    pending.forget();
    walk.lose();
    state = FlowState.DISABLED;
  }

  private void address() {
    switch (state) {
      case ENABLED -> {
        if (!packets.hasIp()) {
          pending.binding = Binding.NONE;
        } else if (pending.binding != Binding.NONE) {
          bound();
        } else if (!pending.hasFup) {
          pending.await(packets.ip());
        }
      }
      case OVERFLOW -> {
        if (packets.hasIp() && settings.errata().contains(Erratum.APL12)) {
          pending.await(packets.ip());
        } else if (packets.hasIp()) {
          endOverflow(packets.ip());
        }
      }
      case DISABLED -> {
        if (pending.binding == Binding.NONE) {
          fail(FlowError.CONTEXT);
        }
        pending.binding = Binding.NONE;
      }
      default -> {
        if (state == FlowState.LOST && packets.hasIp()) {
          found(packets.ip());
        }
      }
    }
  }

  /** Goes on at the address of another packet; alone, a FUP waits for the TIP that follows. */
  private void found(long address) {
    if (pending.newCodeSize >= 0) {
      int mode = pending.newCodeSize;
      begin(address);
      pending.newCodeSize = mode;
      pending.await(address);
    } else if (pending.binding == Binding.PTWRITE) {
      begin(address);
      bound();
    } else if (pending.binding != Binding.NONE) {
      pending.binding = Binding.NONE;
      begin(address);
    }
  }

  private void bound() {
    Binding whose = pending.binding;
    pending.binding = Binding.NONE;
    boolean isReached = whose == Binding.PTWRITE ? walk.over(packets.ip()) : walk.to(packets.ip());
    if (!isReached) {
      fail(walk.error());
      return;
    }
    if (whose == Binding.TRANSACTION) {
      walk.setSpeculative(pending.willBeSpeculative);
      sink.event(
          pending.willBeSpeculative ? FlowEvent.TRANSACTION : FlowEvent.COMMIT, packets.ip());
    } else if (whose == Binding.PTWRITE) {
      sink.event(FlowEvent.PTWRITE, pending.operand);
    }
  }

  private void transaction(int mode) {
    pending.willBeSpeculative = (mode & 1) != 0;
    if (state != FlowState.ENABLED) {
      walk.setSpeculative(pending.willBeSpeculative);
    } else if ((mode & 2) != 0) {
      pending.isAborted = true;
    } else {
      pending.binding = Binding.TRANSACTION;
    }
  }

  private void ptwrite() {
    pending.operand = packets.value();
    if (packets.field(PacketType.PTW.fields().getFirst()) != 0) {
      pending.binding = Binding.PTWRITE;
    } else if (state == FlowState.ENABLED && !walk.toPtwrite()) {
      fail(walk.error());
    } else if (state == FlowState.ENABLED || state == FlowState.DISABLED) {
      sink.event(FlowEvent.PTWRITE, pending.operand);
    }
  }

  private void overflow() {
    if (state == FlowState.OVERFLOW) {
      sink.event(FlowEvent.OVERFLOW, 0);
    }
    pending.forget();
    walk.lose();
    walk.setSpeculative(false);
    state = FlowState.OVERFLOW;
  }

  private void endOverflow(long address) {
    sink.event(FlowEvent.OVERFLOW, address);
    begin(address);
  }
}
