package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.PacketClock.Rounding;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Rules by which the ratio of the clocks is measured, in streams that were worked out by hand.
 *
 * <p>In the comments a ratio is that of the TSC to the core's clock, and a period is the time
 * between two MTCs if none is lost.
 */
class PacketClockRulesTest {
  /** Every tick of the crystal clock has an MTC, and is four of the TSC; nothing else is known. */
  private static final ClockSettings FOUR = new ClockSettings(0, 1, 4, 0);

  /** Such a clock, with a core that runs at the nominal clock if CBR is 8. */
  private static final ClockSettings NOMINAL = new ClockSettings(0, 1, 4, 8);

  private static final Set<Erratum> LOSES = Set.of(Erratum.SKL168);

  private static final String TSC = "19 00100000000000";

  /** TMA in which the crystal clock stands at 0, and the TSC went on by one tick since. */
  private static final String TMA = "0273 0000 00 0100";

  private static final String CBR_8 = "0203 0800";
  private static final String CBR_2 = "0203 0200";
  private static final String EMPTY_HEADER = Streams.PSB + "0223";

  /** Header with the time 1000, and the crystal clock one tick before it. */
  private static final String START = Streams.PSB + TSC + TMA + "0223";

  /** Such a clock, and the core at its nominal clock. */
  private static final String START_NOMINAL = Streams.PSB + TSC + TMA + CBR_8 + "0223";

  private static PacketClock clock(
      String hex, ClockSettings settings, Set<Erratum> errata, List<String> times) {
    PacketClock clock = new PacketClock(settings, Rounding.LIBIPT, errata);
    try (InputFile input = Streams.of(hex)) {
      PacketCursor cursor = new PacketCursor(input, errata);
      while (cursor.next()) {
        clock.take(cursor);
        PacketType type = cursor.type();
        if (type == PacketType.TSC || type == PacketType.MTC || type == PacketType.CYC) {
          String name = type.label().toLowerCase(Locale.ROOT);
          times.add(name + " " + Long.toHexString(clock.tsc()));
        }
      }
    }
    return clock;
  }

  /** Returns the time after each TSC, MTC and CYC. */
  private static List<String> times(String hex, ClockSettings settings, Set<Erratum> errata) {
    List<String> times = new ArrayList<>();
    clock(hex, settings, errata, times);
    return times;
  }

  private static String last(String hex, ClockSettings settings, Set<Erratum> errata) {
    return times(hex, settings, errata).getLast();
  }

  /** Ratio 1 between MTCs, up to the time 100b; then a header, and two cycles in two periods. */
  private static final String TWO_PERIODS =
      START + "5901" + "23" + "5902" + "23" + "5903" + EMPTY_HEADER + "13" + "5905";

  @Test
  void aPeriodThatWasExtendedBehindAHeaderMeasuresNothingOnProcessorsThatLoseCycles() {
    // Ratio 1 is kept: three cycles are three ticks.
    assertEquals("mtc 1013", last(TWO_PERIODS, FOUR, LOSES));
    assertEquals("cyc 1016", last(TWO_PERIODS + "1b", FOUR, LOSES));
  }

  @Test
  void aPeriodThatWasExtendedBehindAHeaderMeasuresTheRatioOnOtherProcessors() {
    // Eight ticks in two cycles: ratio 4.
    assertEquals("cyc 101f", last(TWO_PERIODS + "1b", FOUR, Set.of()));
  }

  @Test
  void onlyTheFirstPeriodBehindAHeaderMeasuresNothing() {
    // Two more cycles in two more periods: ratio 4 then.
    assertEquals("mtc 101b", last(TWO_PERIODS + "13" + "5907", FOUR, LOSES));
    assertEquals("cyc 101f", last(TWO_PERIODS + "13" + "5907" + "0b", FOUR, LOSES));
  }

  @Test
  void aPeriodThatWasExtendedWithoutAHeaderBeforeItMeasuresTheRatio() {
    assertEquals(
        "cyc 101f",
        last(START + "5901" + "23" + "5902" + "23" + "5903" + "13" + "5905" + "1b", FOUR, LOSES));
  }

  /** A header, then sixteen cycles in a period, then four. */
  private static final String SIXTEEN =
      START_NOMINAL + "5901" + EMPTY_HEADER + "83" + "5902" + "23";

  @Test
  void aPeriodThatMayHaveLost4096CyclesBehindAHeaderMeasuresNothing() {
    // 5000 ticks are more than those of 16 + F00 cycles by the ratio of CBR, which is 1.
    ClockSettings settings = new ClockSettings(0, 1, 5000, 8);
    assertEquals(
        List.of("tsc 1000", "mtc 2387", "cyc 2397", "mtc 370f", "cyc 3713"),
        times(SIXTEEN, settings, LOSES));
    assertEquals("cyc 3bf1", last(SIXTEEN, settings, Set.of()));
  }

  @Test
  void aPeriodThatCannotHaveLost4096CyclesMeasuresTheRatio() {
    // 3856 ticks are exactly those of 16 + F00 cycles: ratio 241.
    assertEquals("cyc 31e3", last(SIXTEEN, new ClockSettings(0, 1, 0xF10, 8), LOSES));
  }

