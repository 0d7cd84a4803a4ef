package io.ntrail.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Checks a statement on many random inputs, and makes the input of a failure small.
 *
 * <pre>{@code
 * Property.check(g -> {
 *   byte[] data = g.bytes(5000);
 *   assertArrayEquals(data, decode(encode(data)));
 * });
 * }</pre>
 *
 * <p>Inputs are drawn from a {@link Gen}, which remembers every choice as a number. A failing input
 * is made smaller by replaying shorter and smaller sequences of choices, so generators need no
 * shrinkers of their own; they should make 0 the simplest choice. The message of the failure has
 * the seed; {@code -Dntrail.property.seed=N} repeats that run alone, {@code
 * -Dntrail.property.runs=N} sets how many there are.
 */
public final class Property {
  private static final int RUNS = 200;
  private static final int REPLAYS = 2000;

  /** Limit of all choices of smaller inputs that are in memory at a time. */
  private static final int MOST_CHOICES = 1 << 22;

  private Property() {}

  /** A statement about inputs drawn from a generator; it fails by throwing. */
  @FunctionalInterface
  public interface Statement {
    /** Draws inputs and asserts something about them. */
    void check(Gen gen) throws Throwable;
  }

  /** A source of choices: random ones, or the replay of earlier ones and zeros after them. */
  public static final class Gen {
    private final @Nullable SplittableRandom random;
    private final long[] replay;
    private final int size;
    private long[] made = new long[64];
    private int count;

    private Gen(@Nullable SplittableRandom random, long[] replay, int size) {
      this.random = random;
      this.replay = replay;
      this.size = size;
    }

    private long choice(long bound) {
      long value;
      if (random != null) {
        value = bound > 0 ? random.nextLong(bound) : random.nextLong();
      } else {
        value = count < replay.length ? replay[count] : 0;
      }
      // A bound beyond 63 bits shows as a negative number.
      if (bound != 0) {
        value = Long.remainderUnsigned(value, bound);
      }
      if (count == made.length) {
        made = Arrays.copyOf(made, 2 * count);
      }
      made[count++] = value;
      return value;
    }

    /**
     * Returns the size that inputs of this run should be, from 1 in the first run to 100 in the
     * last.
     */
    public int size() {
      return size;
    }

    /** Any 64 bits. */
    public long bits() {
      return choice(0);
    }

    /** A number from 0 up to but without {@code bound}. */
    public int below(int bound) {
      return (int) choice(bound);
    }

    /** A number from {@code low} to {@code high}, both included; low is the simplest. */
    public long between(long low, long high) {
      return low + choice(high - low + 1);
    }

    /** A length from 0 to {@code max} that grows from run to run. */
    public int length(int max) {
      return below((int) Math.max(1, (long) max * size / 100) + 1);
    }

    /** Yes or no; no is the simplest. */
    public boolean flag() {
      return choice(2) != 0;
    }

    /**
     * A number with any count of significant bits: small ones and borders are as likely as huge.
     */
    public long scaled() {
      int width = below(65);
      return width == 0 ? 0 : bits() >>> (64 - width);
    }

    /** One of {@code values}; the first is the simplest. */
    @SafeVarargs
    public final <T> T oneOf(T... values) {
      return values[below(values.length)];
    }

    /** At most {@code max} bytes, of few different values or of many. */
    public byte[] bytes(int max) {
      byte[] out = new byte[length(max)];
      int values = 1 << below(9);
      for (int i = 0; i < out.length; i++) {
        out[i] = (byte) below(values);
      }
      return out;
    }

    /** A text of at most {@code max} characters, mostly ASCII. */
    public String text(int max) {
      StringBuilder out = new StringBuilder();
      for (int i = length(max); i > 0; i--) {
        out.appendCodePoint(below(10) < 8 ? 'a' + below(26) : oneOf(0x20, 0xE4, 0x20AC, 0x1F600));
      }
      return out.toString();
    }

