package io.ntrail.analysis.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.ClockCalibration;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times of {@code .ntr} files are those of docs/ntr.md section 4, whatever calibrations say. */
class NtrClockTest {
  private static final int FILES = 4_000;

  private static NtrHeader header(long rate, long began) {
    return new NtrHeader(0, rate, began, 0, 0x8664, 8, NtrHeader.TIME_STAMP_COUNTER, "test");
  }

  private static NtrClock clock(long rate, long[]... calibrations) {
    return NtrClock.of(
        header(rate, 0),
        Arrays.stream(calibrations).map(c -> new ClockCalibration(c[0], c[1], 0)).toList());
  }

  private static List<Long> times(NtrClock clock, long... ticks) {
    NtrClock.Reader reader = clock.reader();
    return Arrays.stream(ticks).mapToObj(reader::time).toList();
  }

  @Test
  void timesAreOnTheLinesThroughCalibrations() {
    NtrClock clock =
        clock(7, new long[] {1000, 0}, new long[] {1300, 100}, new long[] {2300, 1100});
    assertEquals(
        List.of(0L, 0L, 1L, 99L, 100L, 101L, 1100L, 1102L),
        times(clock, 1000, 1001, 1003, 1299, 1300, 1301, 2300, 2302));
    assertEquals(List.of(-1L, -1L, -334L), times(clock, 999, 997, 0));
  }

  @Test
  void withOneCalibrationTheRateOfTheHeaderHolds() {
    NtrClock clock = clock(3_000_000_000L, new long[] {1000, 500});
    assertEquals(List.of(500L, 500L, 501L, 499L, 499L), times(clock, 1000, 1001, 1003, 999, 997));
  }

  @Test
  void withoutCalibrationsTimeBeginsWithTheRecording() {
    NtrClock clock = NtrClock.of(header(10_000_000, 500), List.of());
    assertEquals(List.of(-200L, 0L, 1_000L), times(clock, 498, 500, 510));
    assertFalse(clock(0).isNanos());
    assertEquals(List.of(12L), times(clock(0), 12));
    assertFalse(clock(0, new long[] {5, 5}).isNanos());
    assertTrue(clock(0, new long[] {5, 5}, new long[] {6, 6}).isNanos());
  }

  @Test
  void aCalibrationThatContradictsEarlierOnesIsSkippedAndReported() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header(1, 0), 1)) {
      long[][] calibrations = {{1000, 0}, {1200, 300}, {1200, 300}, {1300, 100}, {2300, 1100}};
      for (long[] one : calibrations) {
        writer.calibration(new ClockCalibration(one[0], one[1], 0));
      }
      writer.events(1).entry(1300, 1, 0, 0, 0x1000, 0);
    }
    Gaps gaps = new Gaps();
    try (NtrCalls calls =
        new NtrCalls(NtrFile.open(InputFile.of(out.toByteArray(), "test.ntr"), gaps), gaps)) {
      assertEquals(372, calls.threads().getFirst().firstTime());
      assertEquals(
          List.of(
              new Gap(
                  "test.ntr",
                  0,
                  0,
                  "clock calibrations",
                  "1 of 5 skipped: the one at 1300 ticks is not later than its predecessor by both"
                      + " clocks")),
          gaps.list());
    }
  }

  /** Calibrations of a clock that drifts, or of no clock at all. */
  private static List<ClockCalibration> calibrations(Gen gen) {
    List<ClockCalibration> calibrations = new ArrayList<>();
    boolean hostile = gen.flag();
    long ticks = gen.scaled();
    long nanos = gen.scaled() >>> 1;
    for (int i = gen.length(12); i > 0; i--) {
      calibrations.add(new ClockCalibration(ticks, nanos, 0));
      ticks = hostile ? gen.scaled() : ticks + (gen.scaled() >>> 8);
      nanos = hostile ? gen.scaled() : nanos + (gen.scaled() >>> 8);
    }
    return calibrations;
  }

  private static byte[] write(NtrHeader header, List<ClockCalibration> calibrations) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header, 1)) {
      for (ClockCalibration one : calibrations) {
        writer.calibration(one);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  private static NtrClock read(byte[] file) {
    try (NtrFile ntr = NtrFile.open(InputFile.of(file, "test.ntr"), new Gaps())) {
      return NtrClock.of(ntr.header().orElse(null), ntr.calibrations());
    }
  }

  /** Ticks at and around calibrations, and any. */
  private static List<Long> ticks(Gen gen, List<ClockCalibration> calibrations) {
    List<Long> ticks = new ArrayList<>(List.of(0L, -1L, Long.MIN_VALUE, gen.bits(), gen.scaled()));
    for (ClockCalibration one : calibrations) {
      long near = gen.scaled();
      ticks.addAll(List.of(one.ticks() - near, one.ticks(), one.ticks() + near));
    }
    return ticks;
  }

  /** Returns the time limited to 64 bits. */
  private static long cut(BigInteger time) {
    return time.bitLength() < Long.SIZE
        ? time.longValue()
        : time.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
  }

  @Test
  void anotherReaderOfTheTextComesToTheSameTimes() {
    Property.check(
        FILES,
        gen -> {
          List<ClockCalibration> calibrations = calibrations(gen);
          byte[] file = write(header(gen.scaled(), gen.scaled()), calibrations);
          NtrClock clock = read(file);
          ReferenceNtrReader plain = ReferenceNtrReader.read(file);
          NtrClock.Reader reader = clock.reader();
          for (long ticks : ticks(gen, calibrations)) {
            BigInteger time = plain.time(ticks);
            assertEquals(time != null, clock.isNanos());
            long ours = reader.time(ticks);
            if (time == null) {
              assertEquals(ticks, ours);
            } else {
              assertEquals(cut(time), ours);
            }
          }
        });
  }

  @Test
  void laterTicksAreNeverEarlierAndCalibrationsAreWhereTheySay() {
    Property.check(
        FILES,
        gen -> {
          List<ClockCalibration> calibrations = calibrations(gen);
          NtrClock clock = read(write(header(gen.scaled(), gen.scaled()), calibrations));
          if (!clock.isNanos()) {
            return;
          }
          List<Long> ticks = ticks(gen, calibrations);
          ticks.sort(Long::compareUnsigned);
          List<Long> times = times(clock, ticks.stream().mapToLong(t -> t).toArray());
          for (int i = 1; i < times.size(); i++) {
            assertTrue(times.get(i - 1) <= times.get(i), ticks + " " + times);
          }
          long exact =
              calibrations.stream()
                  .distinct()
                  .filter(one -> one.nanos() == clock.reader().time(one.ticks()))
                  .count();
          assertTrue(exact + clock.leftOut() >= calibrations.stream().distinct().count());
        });
  }

  @Test
  void ticksAtATimeAreTheFirstThatHaveIt() {
    Property.check(
        FILES / 4,
        gen -> {
          NtrClock clock =
              read(write(header(1 + gen.scaled() / 2, gen.scaled()), calibrations(gen)));
          NtrClock.Reader reader = clock.reader();
          long time = gen.flag() ? gen.bits() : reader.time(gen.bits());
          long ticks = clock.ticksAt(time);
          assertTrue(ticks == -1 || reader.time(ticks) >= time);
          assertTrue(ticks == 0 || reader.time(ticks - 1) < time);
        });
  }
}
