package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.TimedFlow;
import io.ntrail.analysis.flow.calls.FlowCallSink;
import io.ntrail.analysis.flow.calls.FlowCalls;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last instructions of a piece, that is those right before its event, with the blocks and calls
 * that they are of. However long the piece is, no more than so many are kept.
 */
public final class PieceTail implements FlowSink {
  /**
   * Time on the clock of the recording.
   *
   * @param trust how it is known; null: it is not
   */
  public record Moment(long nanos, TimedFlow.@Nullable Trust trust) {}

  /**
   * Instructions one behind the other.
   *
   * @param address of the first one that is kept
   * @param first number of the first one among those that are kept, from 0
   * @param instructions how many
   * @param depth calls that are open around it, counted from where the flow was found
   * @param moment of the first instruction, also if that is not kept
   */
  public record Block(long address, int first, int instructions, int depth, Moment moment) {}

  /**
   * Entry of a function.
   *
   * @param function number of the function
   * @param first number of its first instruction among those that are kept
   * @param address where it was entered
   * @param from address of the instruction before; null if there is none that is known
   * @param isOpen whether it was still running when the event came
   */
  public record Call(
      int function,
      int first,
      long address,
      @Nullable Long from,
      int depth,
      FlowCallSink.Entry how,
      boolean isOpen,
      Moment moment) {}

  /**
   * Place where instructions are missing.
   *
   * @param first number of the first instruction behind it among those that are kept
   * @param why the reason in words
   */
  public record Hole(int first, String why) {}

  private static final class OpenCall {
    private final Call call;
    private final long at;
    private boolean isOpen = true;

    OpenCall(Call call, long at) {
      this.call = call;
      this.at = at;
    }
  }

  private record Run(Block block, long at) {}

  private record HoleAt(String why, long at) {}

  /** Room for addresses at first. */
  private static final int FIRST = 1024;

  private final RecordedPiece piece;
  private final int most;

  /** The last addresses, each at its number modulo the most that are kept; grows up to those. */
  private long[] addresses;

  private final FlowCalls calls;

  private final Deque<Run> runs = new ArrayDeque<>();
  private final Deque<OpenCall> entered = new ArrayDeque<>();

  /** Open calls by depth, as many as a flow has at most. */
  private final List<OpenCall> open = new ArrayList<>();

  private final Deque<HoleAt> holes = new ArrayDeque<>();

  /** Instructions so far. */
  private long total;

  private int depth;

  /** True if the instruction before the next one is known. */
  private boolean isOn;

  private Moment moment = new Moment(0, null);

  /**
   * @param most instructions that are kept
   */
  public PieceTail(RecordedPiece piece, int most) {
    this.piece = piece;
    this.most = most;
    this.addresses = new long[Math.min(most, FIRST)];
    this.calls = new FlowCalls(piece.functions(), new Calls());
  }

  /** Returns the piece. */
  public RecordedPiece piece() {
    return piece;
  }

  /** Returns the functions of calls. */
  public FlowFunctions functions() {
    return piece.functions();
  }

  private long firstKept() {
    return Math.max(0, total - most);
  }