    /** At most {@code max} elements. */
    public <T> List<T> list(int max, Function<Gen, T> element) {
      List<T> out = new ArrayList<>();
      for (int i = length(max); i > 0; i--) {
        out.add(element.apply(this));
      }
      return out;
    }

    private long[] choices() {
      return Arrays.copyOf(made, count);
    }
  }

  /** Checks a statement on 200 inputs, or as many as the system property says. */
  public static void check(Statement statement) {
    check(Integer.getInteger("ntrail.property.runs", RUNS), statement);
  }

  /** Checks a statement on {@code runs} inputs that grow from run to run. */
  public static void check(int runs, Statement statement) {
    Long fixed = Long.getLong("ntrail.property.seed");
    SplittableRandom seeds = new SplittableRandom(System.nanoTime());
    for (int run = 0; run < runs; run++) {
      // The size is the seed's remainder, so that the seed alone repeats the run.
      long own = (seeds.nextLong() >>> 8) / 100 * 100 + 99L * run / Math.max(1, runs - 1);
      long seed = fixed != null ? fixed : own;
      int size = 1 + (int) Math.floorMod(seed, 100L);
      Gen gen = new Gen(new SplittableRandom(seed), new long[0], size);
      Throwable failure = attempt(statement, gen);
      if (failure != null) {
        throw smallest(statement, gen.choices(), size, failure, seed, run);
      }
      if (fixed != null) {
        return;
      }
    }
  }

  private static @Nullable Throwable attempt(Statement statement, Gen gen) {
    try {
      statement.check(gen);
      return null;
    } catch (VirtualMachineError e) {
      throw e;
    } catch (Throwable e) {
      return e;
    }
  }

  private static AssertionError smallest(
      Statement statement, long[] first, int size, Throwable failure, long seed, int run) {
    long[] best = first;
    Throwable last = failure;
    int replays = 0;
    boolean better = true;
    while (better && replays < REPLAYS) {
      better = false;
      for (long[] candidate : smaller(best)) {
        if (replays++ >= REPLAYS) {
          break;
        }
        Gen gen = new Gen(null, candidate, size);
        Throwable e = attempt(statement, gen);
        if (e != null && isSimpler(gen.choices(), best)) {
          best = gen.choices();
          last = e;
          better = true;
          break;
        }
      }
    }
    // What the statement leaves behind, such as a file, is that of the smallest input.
    attempt(statement, new Gen(null, best, size));
    return new AssertionError(
        "run %d failed: %s%nrepeat with -Dntrail.property.seed=%d; smallest choices %s"
            .formatted(
                run, last, seed, Arrays.toString(Arrays.copyOf(best, Math.min(best.length, 40)))),
        last);
  }

  private static boolean isSimpler(long[] a, long[] b) {
    if (a.length != b.length) {
      return a.length < b.length;
    }
    for (int i = 0; i < a.length; i++) {
      int order = Long.compareUnsigned(a[i], b[i]);
      if (order != 0) {
        return order < 0;
      }
    }
    return false;
  }

  /** Shorter sequences first: runs of choices taken out; then single choices made smaller. */
  private static List<long[]> smaller(long[] from) {
    List<long[]> out = new ArrayList<>();
    int most = Math.clamp(MOST_CHOICES / Math.max(1, from.length), 2, REPLAYS);
    for (int chunk = from.length; chunk > 0; chunk /= 2) {
      for (int at = 0; at + chunk <= from.length && out.size() < most; at += chunk) {
        long[] cut = new long[from.length - chunk];
        System.arraycopy(from, 0, cut, 0, at);
        System.arraycopy(from, at + chunk, cut, at, cut.length - at);
        out.add(cut);
      }
    }
    for (int i = 0; i < from.length && out.size() < 2 * most; i++) {
      for (long value : new long[] {0, from[i] >>> 1, from[i] - 1}) {
        if (Long.compareUnsigned(value, from[i]) < 0) {
          long[] less = from.clone();
          less[i] = value;
          out.add(less);
        }
      }
    }
    return out;
  }
}
