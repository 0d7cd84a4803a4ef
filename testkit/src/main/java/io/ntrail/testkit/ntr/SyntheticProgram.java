package io.ntrail.testkit.ntr;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A program that does not exist, and what a recorder of its calls would see: functions with fixed
 * call sites and frame sizes, some much more popular than others, loops, returned values of several
 * kinds, times of a 2.5 GHz counter, exceptions now and then, one of which leaves several frames.
 *
 * <p>The same seed gives the same calls. Events come one after the other and are not kept, so it
 * may run for billions of them.
 */
public final class SyntheticProgram {
  private static final int MAX_DEPTH = 200;
  private static final int LOOPS = 8;
  private static final long EXCEPTION = 0xE06D7363L;

  /** Receives the events of one thread in their order; the arguments are those of the records. */
  public interface Recorder {
    /** A function is entered. Functions are numbered from 1. */
    void entry(long ticks, int function, int slot, long key, long returnAddress);

    /** A function is left. */
    void exit(long ticks, int function, int slot, long key, long value);

    /** An exception leaves a function. */
    void unwind(long ticks, int function, int slot, long key, long code);
  }

  private final SplittableRandom random;
  private final int disorder;
  private final int[][] callees;
  private final long[] address;
  private final int[] frameSize;
  private final int[] cost;
  private final int[] valueKind;
  private final long[] lastValue;

  private final int[] stack = new int[MAX_DEPTH + 1];
  private final int[] nextSite = new int[MAX_DEPTH + 1];
  private final long[] keys = new long[MAX_DEPTH + 1];
  private int depth;
  private long ticks;

  /**
   * A program.
   *
   * @param functions how many it has
   * @param disorder how many calls in a hundred come through code that is not traced, so that their
   *     frames lie anywhere, return a pointer that was never seen, and take any time
   */
  public SyntheticProgram(long seed, int functions, int disorder) {
    random = new SplittableRandom(seed);
    this.disorder = disorder;
    callees = new int[functions][];
    address = new long[functions];
    frameSize = new int[functions];
    cost = new int[functions];
    valueKind = new int[functions];
    lastValue = new long[functions];
    long at = 0x7FF6_1234_1000L;
    for (int f = 0; f < functions; f++) {
      address[f] = at;
      at += 32 + 16L * random.nextInt(64);
      frameSize[f] = 40 + 16 * random.nextInt(12);
      cost[f] = 40 + (int) (20 / (0.01 + random.nextDouble()));
      valueKind[f] = random.nextInt(10);
      // Functions further down in the program are called by more, and call less.
      int sites = random.nextInt(4) == 0 ? 0 : random.nextInt(6);
      callees[f] = new int[f > functions * 3 / 4 ? sites / 3 : sites];
      for (int s = 0; s < callees[f].length; s++) {
        double popular = Math.pow(random.nextDouble(), 3);
        callees[f][s] = functions - 1 - (int) (popular * (functions - 1));
      }
    }
    ticks = 1_000_000_000_000L + random.nextInt(1 << 30);
    Arrays.fill(keys, 0x0000_00E3_5FCF_F8E8L);
  }

  /** Returns the number of functions. */
  public int functions() {
    return address.length;
  }

  /** The address of a function. */
  public long address(int function) {
    return address[function - 1];
  }

  /** Runs on for at least so many events; stops between two calls with some open. */
  public void run(long events, Recorder to) {
    long made = 0;
    while (made < events) {
      made += step(to);
    }
  }

  /** Leaves all open functions. */
  public void finish(Recorder to) {
    while (depth > 0) {
      leave(to);
    }
  }

  private int step(Recorder to) {
    if (depth == 0) {
      ticks += 2_000 + random.nextInt(100_000);
      return enter(to, random.nextInt(Math.min(8, address.length)), 0x7FF6_0001_0040L);
    }
    int function = stack[depth];
    int[] sites = callees[function];
    int site = nextSite[depth] % Math.max(1, sites.length);
    int rounds = nextSite[depth] / Math.max(1, sites.length);
    boolean done = sites.length == 0 || rounds > 0 && random.nextInt(LOOPS) != 0;
    if (done || depth == MAX_DEPTH) {
      return random.nextInt(20_000) == 0 ? raise(to) : leave(to);
    }
    nextSite[depth]++;
    if (random.nextInt(5) == 0) {
      return 0;
    }
    work(function);
    return enter(to, sites[site], address[function] + 11 + 14L * site);
  }

  private void work(int function) {
    // Most take their usual time, a few have to wait for memory, or for something else.
    int usual = cost[function];
    ticks += usual + random.nextInt(usual / 4 + 1);
    int chance = random.nextInt(1000);
    if (chance < 50) {
      ticks += random.nextInt(600);
      if (chance == 0) {
        ticks += random.nextInt(200_000);
      }
    }
  }

  private int enter(Recorder to, int function, long returnAddress) {
    long caller = depth == 0 ? 0 : frameSize[stack[depth]];
    long key = keys[depth] - caller - 8;
    if (random.nextInt(100) < disorder) {
      key -= 16L * random.nextInt(200);
      ticks += random.nextInt(20_000);
    }
    depth++;
    stack[depth] = function;
    nextSite[depth] = 0;
    keys[depth] = key;
    to.entry(ticks, function + 1, depth - 1, key, returnAddress);
    return 1;
  }

  private int leave(Recorder to) {
    int function = stack[depth];
    work(function);
    long value = value(function);
    to.exit(ticks, function + 1, depth - 1, keys[depth], value);
    depth--;
    return 1;
  }

  private int raise(Recorder to) {
    int frames = 1 + random.nextInt(Math.min(depth, 6));
    for (int i = 0; i < frames; i++) {
      ticks += 1_500 + random.nextInt(1_000);
      to.unwind(ticks, stack[depth] + 1, depth - 1, keys[depth], EXCEPTION);
      depth--;
    }
    return frames;
  }

  private long value(int function) {
    if (random.nextInt(100) < disorder) {
      ticks += random.nextInt(20_000);
      return 0x0000_0213_8A40_0000L + 16L * random.nextInt(1 << 24);
    }
    long value =
        switch (valueKind[function]) {
          case 0, 1, 2 -> 0;
          case 3 -> random.nextInt(8) == 0 ? 0xC000_0034L : 0;
          case 4, 5 -> random.nextInt(2);
          case 6 -> random.nextInt(300);
          case 7 -> lastValue[function] + 1;
          case 8 -> 0x0000_0213_8A40_0000L + 16L * random.nextInt(1 << 18);
          default -> random.nextInt(4) == 0 ? random.nextLong() : lastValue[function];
        };
    lastValue[function] = value;
    return value;
  }
}
