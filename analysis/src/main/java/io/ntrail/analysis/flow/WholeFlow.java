package io.ntrail.analysis.flow;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.memory.AddressSpace;
import org.jspecify.annotations.Nullable;

/**
 * The flow of a whole stream, on several cores: parts between PSBs are decoded beside each other,
 * and handed on in order by the thread that asked. What is handed on is the same with any number of
 * cores: a part counts only if the one before it comes to the same state at the same packet; else
 * the stream is decoded on from there.
 */
public final class WholeFlow {
  /** Bytes of a part at least: it has to be worth the hand-over. */
  private static final int LEAST = 1 << 14;

  private static final int MOST = 1 << 17;

  /** Bytes that are told to the progress together. */
  private static final int TOLD = 1 << 12;

  private final InputFile input;
  private final AddressSpace code;
  private final FlowSettings settings;
  private final StoppableWork<?> work;
  private final FlowTotals totals = new FlowTotals();
  private long joined;

  /**
   * A flow that is decoded to its end.
   *
   * @param code may be read by several threads
   */
  public WholeFlow(InputFile input, AddressSpace code, FlowSettings settings) {
    this(input, code, settings, new StoppableWork<>(""));
  }

  /**
   * A flow that was not decoded yet.
   *
   * @param code may be read by several threads
   * @param work is told how many bytes are decoded, and may stop decoding
   */
  public WholeFlow(
      InputFile input, AddressSpace code, FlowSettings settings, StoppableWork<?> work) {
    this.work = work;
    this.input = input;
    this.code = code;
    this.settings = settings;
  }

  /** Receives what the packets tell besides the flow, in order with it. */
  public interface PacketSink {
    /**
     * Takes a packet that a clock needs.
     *
     * @param value see {@link io.ntrail.formats.pt.PacketClock#operand}
     */
    void time(PacketType type, long value, boolean inHeader);

    /** Takes the news that the flow has come to the branch that the last CYC is of. */
    void timed();

    /** Takes bytes that are not packets. */
    void damage(PacketError error, long offset, long length);
  }

  /**
   * Parts of an answer that are wanted.
   *
   * @param runs whether what was executed is handed on, and not only counted
   * @param time whether packets that a clock needs are handed on
   * @param cores threads that decode; 1: the one that asks
   */
  public record Wanted(boolean runs, boolean time, int cores) {}

  /** Decodes all, once. */
  public void run(Wanted wanted, FlowSink flow, PacketSink packets) {
    int parts = 8 * wanted.cores();
    run(wanted, Math.clamp(input.size() / parts, LEAST, MOST), flow, packets);
  }

  /**
   * Decodes all, once.
   *
   * @param segmentBytes bytes of a part; it ends at the PSB behind them
   */
  void run(Wanted wanted, int segmentBytes, FlowSink flow, PacketSink packets) {
    if (wanted.cores() == 1 || input.size() < 2L * segmentBytes) {
      run(wanted, null, flow, packets);
      return;
    }
    try (FlowWorkers workers =
        new FlowWorkers(
            input, code, settings, wanted.runs(), wanted.time(), wanted.cores(), segmentBytes)) {
      run(wanted, workers, flow, packets);
    }
  }

  /**
   * Decodes all, once, with blocks that are kept from stream to stream, by the thread that asks.
   *
   * @param isTimed whether packets that a clock needs are handed on
   * @param blocks of the same code
   */
  public void run(boolean isTimed, CodeBlocks blocks, FlowSink flow, PacketSink packets) {
    run(new Wanted(true, isTimed, 1), null, blocks, flow, packets);
  }

  private void run(
      Wanted wanted, @Nullable FlowWorkers workers, FlowSink flow, PacketSink packets) {
    run(wanted, workers, new CodeBlocks(code), flow, packets);
  }

  private void run(
      Wanted wanted,
      @Nullable FlowWorkers workers,
      CodeBlocks blocks,
      FlowSink flow,
      PacketSink packets) {
    PacketCursor cursor = PacketCursor.joined(input, settings.errata());
    FlowDecoder decoder = new FlowDecoder(cursor, blocks, settings, new Counting(flow, totals));
    long boundary = workers == null ? input.size() : workers.after(0);
    boolean isTimed = wanted.time();
    TimedPackets timed = new TimedPackets();
    FlowSegment next = null;
    long told = 0;
    while (cursor.next()) {
      long offset = cursor.offset();
      if (offset - told >= TOLD) {
        told = offset;
        work.reached(offset);
        if (work.isStopping()) {
          work.stopped();
          break;
        }
      }
      if (workers != null && offset >= boundary) {
        next = null;
        boundary = workers.after(offset);
        if (offset == boundary && cursor.type() == PacketType.PSB) {
          next = workers.at(offset);
          boundary = workers.after(offset + 1);
        }
      }
      FlowLog.observe(cursor, totals, isTimed, packets);
      decoder.take();
      if (isTimed && timed.take(cursor.type())) {
        packets.timed();
      }
      if (next != null && decoder.isOutsideHeaders()) {
        FlowSnapshot end = next.endAfter(decoder.snapshot(), offset);
        if (end != null) {
          joined++;
          next.log().replay(blocks, flow, packets);
          totals.add(next.log().totals);
          decoder.restore(end);
          if (next.to == input.size()) {
            break;
          }
          cursor.seek(next.to);
        }
        next = null;
      }
    }
    if (work.stoppedAt().isEmpty()) {
      work.reached(input.size());
    }
    decoder.end();
    totals.settle(blocks);
  }

  /** Counts what the thread that asked decodes itself. */
  private record Counting(FlowSink to, FlowTotals totals) implements FlowSink {
    @Override
    public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
      totals.add(blocks, block, count);
      to.instructions(blocks, block, count, isSpeculative);
    }

    @Override
    public void event(FlowEvent event, long address, long value) {
      to.event(event, address, value);
    }

    @Override
    public void error(FlowError error, long offset, long address) {
      to.error(error, offset, address);
    }
  }

  /** Returns the sums, after the run. */
  public FlowTotals totals() {
    return totals;
  }

  /** Returns how many parts were decoded by other threads, and fitted. */
  long joined() {
    return joined;
  }
}
