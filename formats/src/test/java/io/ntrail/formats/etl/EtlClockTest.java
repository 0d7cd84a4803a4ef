package io.ntrail.formats.etl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.Property;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Conversions of time stamps against arithmetic without limits. */
class EtlClockTest {
  private static final long SECOND = 10_000_000L;

  /** {@code value * units / frequency}, rounded down. */
  private static BigInteger scaled(BigInteger value, long units, long frequency) {
    BigInteger[] parts =
        value.multiply(BigInteger.valueOf(units)).divideAndRemainder(BigInteger.valueOf(frequency));
    return parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }

  private static long frequency(Property.Gen g) {
    return g.oneOf(
        10_000_000L,
        2_533_281L,
        3_579_545L,
        14_318_180L,
        24_000_000L,
        1_000_000_007L,
        g.between(1, 9_000_000_000L));
  }

  @Test
  void firstHttpEventHasTheFileTimeThatWindowsComputes() {
    // 2,533,281 ticks a second: the division has a remainder.
    EtlClock clock = EtlClock.of(1, 2_533_281, 0, 1_000, 129_402_940_471_000_000L);
    long ticks = 1_000 + 318_500;
    BigInteger expected =
        big(129_402_940_471_000_000L).add(scaled(big(318_500), SECOND, 2_533_281));
    assertEquals(expected.longValueExact(), clock.fileTime(ticks));
  }

  @Test
  void fileTimeIsExactForEveryFrequency() {
    Property.check(
        2_000,
        g -> {
          long frequency = frequency(g);
          long header = g.between(0, 1L << 50);
          // A hundred years before and after at most: what a recording can hold and then some.
          long reach = Math.min(Long.MAX_VALUE / 4 / frequency, 3_155_760_000L) * frequency;
          long ticks = header + g.between(-reach, reach);
          long start = g.between(0, 1L << 58);
          EtlClock clock = EtlClock.of(1, frequency, 0, header, start);
          BigInteger exact =
              big(start).add(scaled(big(ticks).subtract(big(header)), SECOND, frequency));
          assertEquals(exact.longValueExact(), clock.fileTime(ticks), clock + " " + ticks);
        });
  }

  @Test
  void nanosAreExactForEveryFrequency() {
    Property.check(
        2_000,
        g -> {
          long frequency = frequency(g);
          long header = g.between(0, 1L << 50);
          long reach = Math.min(Long.MAX_VALUE / 4 / frequency, 315_576_000L) * frequency;
          long ticks = header + g.between(-reach, reach);
          EtlClock clock = EtlClock.of(1, frequency, 0, header, 0);
          BigInteger exact = scaled(big(ticks).subtract(big(header)), 1_000_000_000, frequency);
          assertEquals(exact.longValueExact(), clock.nanos(ticks), clock + " " + ticks);
        });
  }

  @Test
  void nanosOfTheUsualCounterAreExactUpToTheLargest() {
    EtlClock clock = EtlClock.of(1, 10_000_000, 0, 0, 0);
    for (int bits = 0; bits < 63; bits++) {
      for (long ticks : new long[] {(1L << bits) - 1, 1L << bits, -1L << bits, -(1L << bits) - 1}) {
        BigInteger exact = big(ticks).multiply(big(100));
        long nearest =
            exact.bitLength() < 64
                ? exact.longValueExact()
                : ticks < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        assertEquals(nearest, clock.nanos(ticks), "ticks " + ticks);
      }
    }
  }

  @Test
  void cyclesAreScaledByTheNominalSpeed() {
    Property.check(g -> {
      long megahertz = g.between(1, 9_000);
      long ticks = g.between(-(1L << 50), 1L << 50);
      EtlClock clock = EtlClock.of(3, 10_000_000, megahertz, 77, 1L << 57);
      BigInteger exact = big(1L << 57).add(scaled(big(ticks - 77), 10, megahertz));
      assertEquals(exact.longValueExact(), clock.fileTime(ticks));
    });
  }

  @Test
  void systemTimeThatIsNotThatOfTheStartIsUnknown() {
    long start = 129_402_940_471_000_000L;
    for (EtlClock clock :
        List.of(EtlClock.of(2, 10_000_000, 0, 77, start), EtlClock.of(1, 0, 0, 77, start))) {
      assertEquals(EtlClock.Kind.UNKNOWN, clock.kind());
      assertEquals(0, clock.fileTime(1_000));
    }
  }

  @Test
  void systemTimeIsTheFileTimeItself() {
    Property.check(g -> {
      long ticks = g.between(0, 1L << 60);
      long header = ticks + g.between(-(1L << 56), 1L << 56);
      EtlClock clock = EtlClock.of(2, 2_533_281, 2_000, header, (ticks & 1) == 0 ? 0 : header + 9);
      assertEquals(ticks, clock.fileTime(ticks));
      assertEquals((ticks - header) * 100, clock.nanos(ticks));
    });
  }

  @Test
  void timesNeverGoBackWhenTicksDoNot() {
    Property.check(
        2_000,
        g -> {
          EtlClock clock =
              EtlClock.of(
                  g.oneOf(1, 2, 3, 0, 77),
                  g.oneOf(10_000_000L, g.bits(), g.scaled()),
                  g.oneOf(2_904L, g.scaled() & 0xFFFF_FFFFL),
                  g.bits(),
                  g.bits() >> 2);
          long one = g.bits();
          long other = g.oneOf(one + (g.scaled() >>> 1), g.bits());
          long a = Math.min(one, other);
          long b = Math.max(one, other);
          assertTrue(clock.nanos(a) <= clock.nanos(b), clock + " " + a + " " + b);
          assertTrue(clock.fileTime(a) <= clock.fileTime(b), clock + " " + a + " " + b);
        });
  }

  @Test
  void ticksAtIsTheFirstTickNotBefore() {
    Property.check(
        2_000,
        g -> {
          long frequency = frequency(g);
          EtlClock clock = EtlClock.of(1, frequency, 0, g.between(0, 1L << 50), 0);
          long nanos = g.between(-(1L << 55), 1L << 55);
          long ticks = clock.ticksAt(nanos);
          assertTrue(exactNanos(clock, ticks).compareTo(big(nanos).multiply(big(frequency))) >= 0);
          assertTrue(
              exactNanos(clock, ticks - 1).compareTo(big(nanos).multiply(big(frequency))) < 0);
        });
  }

  /** Nanoseconds times the frequency, not rounded. */
  private static BigInteger exactNanos(EtlClock clock, long ticks) {
    return big(ticks).subtract(big(clock.headerTicks())).multiply(big(1_000_000_000));
  }
}
