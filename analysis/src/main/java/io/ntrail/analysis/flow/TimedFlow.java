package io.ntrail.analysis.flow;

import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A flow that is held back until it is known when it ran: between two times that packets tell, by
 * the number of instructions. While something is handed on, this tells its time.
 *
 * <p>An MTC or TSC tells the time of the place that the flow has come to; a CYC that of the branch
 * which the packet behind it tells. What is behind the last time, and what is too much to be held
 * back, has the time before it: it ran then or after.
 */
public final class TimedFlow implements FlowSink, FlowTimes {
  /** Ways in which a time is known. */
  public enum Trust {
    /** A packet told it. */
    PACKET,
    /** It lies between two that packets told, as far as instructions before and behind it say. */
    ESTIMATE,
    /** It is the last one that a packet told: it was then or after. */
    LOWER_BOUND
  }

  /** Numbers that are held back at most. */
  private static final int MOST = 1 << 20;

  private static final int RUN = 0;
  private static final int EVENT = 1;
  private static final int KIND = 3;
  private static final int FLAG = 4;
  private static final int NUMBER_SHIFT = 3;
  private static final int BLOCK_SHIFT = 32;

  private static final FlowEvent[] EVENTS = FlowEvent.values();
  private static final FlowError[] ERRORS = FlowError.values();

  private final PacketClock clock;
  private final FlowSink sink;
  private final int most;

  /** Runs, events and errors that are held back. */
  private long[] words = new long[256];

  private int size;
  private @Nullable CodeBlocks blocks;

  /** Instructions among them. */
  private long held;

  /** True if some since the last time were handed on already: there are too many. */
  private boolean isFull;

  private boolean hasStart;
  private long start;

  /** True if a CYC told the time of the next branch. */
  private boolean hasCycles;

  private long cycles;

  /** Place among {@link #words} of what came behind that CYC. */
  private int behindCycles;

  // Of what is handed on.
  private boolean isEnded;
  private boolean isBranchTimed;
  private long end;
  private long total;
  private long before;
  private boolean isRun;
  private boolean isBehindCycles;

  /**
   * A flow of which nothing came yet.
   *
   * @param clock is given the packets here
   * @param sink may ask for times
   */
  public TimedFlow(PacketClock clock, FlowSink sink) {
    this(clock, sink, MOST);
  }

  /**
   * @param most numbers that are held back at most
   */
  TimedFlow(PacketClock clock, FlowSink sink, int most) {
    this.clock = clock;
    this.sink = sink;
    this.most = most;
  }

  /** Takes a packet that the clock needs, as {@link WholeFlow.PacketSink#time} has it. */
  public void time(PacketType type, long value, boolean inHeader) {
    clock.take(type, value, inHeader);
    if (!clock.isTold()) {
      return;
    }
    timed();
    if (type == PacketType.CYC) {
      hasCycles = true;
      cycles = clock.tsc();
      behindCycles = size;
    } else {
      reach(clock.tsc(), false);
    }
  }

  /** Takes the news that the flow has come to the branch that the last CYC is of. */
  public void timed() {
    if (hasCycles) {
      hasCycles = false;
      reach(cycles, true);
    }
  }

  /** Hands on what is held back: no more times come. */
  public void finish() {
    timed();
    handOn();
  }

  private void reach(long time, boolean isBranch) {
    isEnded = !isFull;
    isBranchTimed = isBranch;
    end = time;
    handOn();
    isEnded = false;
    isFull = false;
    hasStart = true;
    start = time;
  }

  private void handOn() {
    total = held;
    before = 0;
    int at = 0;
    while (at < size) {
      isBehindCycles = at >= behindCycles;
      long word = words[at++];
      int number = (int) word >>> NUMBER_SHIFT;
      switch ((int) word & KIND) {
        case RUN -> run((int) (word >>> BLOCK_SHIFT), number, (word & FLAG) != 0);
        case EVENT -> sink.event(EVENTS[number], words[at++], words[at++]);
        default -> sink.error(ERRORS[number], words[at++], words[at++]);
      }
    }
    size = 0;
    behindCycles = 0;
    held = 0;
    total = 0;
    before = 0;
  }

  private void run(int block, int count, boolean isSpeculative) {
    CodeBlocks of = blocks;
    if (of != null) {
      isRun = true;
      sink.instructions(of, block, count, isSpeculative);
      isRun = false;
      before += count;
    }
  }

  /** Makes room; what there is none for is handed on as it comes, up to the next time. */
  private void add(long first) {
    if (size == words.length) {
      words = Arrays.copyOf(words, 2 * size);
    }
    words[size++] = first;
  }

  private void settle() {
    if (!hasStart || isFull || size >= most) {
      isFull |= size >= most;
      handOn();
    }
  }

  @Override
  public void instructions(CodeBlocks of, int block, int count, boolean isSpeculative) {
    blocks = of;
    add((long) block << BLOCK_SHIFT | (long) count << NUMBER_SHIFT | (isSpeculative ? FLAG : 0));
    held += count;
    settle();
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    add((long) event.ordinal() << NUMBER_SHIFT | EVENT);
    add(address);
    add(value);
    settle();
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    add((long) error.ordinal() << NUMBER_SHIFT | EVENT + 1);
    add(offset);
    add(address);
    settle();
  }

  /** Returns true if a time stamp came, so that {@link #tsc(int)} tells something. */
  public boolean knowsTicks() {
    return hasStart;
  }

  @Override
  public boolean knowsNanos() {
    return hasStart && clock.knowsNanos();
  }

  @Override
  public long nanos(int index) {
    return clock.nanos(tsc(index));
  }

  /** Returns the time stamp counter at the event or error, or at the first instruction. */
  public long tsc() {
    return hasStart ? tsc(0) : 0;
  }

  /** Returns how many of the instructions between the times were executed by then. */
  private long executed(int index) {
    return before + (isRun ? index + 1 : 0);
  }

  /**
   * Returns the time stamp counter at an event or error, or at an instruction of a run.
   *
   * @param index of the instruction; 0 for the others
   */
  public long tsc(int index) {
    if (!isEnded) {
      return start;
    }
    if (total == 0) {
      return isBranchTimed ? end : start;
    }
    // No two time stamps are so far from each other, and no stretch is so long, as to overflow.
    return start + Math.round((double) (end - start) * executed(index) / total);
  }

  @Override
  public Trust trust(int index) {
    if (!isEnded) {
      return Trust.LOWER_BOUND;
    }
    boolean isAtBranch = isBranchTimed && isBehindCycles && executed(index) == total;
    return isAtBranch || end == start ? Trust.PACKET : Trust.ESTIMATE;
  }
}
