package io.ntrail.testkit.pt;

import java.util.SplittableRandom;

/**
 * Encodes flow that is told step by step. Each step says whether it is among those that a decoder
 * can find: what an overflow takes is not.
 */
public final class PtEncoder {
  private static final int RETURNS = 64;
  private static final int MOST_DEFERRED = 3;
  private static final int MTC_FREQUENCY = 3;
  private static final int CYCLES_A_TICK = 8;
  private static final int RATIO = 84;
  private static final int LONGEST_LOSS = 400;

  private final PtPackets packets;
  private final PtOptions options;
  private final SplittableRandom random;
  private final int bits;
  private final long[] returns = new long[RETURNS];
  private int top;
  private int depth;
  private long results;
  private int pending;
  private final long[] deferred = new long[MOST_DEFERRED];
  private int deferrals;
  private boolean isEnabled;
  private int lost;
  private long cycles;
  private long lastCyc;
  private long lastTick;
  private int overflows;
  private int pauses;
  private int psbs;

  /** Kind of an instruction, as far as flow depends on it. */
  public enum Kind {
    /** Goes on behind it. */
    OTHER,
    /** Repeats itself; counts once. */
    REPEAT,
    /** Direct jump. */
    JUMP,
    /** Direct call; of the instruction behind it, it is none. */
    CALL,
    /** Conditional branch, LOOP or JECXZ. */
    CONDITIONAL,
    /** Indirect jump. */
    INDIRECT_JUMP,
    /** Indirect call. */
    INDIRECT_CALL,
    /** Near return. */
    RETURN
  }

  /**
   * Begins with a PSB while tracing is off.
   *
   * @param bits 32 or 64
   * @param seed of what the options leave to chance
   */
  public PtEncoder(PtOptions options, int bits, long seed) {
    this.options = options;
    this.bits = bits;
    this.random = new SplittableRandom(seed);
    this.packets = new PtPackets(options.fullIps());
    psb(0, false);
  }

  /** Returns the stream; to be called after {@link #end}. */
  public byte[] stream() {
    return packets.toByteArray();
  }

  /** Returns the offset of the last PSB so far. */
  public int lastPsb() {
    return packets.size() - packets.sincePsb();
  }

  /** Returns the number of overflows so far. */
  public int overflows() {
    return overflows;
  }

  /** Returns how often tracing paused so far. */
  public int pauses() {
    return pauses;
  }

  /** Returns the number of PSBs so far. */
  public int psbs() {
    return psbs;
  }

  /**
   * Adds an instruction.
   *
   * @param ip where it is
   * @param after address behind it
   * @param next address of the next one that is executed
   * @return false if the stream does not have it
   */
  public boolean step(Kind kind, long ip, long after, long next) {
    if (!isEnabled) {
      before().mode(bits);
      timed().ip(PtPackets.PGE, ip);
      isEnabled = true;
    }
    cycles++;
    boolean isSeen = lost == 0;
    boolean isTold = branch(kind, after, next, isSeen);
    if (lost > 0) {
      lost--;
      if (lost == 0) {
        timed().overflow();
        timed().ip(PtPackets.FUP, next);
      }
    } else if (isTold && options.overflows() > 0 && random.nextInt(options.overflows()) == 0) {
      flush();
      depth = 0;
      lost = 1 + random.nextInt(LONGEST_LOSS);
      overflows++;
    } else if (options.interrupts() > 0 && random.nextInt(options.interrupts()) == 0) {
      pause(next);
    } else if (packets.sincePsb() >= options.psbBytes()) {
      flush();
      psb(next, true);
    }
    return isSeen;
  }

  /**
   * An interrupt comes before an instruction, and goes on to another one.
   *
   * @param next instruction that is not executed
   * @param handler that is executed next
   */
  public void interrupt(long next, long handler) {
    if (!isEnabled || lost > 0) {
      return;
    }
    flush();
    timed().ip(PtPackets.FUP, next);
    before().ip(PtPackets.TIP, handler);
  }

