package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.etw.ipt.PieceReader;
import io.ntrail.analysis.etw.ipt.TracePieces.Piece;
import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.TimedFlow;
import io.ntrail.analysis.flow.WholeFlow;
import io.ntrail.analysis.flow.WholeFlow.PacketSink;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ReusedInput;
import io.ntrail.formats.pt.ClockSettings;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.formats.pt.PsbSearch;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Follows the flow of one piece after the other. Blocks of code are kept while processes have the
 * same images, as far as memory allows. For one thread.
 */
public final class PieceWalk implements AutoCloseable {
  /** Blocks that are kept at most, about 60 bytes each. */
  private static final long MOST_BLOCKS =
      Math.clamp(Runtime.getRuntime().maxMemory() / 1024, 1 << 16, 1 << 22);

  /** Things that are kept of an address space. */
  private record Warm(CodeBlocks blocks, FlowFunctions functions) {}

  private final RecordedTrace trace;
  private final PieceSettings settings;
  private final PieceReader reader;
  private final ReusedInput memory = new ReusedInput();
  private final Map<ProcessCode, Warm> warm = new LinkedHashMap<>(16, 0.75f, true);

  PieceWalk(RecordedTrace trace, PieceSettings settings) {
    this.trace = trace;
    this.settings = settings;
    this.reader = trace.pieces().reader();
  }

  /**
   * Follows the flow of a piece.
   *
   * @param number of the piece
   * @param sink returns who takes the flow of the piece
   */
  public PieceResult walk(int number, Function<RecordedPiece, FlowSink> sink) {
    Piece piece = trace.pieces().piece(number);
    InputFile stream = reader.read(number).inOrder(memory);
    ProcessCode code = trace.code(number);
    Warm known = warm(code);
    PacketClock clock = newClock(piece);
    Forward forward = new Forward();
    TimedFlow timed = new TimedFlow(clock, forward);
    long end = settings.isTimed() ? lastTime(piece, stream) : 0;
    long hertz = hertz();
    PieceClock times =
        new PieceClock(timed, hertz, end, piece.eventNanos(), trace.isTimeStampCounter());
    forward.next =
        sink.apply(
            new RecordedPiece(
                number,
                piece,
                trace.process(number),
                known.functions,
                times,
                (error, address) -> trace.why(number, code, error, address)));
    WholeFlow flow = new WholeFlow(stream, code, settings.flow());
    Packets packets = new Packets(timed);
    boolean isTimed = hertz != 0 && end != 0;
    flow.run(isTimed, known.blocks, isTimed ? timed : forward, packets);
    timed.finish();
    trim();
    long psb = PsbSearch.next(stream, 0);
    return new PieceResult(
        flow.totals(),
        forward.errors,
        packets.damaged,
        psb < 0 ? stream.size() : psb,
        clock,
        isTimed);
  }

  private long hertz() {
    long given = settings.clock().tscHertz();
    return trace.isTimeStampCounter() || given == 0 ? trace.hertz() : given;
  }

  private PacketClock newClock(Piece piece) {
    ClockSettings given = settings.clock();
    ClockSettings own =
        new ClockSettings(
            piece.options().mtcFrequency(), given.eax(), given.ebx(), given.nominal());
    return new PacketClock(own, settings.rounding(), settings.flow().errata());
  }

  /** Returns the time stamp counter after the last packet; 0 if no packet tells any. */
  private long lastTime(Piece piece, InputFile stream) {
    PacketClock clock = newClock(piece);
    PacketCursor packets = PacketCursor.joined(stream, settings.flow().errata());
    while (packets.next()) {
      if (PacketClock.needs(packets)) {
        clock.take(packets);
      }
    }
    return clock.tsc();
  }

  private Warm warm(ProcessCode code) {
    return warm.computeIfAbsent(
        code, _ -> new Warm(new CodeBlocks(code), new FlowFunctions(trace.modules(code))));
  }

  /** Forgets what was not used for the longest time, if it is too much. */
  private void trim() {
    long blocks = warm.values().stream().mapToLong(one -> one.blocks.size()).sum();
    Iterator<Warm> eldest = warm.values().iterator();
    while (blocks > MOST_BLOCKS / settings.threads() && warm.size() > 1) {
      blocks -= eldest.next().blocks.size();
      eldest.remove();
    }
  }

  /** Hands the flow of a piece on, and counts its errors. */
  private static final class Forward implements FlowSink {
    private long errors;
    private @Nullable FlowSink next;

    @Override
    public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
      if (next != null) {
        next.instructions(blocks, block, count, isSpeculative);
      }
    }

    @Override
    public void event(FlowEvent event, long address, long value) {
      if (next != null) {
        next.event(event, address, value);
      }
    }

    @Override
    public void error(FlowError error, long offset, long address) {
      errors++;
      if (next != null) {
        next.error(error, offset, address);
      }
    }
  }

  /** Takes what the packets tell besides the flow. */
  private static final class Packets implements PacketSink {
    private final TimedFlow timed;
    private long damaged;

    Packets(TimedFlow timed) {
      this.timed = timed;
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
      damaged += error == PacketError.BEFORE_FIRST_PSB ? 0 : 1;
    }
  }

  @Override
  public void close() {
    reader.close();
  }
}
