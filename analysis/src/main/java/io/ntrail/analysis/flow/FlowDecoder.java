package io.ntrail.analysis.flow;

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
  /** Knowledge of the place where the flow is. */
  private enum State {
    /** Nothing before the next PSB. */
    SEARCHING,
    /** Nothing before the next packet that tells an address. */
    LOST,
    /** Tracing is off. */
    DISABLED,
    /** Tracing is on. */
    ENABLED,
    /** Packets were lost: the next ones say whether tracing is on. */
    OVERFLOW
  }

  /** Packet that the next FUP belongs to. */
  private enum Binding {
    NONE,
    TRANSACTION,
    PTWRITE,
    OTHER
  }

  private final PacketCursor packets;
  private final FlowSettings settings;
  private final FlowSink sink;
  private final CodeWalk walk;
  private State state = State.SEARCHING;

  private final TraceHeader header = new TraceHeader();

  // What waits for the packet that it belongs to.
  private boolean hasFup;
  private long fup;
  private Binding binding = Binding.NONE;
  private int newCodeSize = -1;
  private boolean willBeSpeculative;
  private boolean isAborted;
  private long operand;
  private boolean isRetaken;

  /** A decoder before the first packet. */
  public FlowDecoder(
      PacketCursor packets, CodeBlocks blocks, FlowSettings settings, FlowSink sink) {
    this.packets = packets;
    this.settings = settings;
    this.sink = sink;
    this.walk = new CodeWalk(blocks, sink, settings.codeSize().ordinal());
  }

  /** Decodes the rest of the stream. */
  public void run() {
    while (packets.next()) {
      take();
    }
    end();
  }

  /**
   * Ends the flow where the stream ends: with the branch whose target is not told any more. What
   * lies before it was executed, unless something happened that nobody told.
   */
  public void end() {
    if (header.isPending()) {
      resolveHeader(false);
    }
    if (state == State.ENABLED && !hasFup) {
      walk.toTracedBranch();
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
    if (state == State.SEARCHING && !header.isPending()) {
      return;
    }
    isRetaken = false;
    if (header.isPending() && type == PacketType.MODE_TSX) {
      header.keep((int) packets.value());
      return;
    }
    boolean isState = type == PacketType.MODE_EXEC || type == PacketType.PIP;
    if (header.isPending() && !isState && type != PacketType.VMCS) {
      resolveHeader(type == PacketType.TIP_PGE);
    }
    process(type);
  }

  private void process(PacketType type) {
    switch (type) {
      case TNT8, TNT64 -> branches();
      case TIP -> target();
      case TIP_PGE -> enable();
      case TIP_PGD -> disable();
      case FUP -> address();
      case MODE_EXEC -> newCodeSize = TraceHeader.codeSize(packets);
      case MODE_TSX -> transaction((int) packets.value());
      case OVF -> overflow();
      case TRACE_STOP -> sink.event(FlowEvent.STOPPED, 0);
      case PTW -> ptwrite();
      case EXSTOP, BEP, CFE, TRIG -> {
        if (packets.field(type.fields().getFirst()) != 0) {
          binding = Binding.OTHER;
        }
      }
      default -> {
        // Says nothing of the flow.
      }
    }
  }

  // Headers.

  private void psb() {
    if (state == State.ENABLED && (hasFup || walk.hasBits())) {
      fail(FlowError.CONTEXT);
    }
    // A header whose state was not needed yet.
    if (header.isPending()) {
      resolveHeader(false);
    }
    forget();
    header.begin(packets.offset());
  }

  private void forget() {
    hasFup = false;
    binding = Binding.NONE;
    newCodeSize = -1;
    isAborted = false;
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
        if (state == State.SEARCHING && header.codeSize() >= 0) {
          walk.setCodeSize(header.codeSize());
        }
        state = State.DISABLED;
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
      state = State.DISABLED;
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
    state = State.ENABLED;
  }

  // Errors.

  private void damage() {
    header.drop();
    if (packets.error() != PacketError.BEFORE_FIRST_PSB) {
      sink.error(FlowError.PACKETS, packets.offset(), 0);
    }
    state = State.SEARCHING;
    walk.lose();
    forget();
  }

  /** Gives the flow up; the packet is looked at again if it tells where it goes on. */
  private void fail(FlowError error) {
    sink.error(error, packets.offset(), state == State.ENABLED ? walk.address() : 0);
    walk.lose();
    forget();
    if (settings.resync() == FlowSettings.Resync.PSB) {
      state = State.SEARCHING;
      return;
    }
    state = State.LOST;
    if (!isRetaken) {
      isRetaken = true;
      process(packets.type());
    }
  }

  // Packets.

  private void branches() {
    switch (state) {
      case ENABLED -> {
        if (hasFup && !isBoundByMode() || walk.hasBits()) {
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

  /**
   * Returns true if the FUP that waits belongs to a MODE.Exec: interrupts were turned on or off.
   */
  private boolean isBoundByMode() {
    if (newCodeSize < 0 || !walk.to(fup)) {
      return false;
    }
    hasFup = false;
    walk.setCodeSize(newCodeSize);
    newCodeSize = -1;
    return true;
  }

  private void applyMode() {
    if (newCodeSize >= 0) {
      walk.setCodeSize(newCodeSize);
      newCodeSize = -1;
    }
  }

  private void target() {
    boolean hasIp = packets.hasIp();
    switch (state) {
      case ENABLED -> {
        if (!hasIp) {
          fail(FlowError.NO_ADDRESS);
        } else if (hasFup) {
          interrupt();
        } else if (!walk.target(packets.ip(), newCodeSize)) {
          fail(walk.error());
        } else {
          newCodeSize = -1;
        }
      }
      case LOST -> {
        if (hasIp) {
          applyMode();
          forget();
          begin(packets.ip());
        }
      }
      case OVERFLOW -> {
        if (hasIp && settings.errata().contains(Erratum.SKD010)) {
          applyMode();
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
    if (!walk.to(fup)) {
      fail(walk.error());
      return;
    }
    hasFup = false;
    if (isAborted) {
      isAborted = false;
      walk.setSpeculative(false);
      sink.event(FlowEvent.ABORT, fup);
    }
    applyMode();
    sink.event(FlowEvent.INTERRUPT, packets.ip());
    begin(packets.ip());
  }

  private void enable() {
    if (state == State.ENABLED) {
      fail(FlowError.CONTEXT);
      return;
    }
    if (!packets.hasIp()) {
      fail(FlowError.NO_ADDRESS);
      return;
    }
    if (state == State.OVERFLOW) {
      sink.event(FlowEvent.OVERFLOW, 0);
    }
    applyMode();
    forget();
    sink.event(FlowEvent.ENABLED, packets.ip());
    begin(packets.ip());
  }

  private void disable() {
    switch (state) {
      case ENABLED -> {
        boolean isReached =
            !walk.hasBits()
                && (hasFup ? walk.to(fup) : walk.toDisable(packets.hasIp(), packets.ip()));
        if (!isReached) {
          fail(walk.hasBits() ? FlowError.MISMATCH : walk.error());
          return;
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
    applyMode();
    forget();
    walk.lose();
    state = State.DISABLED;
  }

  private void address() {
    switch (state) {
      case ENABLED -> {
        if (!packets.hasIp()) {
          binding = Binding.NONE;
        } else if (binding != Binding.NONE) {
          bound();
        } else if (!hasFup) {
          hasFup = true;
          fup = packets.ip();
        }
      }
      case OVERFLOW -> {
        if (packets.hasIp()) {
          endOverflow(packets.ip());
        }
      }
      case DISABLED -> {
        if (binding == Binding.NONE) {
          fail(FlowError.CONTEXT);
        }
        binding = Binding.NONE;
      }
      default -> {
        // Lost: the TIP that follows tells where the flow goes on.
      }
    }
  }

  private void bound() {
    Binding whose = binding;
    binding = Binding.NONE;
    boolean isReached = whose == Binding.PTWRITE ? walk.over(packets.ip()) : walk.to(packets.ip());
    if (!isReached) {
      fail(walk.error());
      return;
    }
    if (whose == Binding.TRANSACTION) {
      walk.setSpeculative(willBeSpeculative);
      sink.event(willBeSpeculative ? FlowEvent.TRANSACTION : FlowEvent.COMMIT, packets.ip());
    } else if (whose == Binding.PTWRITE) {
      sink.event(FlowEvent.PTWRITE, operand);
    }
  }

  private void transaction(int mode) {
    boolean isAbort = (mode & 2) != 0;
    willBeSpeculative = (mode & 1) != 0;
    if (state != State.ENABLED) {
      walk.setSpeculative(willBeSpeculative);
    } else if (isAbort) {
      isAborted = true;
    } else {
      binding = Binding.TRANSACTION;
    }
  }

  private void ptwrite() {
    operand = packets.value();
    if (packets.field(PacketType.PTW.fields().getFirst()) != 0) {
      binding = Binding.PTWRITE;
    } else if (state == State.ENABLED && !walk.toPtwrite()) {
      fail(walk.error());
    } else if (state == State.ENABLED || state == State.DISABLED) {
      sink.event(FlowEvent.PTWRITE, operand);
    }
  }

  private void overflow() {
    if (state == State.OVERFLOW) {
      sink.event(FlowEvent.OVERFLOW, 0);
    }
    forget();
    walk.lose();
    walk.setSpeculative(false);
    state = State.OVERFLOW;
  }

  private void endOverflow(long address) {
    sink.event(FlowEvent.OVERFLOW, address);
    begin(address);
  }
}
