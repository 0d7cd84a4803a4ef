package io.ntrail.analysis.calls;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.ntr.ClockCalibration;
import io.ntrail.formats.ntr.EventChunk;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrHeader;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Turns ticks of a {@code .ntr} file into nanoseconds since the recording began, as docs/ntr.md
 * section 4 says: on straight lines from calibration to calibration, or by the rate of the header.
 * Ticks are unsigned; later ticks never have an earlier time. Times are exact and rounded down;
 * where they end, 292 years before and after, they are the smallest and the largest number.
 *
 * <p>A calibration counts if it is later than the last one that counts by both clocks. Immutable.
 */
public final class NtrClock {
  /** Subject of the gap for contradicting calibrations. */
  public static final String CALIBRATIONS = "clock calibrations";

  private static final long NANOS = 1_000_000_000;

  /** Calibrations that count, or where the recording began: by both clocks each after the last. */
  private final long[] ticks;

  private final long[] nanos;

  /** Ticks a second, unsigned; 0 if unknown. */
  private final long rate;

  private final int leftOut;
  private final long firstLeftOut;

  private NtrClock(long[] ticks, long[] nanos, long rate, int leftOut, long firstLeftOut) {
    this.ticks = ticks;
    this.nanos = nanos;
    this.rate = rate;
    this.leftOut = leftOut;
    this.firstLeftOut = firstLeftOut;
  }

  /**
   * The clock of a file.
   *
   * @param header null if it is damaged
   * @param calibrations in order of ticks
   */
  public static NtrClock of(@Nullable NtrHeader header, List<ClockCalibration> calibrations) {
    long[] ticks = new long[Math.max(1, calibrations.size())];
    long[] nanos = new long[ticks.length];
    int count = 0;
    int leftOut = 0;
    long firstLeftOut = 0;
    for (ClockCalibration one : calibrations) {
      int last = count - 1;
      boolean later =
          count == 0
              || Long.compareUnsigned(one.ticks(), ticks[last]) > 0 && one.nanos() > nanos[last];
      if (later && one.nanos() >= 0) {
        ticks[count] = one.ticks();
        nanos[count++] = one.nanos();
      } else if (count == 0 || one.ticks() != ticks[last] || one.nanos() != nanos[last]) {
        firstLeftOut = leftOut++ == 0 ? one.ticks() : firstLeftOut;
      }
    }
    if (count == 0) {
      ticks[count++] = header == null ? 0 : header.began();
    }
    return new NtrClock(
        Arrays.copyOf(ticks, count),
        Arrays.copyOf(nanos, count),
        header == null ? 0 : header.ticksPerSecond(),
        leftOut,
        firstLeftOut);
  }

  /** Returns true if times are nanoseconds; else they are ticks of an unknown length. */
  public boolean isNanos() {
    return ticks.length > 1 || rate != 0;
  }

  /** Calibrations that contradict an earlier one; those that repeat it are not counted. */
  int leftOut() {
    return leftOut;
  }

  /**
   * Returns the gap for contradicting calibrations. It has no offset: each calibration may be right
   * for itself.
   */
  Gap contradiction(NtrFile file) {
    return new Gap(
        file.name(),
        0,
        0,
        CALIBRATIONS,
        "%d of %d skipped: the one at %s ticks is not later than its predecessor by both clocks"
            .formatted(leftOut, file.calibrations().size(), Long.toUnsignedString(firstLeftOut)));
  }

  /**
   * Returns time 0 in nanoseconds since 1970 in UTC: as the header has it, else as the first
   * calibration with a date does; empty if none has.
   */
  OptionalLong begunAt(NtrFile file) {
    if (!isNanos()) {
      return OptionalLong.empty();
    }
    long utc = file.header().map(NtrHeader::beganUtc).orElse(0L);
    if (utc != 0) {
      return FileTime.hasUnixNanos(utc)
          ? OptionalLong.of(FileTime.unixNanos(utc))
          : OptionalLong.empty();
    }
    for (ClockCalibration one : file.calibrations()) {
      if (FileTime.hasUnixNanos(one.utc())) {
        return OptionalLong.of(FileTime.unixNanos(one.utc()) - reader().time(one.ticks()));
      }
    }
    return OptionalLong.empty();
  }

  /** Returns the times of the earliest and the latest record; empty if there is none. */
  Optional<CallSource.Span> span(NtrFile file) {
    List<EventChunk> chunks =
        file.threadsWithEvents().stream()
            .flatMap(thread -> file.chunks(thread).stream())
            .filter(chunk -> chunk.events() > 0)
            .toList();
    if (chunks.isEmpty()) {
      return Optional.empty();
    }
    Reader reader = reader();
    return Optional.of(
        new CallSource.Span(
            reader.time(chunks.stream().mapToLong(EventChunk::earliest).reduce(-1, NtrClock::min)),
            reader.time(chunks.stream().mapToLong(EventChunk::latest).reduce(0, NtrClock::max))));
  }

  private static long min(long a, long b) {
    return Long.compareUnsigned(a, b) <= 0 ? a : b;
  }

  private static long max(long a, long b) {
    return Long.compareUnsigned(a, b) >= 0 ? a : b;
  }

  /** Reads the clock, by one thread. */
  public Reader reader() {
    return new Reader();
  }