  @Override
  public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
    moment =
        piece.times().knowsNanos()
            ? new Moment(piece.times().nanos(), piece.times().trust())
            : new Moment(0, null);
    calls.instructions(blocks, block, count, isSpeculative);
    long address = blocks.start(block);
    runs.add(new Run(new Block(address, 0, count, depth, moment), total));
    for (int i = 0; i < count; i++) {
      put(total + i, address);
      address += blocks.length(block, i);
    }
    total += count;
    isOn = true;
    forget();
  }

  private void put(long number, long address) {
    int at = (int) (number % most);
    if (at >= addresses.length) {
      addresses = Arrays.copyOf(addresses, (int) Math.min(most, 2L * addresses.length));
    }
    addresses[at] = address;
  }

  /** Drops what belongs to instructions that are not kept. */
  private void forget() {
    long kept = firstKept();
    while (!runs.isEmpty() && runs.getFirst().at + runs.getFirst().block.instructions() <= kept) {
      runs.removeFirst();
    }
    while (!entered.isEmpty() && entered.getFirst().at < kept) {
      entered.removeFirst();
    }
    while (!holes.isEmpty() && holes.getFirst().at <= kept && total >= most) {
      holes.removeFirst();
    }
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    calls.event(event, address, value);
    if (event == FlowEvent.OVERFLOW) {
      hole("packets were lost (overflow)");
    } else if (event == FlowEvent.DISABLED) {
      isOn = false;
    }
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    calls.error(error, offset, address);
    hole(
        piece.reasons().text(error, address)
            + (address == 0 ? "" : " at 0x" + Long.toHexString(address)));
  }

  private void hole(String why) {
    isOn = false;
    // Without instructions between them one tells enough, the first one.
    if (holes.isEmpty() || holes.getLast().at < total) {
      holes.add(new HoleAt(why, total));
    }
  }

  /** Notes the calls of the instructions that come next. */
  private final class Calls implements FlowCallSink {
    @Override
    public void enter(int function, int callDepth, long address, long returnAddress, Entry how) {
      depth = callDepth;
      Long from = isOn && how != Entry.FOUND ? Long.valueOf(at(total - 1)) : null;
      Call call = new Call(function, 0, address, from, callDepth, how, true, moment);
      OpenCall entry = new OpenCall(call, total);
      entered.add(entry);
      // Depths grow by one; what was deeper is left.
      open.subList(Math.min(callDepth, open.size()), open.size()).clear();
      open.add(entry);
    }

    @Override
    public void executed(int callDepth, int instructions) {
      depth = callDepth;
    }

    @Override
    public void leave(int callDepth, boolean isSeen) {
      if (callDepth < open.size()) {
        open.get(callDepth).isOpen = false;
        open.subList(callDepth, open.size()).clear();
      }
    }

    @Override
    public void lost(FlowError error, long offset, long address) {
      // Noted already.
    }

    @Override
    public void overflow() {
      // Noted already.
    }
  }

  private long at(long number) {
    return addresses[(int) (number % most)];
  }

  /** Returns how many instructions are kept. */
  public int size() {
    return (int) (total - firstKept());
  }

  /** Returns how many instructions the piece has. */
  public long total() {
    return total;
  }

  /**
   * Returns the address of an instruction.
   *
   * @param number from 0, the oldest
   */
  public long address(int number) {
    return at(firstKept() + number);
  }

  /** Returns the blocks, oldest first; of the oldest only what is kept. */
  public List<Block> blocks() {
    List<Block> blocks = new ArrayList<>();
    for (Run run : runs) {
      int cut = (int) Math.max(0, firstKept() - run.at);
      Block block = run.block;
      blocks.add(
          new Block(
              cut == 0 ? block.address() : address(0),
              (int) Math.max(0, run.at - firstKept()),
              block.instructions() - cut,
              block.depth(),
              block.moment()));
    }
    return blocks;
  }

  /** Returns the functions that were entered, oldest first. */
  public List<Call> calls() {
    return entered.stream()
        .map(entry -> {
          Call call = entry.call;
          return new Call(
              call.function(),
              (int) (entry.at - firstKept()),
              call.address(),
              call.from(),
              call.depth(),
              call.how(),
              entry.isOpen,
              call.moment());
        })
        .toList();
  }

  /** Returns where instructions are missing, oldest first. */
  public List<Hole> holes() {
    return holes.stream().map(hole -> new Hole((int) (hole.at - firstKept()), hole.why)).toList();
  }

  /** Returns true if as many as were wanted are there, with nothing missing up to the event. */
  public boolean isComplete() {
    return size() == most && holes.isEmpty();
  }

  /**
   * Returns why instructions are missing; empty if none is.
   *
   * @param undecoded bytes before the first PSB, which nothing can be said of
   */
  public String why(long undecoded) {
    if (!piece.piece().isSynchronised()) {
      return "no PSB, with which decoding begins: nothing of the piece is decoded";
    }
    List<String> reasons = new ArrayList<>();
    for (Hole hole : holes()) {
      int after = size() - hole.first();
      reasons.add(
          (after == 0
                  ? "right before the event: "
                  : after + (after == 1 ? " instruction" : " instructions") + " before the event: ")
              + hole.why());
    }
    if (size() < most && (holes.isEmpty() || holes.getFirst().at > 0)) {
      reasons.add(
          piece.piece().isWrapped()
              ? "the ring wrapped: what ran before was overwritten"
              : undecoded > 0
                  ? undecoded + " bytes of trace before the first PSB cannot be decoded"
                  : "nothing is recorded before the first of them: the thread came onto the CPU,"
                      + " or tracing began");
    }
    return String.join("; ", reasons);
  }
}
