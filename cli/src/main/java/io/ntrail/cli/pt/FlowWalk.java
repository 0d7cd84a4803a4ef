package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.FlowTotals;
import io.ntrail.analysis.flow.TimedFlow;
import io.ntrail.analysis.flow.WholeFlow;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.x86.FlowClass;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One pass over a stream: what was executed, counted, and handed on to who wants more. */
final class FlowWalk implements FlowSink, WholeFlow.PacketSink {
  /** Errors that are kept at most; all are counted. */
  private static final int MOST = 100_000;

  /** An error that is told. */
  record Lost(FlowError error, long offset, long address) {}

  private final PtInput input;
  private final FlowRequest request;
  private final TimeRange time;
  private final PacketClock clock;
  private final TimedFlow timed;
  private final WholeFlow flow;
  private @Nullable FlowSink next;

  /** Sums of what is of the time that is wanted; of the flow, if that is all. */
  private FlowTotals totals = new FlowTotals();

  private @Nullable CodeBlocks counted;
  private final long[] events = new long[FlowEvent.values().length];
  private final List<Lost> lost = new ArrayList<>();
  private long errors;

  /** A walk that hands nothing on. */
  FlowWalk(PtInput input, FlowRequest request, AddressSpace code) {
    this.input = input;
    this.request = request;
    this.time = request.time();
    this.clock = request.processor().newClock();
    this.timed = new TimedFlow(clock, this);
    this.flow = new WholeFlow(input.file(), code, request.settings(), input.work());
  }

  /** Hands everything that comes on, too. */
  void handTo(FlowSink to) {
    next = to;
  }

  void run() {
    boolean isAll = time.whole();
    input.begin("following the flow of");
    WholeFlow.Wanted wanted =
        new WholeFlow.Wanted(
            next != null || !isAll, request.processor().clock().tscHertz() != 0, request.cores());
    flow.run(wanted, wanted.runs() && wanted.time() ? timed : this, this);
    timed.finish();
    if (isAll) {
      totals = flow.totals();
    } else if (counted != null) {
      totals.settle(counted);
    }
  }

  @Override
  public void time(PacketType type, long value, boolean inHeader) {
    timed.time(type, value, inHeader);
  }

  @Override
  public void timed() {
    timed.timed();
  }

  @Override
  public void damage(PacketError error, long offset, long length) {
    input.note(error, offset, length);
  }

  @Override
  public void instructions(CodeBlocks code, int block, int count, boolean isSpeculative) {
    if (!time.whole()) {
      if (!isInTime()) {
        return;
      }
      totals.add(code, block, count);
      counted = code;
    }
    if (next != null) {
      next.instructions(code, block, count, isSpeculative);
    }
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    if (isInTime()) {
      events[event.ordinal()]++;
      if (next != null) {
        next.event(event, address, value);
      }
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
    if (next != null) {
      next.error(error, offset, address);
    }
  }

  /** Returns true at the times that were asked for; before the first time stamp it is 0. */
  private boolean isInTime() {
    return time.whole() || time.contains(timed.knowsNanos() ? timed.nanos() : 0);
  }

  PacketClock clock() {
    return clock;
  }

  /** Returns the times of what is handed on, while it is. */
  TimedFlow times() {
    return timed;
  }

  long instructions() {
    return totals.instructions();
  }

  /** Returns how many blocks were executed, one that ran twice twice. */
  long runs() {
    return totals.runs();
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
    return flow.totals().count(type);
  }

  long count(FlowClass kind) {
    return totals.count(kind);
  }

  long count(FlowEvent event) {
    return events[event.ordinal()];
  }
}
