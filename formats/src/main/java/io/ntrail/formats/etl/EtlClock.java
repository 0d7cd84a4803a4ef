package io.ntrail.formats.etl;

/**
 * Turns the raw time stamps of a recording into nanoseconds since its header record and into UTC.
 * The only place that knows what a tick is.
 *
 * @param kind what the time stamps count
 * @param ticksPerSecond how many ticks a second has; never 0
 * @param headerTicks raw time stamp of the header record: nanosecond 0
 * @param startFileTime UTC at the header record in 100 ns since 1601, or 0 if unknown
 */
public record EtlClock(Kind kind, long ticksPerSecond, long headerTicks, long startFileTime) {
  /** Clocks of time stamps, {@code ReservedFlags} of the header. */
  public enum Kind {
    /** 1: the performance counter. */
    QPC,
    /** 2: FILETIME, 100 ns since 1601. */
    SYSTEM_TIME,
    /** 3: cycles of the CPU, at its nominal speed. */
    CPU_CYCLES,
    /** Unknown clock (the header is lost or damaged): ticks are taken as 100 ns. */
    UNKNOWN
  }

  private static final long FILETIME_SECOND = 10_000_000L;
  private static final long FILETIME_DAY = 86_400 * FILETIME_SECOND;
  private static final long NANOS_SECOND = 1_000_000_000L;

  /** Bits of ticks of 100 ns whose nanoseconds do not overflow. */
  private static final int PLAIN_BITS = 55;

  /**
   * The clock of a file whose header says {@code clockType}; {@link Kind#UNKNOWN} if that would be
   * system time and its first time stamp is far from its StartTime.
   */
  static EtlClock of(
      int clockType, long perfFrequency, long cpuMegahertz, long headerTicks, long startFileTime) {
    if (clockType == 3 && cpuMegahertz > 0) {
      return new EtlClock(Kind.CPU_CYCLES, cpuMegahertz * 1_000_000, headerTicks, startFileTime);
    }
    if (clockType == 2 || perfFrequency <= 0) {
      return startFileTime == 0 || isNear(headerTicks, startFileTime)
          ? new EtlClock(Kind.SYSTEM_TIME, FILETIME_SECOND, headerTicks, headerTicks)
          : unknown(headerTicks);
    }
    return new EtlClock(Kind.QPC, perfFrequency, headerTicks, startFileTime);
  }

  private static boolean isNear(long a, long b) {
    long difference = saturatedSubtract(a, b);
    return difference >= -FILETIME_DAY && difference <= FILETIME_DAY;
  }

  static EtlClock unknown(long headerTicks) {
    return new EtlClock(Kind.UNKNOWN, FILETIME_SECOND, headerTicks, 0);
  }

  /** Nanoseconds since the header record, rounded down; negative before it. */
  public long nanos(long ticks) {
    return scale(saturatedSubtract(ticks, headerTicks), NANOS_SECOND);
  }

  /** Nanoseconds of a duration in ticks, rounded down. */
  public long nanosOfSpan(long ticks) {
    return scale(ticks, NANOS_SECOND);
  }

  /**
   * UTC as FILETIME, rounded down to 100 ns, as ProcessTrace computes it; 0 if the clock is {@link
   * Kind#UNKNOWN}.
   */
  public long fileTime(long ticks) {
    return switch (kind) {
      case UNKNOWN -> 0;
      case SYSTEM_TIME -> ticks;
      case QPC, CPU_CYCLES ->
          saturatedAdd(
              startFileTime, scale(saturatedSubtract(ticks, headerTicks), FILETIME_SECOND));
    };
  }

  /** The first raw time stamp that is not before {@code nanos}. */
  public long ticksAt(long nanos) {
    long seconds = Math.floorDiv(nanos, NANOS_SECOND);
    long rest = Math.floorMod(nanos, NANOS_SECOND);
    long high = Math.multiplyHigh(rest, ticksPerSecond);
    long ticks;
    if (high == 0 && rest * ticksPerSecond >= 0) {
      ticks = Math.ceilDiv(rest * ticksPerSecond, NANOS_SECOND);
    } else {
      ticks = (long) Math.ceil((double) rest * ticksPerSecond / NANOS_SECOND);
    }
    return saturatedAdd(
        headerTicks, saturatedAdd(saturatedMultiply(seconds, ticksPerSecond), ticks));
  }

  private long scale(long ticks, long unitsPerSecond) {
    if (ticksPerSecond == unitsPerSecond) {
      return ticks;
    }
    if (ticksPerSecond == FILETIME_SECOND
        && unitsPerSecond == NANOS_SECOND
        && Math.abs(ticks >> PLAIN_BITS) <= 1) {
      // The counter of today's systems.
      return ticks * (NANOS_SECOND / FILETIME_SECOND);
    }
    long seconds = Math.floorDiv(ticks, ticksPerSecond);
    long rest = Math.floorMod(ticks, ticksPerSecond);
    // rest < ticksPerSecond; the product needs more than 63 bits only beyond 9.2 GHz.
    long part =
        Math.multiplyHigh(rest, unitsPerSecond) == 0 && rest * unitsPerSecond >= 0
            ? rest * unitsPerSecond / ticksPerSecond
            : (long) ((double) rest / ticksPerSecond * unitsPerSecond);
    long whole = saturatedMultiply(seconds, unitsPerSecond);
    // A part on top of the smallest number would put saturated times out of order.
    return whole == Long.MIN_VALUE ? whole : saturatedAdd(whole, part);
  }

  private static long saturatedSubtract(long a, long b) {
    long difference = a - b;
    if (((a ^ b) & (a ^ difference)) < 0) {
      return a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return difference;
  }

  private static long saturatedMultiply(long a, long b) {
    long high = Math.multiplyHigh(a, b);
    long low = a * b;
    if (high != low >> 63) {
      return (a < 0) == (b < 0) ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
    return low;
  }

  private static long saturatedAdd(long a, long b) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      return a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return sum;
  }
}
