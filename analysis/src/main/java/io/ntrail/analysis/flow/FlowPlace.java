package io.ntrail.analysis.flow;

import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;

/** The place that the flow has come to, and what is known of it: shared by all kinds of packets. */
final class FlowPlace {
  final PacketCursor packets;
  final FlowSettings settings;
  final CodeWalk walk;
  final PendingPackets pending = new PendingPackets();
  FlowState state = FlowState.SEARCHING;

  private final FlowSink sink;
  private boolean isRetaken;
  private boolean mustRetake;

  FlowPlace(PacketCursor packets, CodeWalk walk, FlowSettings settings, FlowSink sink) {
    this.packets = packets;
    this.walk = walk;
    this.settings = settings;
    this.sink = sink;
  }

  void event(FlowEvent event, long address) {
    event(event, address, 0);
  }

  /** Tells of an event; behind an overflow, when it is known how that ended. */
  void event(FlowEvent event, long address, long value) {
    if (state == FlowState.OVERFLOW) {
      pending.queue(event, address, value);
    } else {
      sink.event(event, address, value);
    }
  }

  void error(FlowError error, long offset, long address) {
    sink.error(error, offset, address);
  }

  /** Goes on at an address. */
  void begin(long address) {
    walk.begin(address);
    state = FlowState.ENABLED;
  }

  /** Begins with a packet that was not looked at yet. */
  void nextPacket() {
    isRetaken = false;
    mustRetake = false;
  }

  /** Has this packet looked at only once, whatever happens. */
  void takeOnce() {
    isRetaken = true;
  }

  /** Returns true, once, if the packet ended the flow and has to be looked at again. */
  boolean takeAgain() {
    boolean again = mustRetake;
    mustRetake = false;
    return again;
  }

  /** Gives the flow up; the packet is looked at again if it tells where it goes on. */
  void fail(FlowError error) {
    fail(error, packets.offset());
  }

  void fail(FlowError error, long offset) {
    sink.error(error, offset, state == FlowState.ENABLED ? walk.address() : 0);
    walk.lose();
    if (pending.isAborted) {
      walk.setSpeculative(false);
    }
    boolean isTarget = packets.type() == PacketType.TIP || packets.type() == PacketType.TIP_PGE;
    int codeSize = isTarget ? pending.newCodeSize : -1;
    pending.forget();
    // A MODE.Exec is of the target all the same.
    pending.newCodeSize = codeSize;
    if (settings.resync() == FlowSettings.Resync.PSB) {
      state = FlowState.SEARCHING;
      return;
    }
    state = FlowState.LOST;
    mustRetake = !isRetaken;
    isRetaken = true;
  }

  /**
   * Tells of an overflow, then of what came while it was not clear where it ends. Tracing is off
   * then, unless the flow begins at the address.
   */
  void endOverflow(long address) {
    state = FlowState.DISABLED;
    sink.event(FlowEvent.OVERFLOW, address, 0);
    pending.tellQueue(sink);
  }
}