  /** The first ticks whose time is not before {@code time}; the last ones if there are none. */
  long ticksAt(long time) {
    if (!isNanos()) {
      return time;
    }
    Reader reader = reader();
    long low = 0;
    long high = -1;
    while (low != high) {
      long middle = low + (high - low >>> 1);
      if (reader.time(middle) >= time) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** The number of the line that ticks are on: it begins at the calibration of this number. */
  private int lineOf(long of) {
    return Math.max(0, Search.floorUnsigned(ticks, ticks.length - 1, of));
  }

  private Line line(int number) {
    return number + 1 < ticks.length
        ? Line.of(
            ticks[number],
            nanos[number],
            ticks[number + 1] - ticks[number],
            nanos[number + 1] - nanos[number])
        : Line.of(ticks[number], nanos[number], rate, NANOS);
  }

  /** Remembers the line of the last ticks: the next ones are mostly on the same. */
  public final class Reader {
    private @Nullable Line line = isNanos() ? line(0) : null;

    /** The first ticks on the line, and how many more. */
    private long first;

    private long more = moreOf(0, 0);

    private Reader() {}

    private long moreOf(int number, long from) {
      return (number + 2 < ticks.length ? ticks[number + 1] - 1 : -1) - from;
    }

    /** The time that ticks take from some others on. */
    long duration(long from, long count) {
      return count < 0 || from + count < 0
          ? Long.MAX_VALUE
          : Math.max(0, time(from + count) - time(from));
    }

    /** The time of ticks. */
    public long time(long of) {
      Line same = line;
      if (same == null) {
        return of;
      }
      if (Long.compareUnsigned(of - first, more) > 0) {
        int number = lineOf(of);
        same = line(number);
        line = same;
        first = number == 0 ? 0 : ticks[number];
        more = moreOf(number, first);
      }
      return same.time(of);
    }
  }

  /**
   * A straight line that rises by {@code nanos} in {@code ticks}, both unsigned and not 0.
   *
   * @param slope nanos / ticks * 2^shift rounded up, at least 2^63; 0 if ticks are beyond 2^63
   */
  private record Line(long atTicks, long atNanos, long ticks, long nanos, long slope, int shift) {
    static Line of(long atTicks, long atNanos, long ticks, long nanos) {
      if (ticks < 0) {
        return new Line(atTicks, atNanos, ticks, nanos, 0, 0);
      }
      int shift = Long.numberOfLeadingZeros(nanos) - Long.numberOfLeadingZeros(ticks) + 64;
      BigInteger slope = slope(ticks, nanos, shift);
      if (slope.bitLength() > Long.SIZE) {
        slope = slope(ticks, nanos, --shift);
      }
      return new Line(atTicks, atNanos, ticks, nanos, slope.longValue(), shift);
    }

    private static BigInteger slope(long ticks, long nanos, int shift) {
      BigInteger by = BigInteger.valueOf(ticks);
      BigInteger up = by.subtract(BigInteger.ONE);
      return BigInteger.valueOf(nanos).shiftLeft(shift).add(up).divide(by);
    }

    long time(long of) {
      if (Long.compareUnsigned(of, atTicks) >= 0) {
        long time = atNanos + nanosOf(of - atTicks);
        return time < 0 ? Long.MAX_VALUE : time;
      }
      long before = nanosOf(atTicks - of);
      if (before == Long.MAX_VALUE) {
        return farBefore(atTicks - of);
      }
      // Rounded down is away from the calibration.
      boolean isWhole = before * ticks == (atTicks - of) * nanos;
      return atNanos - before - (isWhole ? 0 : 1);
    }

    /** {@code of * nanos / ticks} rounded down, at most {@link Long#MAX_VALUE}. */
    private long nanosOf(long of) {
      if (slope == 0) {
        return slowly(of);
      }
      // A product with the slope takes a fraction of a division's time; it is 1 too much at most,
      // and of rates with few digits never: those have whole nanoseconds often.
      long high = Math.unsignedMultiplyHigh(of, slope);
      long time;
      if (shift >= Long.SIZE) {
        time = high >>> shift - Long.SIZE;
      } else if (high >>> shift - 1 == 0) {
        time = high << Long.SIZE - shift | of * slope >>> shift;
      } else {
        return Long.MAX_VALUE;
      }
      if (time < 0) {
        return Long.MAX_VALUE;
      }
      // The rest is from -ticks to ticks - 1, so that its low 64 bits are all of it.
      return of * nanos - time * ticks < 0 ? time - 1 : time;
    }

    private long farBefore(long of) {
      BigInteger[] parts = product(of).divideAndRemainder(unsigned(ticks));
      BigInteger before = parts[0].add(BigInteger.valueOf(parts[1].signum()));
      BigInteger time = BigInteger.valueOf(atNanos).subtract(before);
      return time.bitLength() < Long.SIZE ? time.longValue() : Long.MIN_VALUE;
    }

    private long slowly(long of) {
      BigInteger time = product(of).divide(unsigned(ticks));
      return time.bitLength() < Long.SIZE ? time.longValue() : Long.MAX_VALUE;
    }

    private BigInteger product(long of) {
      return unsigned(of).multiply(BigInteger.valueOf(nanos));
    }

    private static BigInteger unsigned(long number) {
      return new BigInteger(Long.toUnsignedString(number));
    }
  }
}
