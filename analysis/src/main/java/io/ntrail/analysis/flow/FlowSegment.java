package io.ntrail.analysis.flow;

import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A part of a stream between two PSBs, decoded without what is before it. It fits behind the part
 * before if that one comes to the same state at the same packet, right behind the first header.
 */
final class FlowSegment implements Callable<FlowSegment> {
  private final FlowWorkers workers;

  /** Offset of the PSB that it begins with. */
  final long from;

  /** Offset of the PSB that it ends before; the size of the stream if it is the last one. */
  final long to;

  private FlowLog log = new FlowLog(false, new FlowTotals());
  private long startOffset = -1;
  private @Nullable FlowSnapshot start;
  private @Nullable FlowSnapshot end;

  FlowSegment(FlowWorkers workers, long from, long to) {
    this.workers = workers;
    this.from = from;
    this.to = to;
  }

  @Override
  public FlowSegment call() {
    FlowWorkers.Worker worker = workers.take();
    FlowLog kept = new FlowLog(workers.keepsRuns(), worker.scratch());
    end = decode(worker.blocks(), worker.scratch(), kept);
    kept.finish(worker.blocks());
    log = kept;
    // Not if it failed: half of a part is counted then.
    workers.give(worker);
    return this;
  }

  /** Returns the state at the end; null if it cannot be told. */
  private @Nullable FlowSnapshot decode(CodeBlocks blocks, FlowTotals totals, FlowLog kept) {
    PacketCursor cursor = workers.newCursor();
    FlowDecoder decoder = new FlowDecoder(cursor, blocks, workers.settings(), kept);
    boolean isTimed = workers.wantsTime();
    TimedPackets timed = new TimedPackets();
    cursor.seek(from);
    while (cursor.next()) {
      if (cursor.offset() >= to) {
        boolean isWhole = cursor.offset() == to && cursor.type() == PacketType.PSB;
        return isWhole && isUsable(decoder, kept) ? decoder.snapshot() : null;
      }
      if (start != null) {
        FlowLog.observe(cursor, totals, isTimed, kept);
      }
      decoder.take();
      if (isTimed && timed.take(cursor.type())) {
        kept.timed();
      }
      if (start == null && decoder.isOutsideHeaders()) {
        start = decoder.snapshot();
        startOffset = cursor.offset();
        kept.start();
      }
      if (kept.isFull()) {
        return null;
      }
    }
    return isUsable(decoder, kept) ? decoder.snapshot() : null;
  }

  private boolean isUsable(FlowDecoder decoder, FlowLog kept) {
    return start != null && decoder.isOutsideHeaders() && !kept.isFull();
  }

  /** Returns the state at the end, if this follows a state at a packet; null if it does not. */
  @Nullable FlowSnapshot endAfter(FlowSnapshot before, long offset) {
    return startOffset == offset && before.equals(start) ? end : null;
  }

  /** Returns what was found, from behind the first header on. */
  FlowLog log() {
    return log;
  }
}