  @Test
  void cyclesAreLookedForOnlyInPeriodsOfLessThan1024Ticks() {
    // 5120 ticks of the TSC in a period each.
    assertEquals("cyc 3803", last(SIXTEEN, new ClockSettings(9, 1, 10, 8), LOSES));
    assertEquals("cyc 3cff", last(SIXTEEN, new ClockSettings(10, 1, 5, 8), LOSES));
  }

  /** Ratio 2 between two MTCs. */
  private static final String RATIO_2 = START_NOMINAL + "5901" + "13" + "5902";

  @Test
  void aRatioOutsideOfAHeaderForgetsThePeriodThatWasBegun() {
    // Ratio 4, which the next MTC does not change: it is the first one again.
    assertEquals(
        List.of("tsc 1000", "mtc 1003", "cyc 1005", "mtc 1007", "cyc 100f", "mtc 100b", "cyc 100f"),
        times(RATIO_2 + CBR_2 + "13" + "5903" + "0b", NOMINAL, Set.of()));
  }

  @Test
  void aRatioInAHeaderDoesNotForgetThePeriodThatWasBegun() {
    // Ratio 4 until the next MTC: four ticks in two cycles.
    String header = Streams.PSB + CBR_2 + "0223";
    assertEquals(
        List.of("tsc 1000", "mtc 1003", "cyc 1005", "mtc 1007", "cyc 100f", "mtc 100b", "cyc 100d"),
        times(RATIO_2 + header + "13" + "5903" + "0b", NOMINAL, Set.of()));
  }

  @Test
  void anOverflowForgetsTheRatio() {
    List<String> times = new ArrayList<>();
    PacketClock clock =
        clock(
            START_NOMINAL + "13" + "02f3" + "13" + "5901" + "13" + "5902" + "0b",
            NOMINAL,
            Set.of(),
            times);
    // Behind the overflow cycles count for nothing until two MTCs measured ratio 2.
    assertEquals(
        List.of("tsc 1000", "cyc 1002", "cyc 1002", "mtc 1003", "cyc 1003", "mtc 1007", "cyc 1009"),
        times);
    assertEquals(2, clock.lostCyc());
  }

  @Test
  void anOverflowForgetsThePeriodThatWasBegun() {
    // MTC 3 is the first one behind the overflow: cycles count for nothing.
    assertEquals("cyc 100b", last(RATIO_2 + "02f3" + "13" + "5903" + "0b", NOMINAL, Set.of()));
  }

  private static final String TSC_1010 = "19 10100000000000";
  private static final String TSC_1018 = "19 18100000000000";

  @Test
  void theTimesOfTwoHeadersMeasureTheRatio() {
    // Sixteen ticks in four cycles.
    assertEquals(
        List.of("tsc 1000", "cyc 1000", "tsc 1010", "cyc 1018"),
        times(
            Streams.PSB + TSC + "0223" + "23" + Streams.PSB + TSC_1010 + "0223" + "13",
            FOUR,
            Set.of()));
  }

  @Test
  void aTimeOutsideOfAHeaderIsOnlyTheBeginOfWhatIsMeasured() {
    // Nothing is known up to the second header: eight ticks in two cycles since the time before it,
    // and not 24 in ten since the first header.
    assertEquals(
        List.of("tsc 1000", "cyc 1000", "tsc 1010", "cyc 1010", "tsc 1018", "cyc 101c"),
        times(
            Streams.PSB
                + TSC
                + "0223"
                + "43"
                + TSC_1010
                + "13"
                + Streams.PSB
                + TSC_1018
                + "0223"
                + "0b",
            FOUR,
            Set.of()));
  }

  @Test
  void theTimesOfHeadersMeasureNothingWhereThereAreMtcs() {
    List<String> times = new ArrayList<>();
    PacketClock clock =
        clock(
            START + "5901" + "23" + Streams.PSB + TSC_1010 + "0223" + "13", FOUR, Set.of(), times);
    assertEquals(List.of("tsc 1000", "mtc 1003", "cyc 1003", "tsc 1010", "cyc 1010"), times);
    assertEquals(2, clock.lostCyc());
  }

  @Test
  void aPeriodWithoutCyclesIsMeasuredWithTheOneBehindIt() {
    // Eight ticks in four cycles: ratio 2.
    assertEquals(
        List.of("tsc 1000", "mtc 1003", "mtc 1007", "cyc 1007", "mtc 100b", "cyc 100d"),
        times(START + "5901" + "5902" + "23" + "5903" + "0b", FOUR, Set.of()));
  }

  @Test
  void aSecondTmaOfATimeCountsForNothing() {
    assertEquals("mtc 1003", last(Streams.PSB + TSC + TMA + TMA + "0223" + "5901", FOUR, Set.of()));
  }

  @Test
  void anMtcBetweenATimeAndItsTmaCountsForNothing() {
    // From tick 0, as the TMA says, to tick 2.
    assertEquals(
        List.of("tsc 1000", "mtc 1000", "mtc 1007"),
        times(Streams.PSB + TSC + "0223" + "5901" + TMA + "5902", FOUR, Set.of()));
  }
}