  /** Ends tracing before an instruction. */
  public void end(long next) {
    if (lost > 0) {
      lost = 0;
      timed().overflow();
      timed().ip(PtPackets.FUP, next);
    }
    if (isEnabled) {
      pause(next);
    }
  }

  private boolean branch(Kind kind, long after, long next, boolean isSeen) {
    return switch (kind) {
      case CALL -> {
        if (next != after) {
          push(after);
        }
        yield false;
      }
      case CONDITIONAL -> {
        if (isSeen) {
          result(next != after);
        }
        yield isSeen;
      }
      case INDIRECT_JUMP, INDIRECT_CALL -> {
        if (isSeen) {
          target(next);
        }
        if (kind == Kind.INDIRECT_CALL) {
          push(after);
        }
        yield isSeen;
      }
      case RETURN -> {
        boolean isExpected = pop(next);
        if (isSeen && isExpected && options.compressedReturns()) {
          result(true);
        } else if (isSeen) {
          flush();
          timed().ip(PtPackets.TIP, next);
        }
        yield isSeen;
      }
      default -> false;
    };
  }

  private void push(long address) {
    if (lost > 0) {
      return;
    }
    top = (top + 1) % RETURNS;
    returns[top] = address;
    depth = Math.min(RETURNS, depth + 1);
  }

  private boolean pop(long address) {
    if (lost > 0 || depth == 0) {
      return false;
    }
    boolean isExpected = returns[top] == address;
    top = (top + RETURNS - 1) % RETURNS;
    depth--;
    return isExpected;
  }

  private void result(boolean isTaken) {
    results = results << 1 | (isTaken ? 1 : 0);
    pending++;
    if (pending == (options.longTnt() ? PtPackets.LONG_TNT : PtPackets.SHORT_TNT)) {
      flush();
    }
  }

  /** Adds the target of an indirect branch, now or behind results that are yet to come. */
  private void target(long next) {
    if (options.deferred() && pending > 0 && deferrals < MOST_DEFERRED && random.nextBoolean()) {
      deferred[deferrals++] = next;
      return;
    }
    if (deferrals > 0 || pending > 0) {
      flush();
    }
    timed().ip(PtPackets.TIP, next);
  }

  /** Writes all results and targets that wait. */
  private void flush() {
    if (pending > 0) {
      if (pending > PtPackets.SHORT_TNT) {
        timed().longTnt(results, pending);
      } else {
        timed().tnt(results, pending);
      }
      pending = 0;
      results = 0;
    }
    for (int i = 0; i < deferrals; i++) {
      timed().ip(PtPackets.TIP, deferred[i]);
    }
    deferrals = 0;
  }

  /** Something else runs before an instruction. */
  private void pause(long next) {
    flush();
    timed().ip(PtPackets.FUP, next);
    before().noIp(PtPackets.PGD);
    depth = 0;
    isEnabled = false;
    pauses++;
    if (random.nextInt(4) == 0) {
      psb(0, false);
    }
  }

  private void psb(long next, boolean isTracing) {
    packets.psb();
    psbs++;
    if (options.timing()) {
      long tick = cycles / CYCLES_A_TICK;
      packets.tsc((tick + 1_000_000) * RATIO).tma((int) tick, 0);
      lastTick = tick;
      lastCyc = cycles;
    }
    packets.noTransaction();
    if (isTracing) {
      packets.mode(bits).ip(PtPackets.FUP, next);
    }
    packets.cbr(30).psbEnd();
    depth = 0;
  }

  private PtPackets before() {
    if (options.pads() > 0 && random.nextInt(options.pads()) == 0) {
      packets.pad();
    }
    return packets;
  }

  /** Writes the time of what is written next. */
  private PtPackets timed() {
    if (options.timing()) {
      long tick = cycles / CYCLES_A_TICK;
      if (tick >> MTC_FREQUENCY != lastTick >> MTC_FREQUENCY) {
        packets.mtc((int) (tick >> MTC_FREQUENCY));
        lastTick = tick;
      }
      if (options.cycles() && cycles != lastCyc) {
        packets.cyc(cycles - lastCyc);
        lastCyc = cycles;
      }
    }
    return before();
  }
}
