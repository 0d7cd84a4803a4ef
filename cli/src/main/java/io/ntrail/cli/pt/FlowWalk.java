package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowDecoder;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.x86.FlowClass;
import java.util.ArrayList;
import java.util.List;

/** One pass over a stream: what was executed, counted, and handed on to who wants more. */
final class FlowWalk implements FlowSink {
  /** Errors that are kept at most; all are counted. */
  private static final int MOST = 100_000;

  /** An error that is told. */
  record Lost(FlowError error, long offset, long address) {}

  private final PtInput input;
  private final TimeRange time;
  private final PacketCursor cursor;
  private final PacketClock clock;
  private final CodeBlocks blocks;
  private final FlowDecoder decoder;
  private FlowSink next;

  private final long[] packets = new long[PacketType.values().length];
  private final long[] kinds = new long[FlowClass.values().length];
  private final long[] events = new long[FlowEvent.values().length];
  private final List<Lost> lost = new ArrayList<>();
  private long instructions;
  private long runs;
  private long errors;

  /**
   * @param next takes everything, too
   */
  FlowWalk(PtInput input, FlowRequest request, AddressSpace code, FlowSink next) {
    this.input = input;
    this.time = request.time();
    this.next = next;
    this.cursor = new PacketCursor(input.file(), request.processor().errata());
    this.clock = request.processor().newClock();
    this.blocks = new CodeBlocks(code);
    this.decoder = new FlowDecoder(cursor, blocks, request.settings(), this);
  }

  /** Hands everything to another one from now on, too. */
  void handTo(FlowSink to) {
    next = to;
  }

  void run() {
    while (cursor.next()) {
      packets[cursor.type().ordinal()] += cursor.repeats();
      clock.take(cursor);
      if (cursor.type() == PacketType.ERROR) {
        input.note(cursor);
      }
      decoder.take();
    }
    decoder.end();
  }

  @Override
  public void instructions(CodeBlocks code, int block, int count, boolean isSpeculative) {
    if (!isInTime()) {
      return;
    }
    instructions += count;
    runs++;
    for (int i = 0; i < count; i++) {
      kinds[code.flowClass(block, i).ordinal()]++;
    }
    next.instructions(code, block, count, isSpeculative);
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    if (isInTime()) {
      events[event.ordinal()]++;
      next.event(event, address, value);
    }
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    if (!isInTime()) {
      return;
    }
    errors++;
    if (lost.size() < MOST) {
      lost.add(new Lost(error, offset, address));
    }
    next.error(error, offset, address);
  }

  /** Returns true at the times that were asked for; before the first time stamp it is 0. */
  private boolean isInTime() {
    if (time.whole()) {
      return true;
    }
    long nanos = clock.isKnown() ? clock.nanos() : 0;
    return nanos >= time.fromNanos() && nanos < time.toNanos();
  }

  PacketClock clock() {
    return clock;
  }

  long instructions() {
    return instructions;
  }

  /** Returns how many blocks were executed, one that ran twice twice. */
  long runs() {
    return runs;
  }

  /** Returns the first errors. */
  List<Lost> lost() {
    return lost;
  }

  /** Returns the number of all errors. */
  long errors() {
    return errors;
  }

  long count(PacketType type) {
    return packets[type.ordinal()];
  }

  long count(FlowClass kind) {
    return kinds[kind.ordinal()];
  }

  long count(FlowEvent event) {
    return events[event.ordinal()];
  }
}
