package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertIterableEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.PacketClock.Rounding;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Time stamps of packets. */
class PacketClockTest {
  /** Processor of dynamorio/hello.pt, as the README beside it tells. */
  private static final ClockSettings HELLO = new ClockSettings(3, 2, 308, 37);

  private static final String TSC_1000 = "19 00100000000000";

  /** Returns the time after each packet of a stream that is not a PAD: offset, type, time. */
  private static List<String> times(InputFile input, ClockSettings settings, Rounding rounding) {
    PacketClock clock = new PacketClock(settings, rounding, Set.of());
    PacketCursor cursor = Streams.cursor(input);
    List<String> times = new ArrayList<>();
    while (cursor.next()) {
      clock.take(cursor);
      if (cursor.type() != PacketType.PAD) {
        times.add(
            "%x %s %s"
                .formatted(
                    cursor.offset(),
                    cursor.type().label().toLowerCase(Locale.ROOT),
                    clock.isKnown() ? Long.toHexString(clock.tsc()) : "-"));
      }
    }
    return times;
  }

  private static List<String> times(String hex, ClockSettings settings, Rounding rounding) {
    try (InputFile input = Streams.of(hex)) {
      return times(input, settings, rounding);
    }
  }

  private static List<String> expectedOfHello() throws IOException {
    String text =
        new String(TestData.gunzip("pt/dynamorio/hello.times.tsv.gz"), StandardCharsets.UTF_8);
    List<String> expected = new ArrayList<>();
    for (String line : text.lines().toList()) {
      String[] cells = line.split("\t", -1);
      if (!line.startsWith("#")) {
        expected.add(cells[0] + " " + cells[1] + " " + cells[3]);
      }
    }
    return expected;
  }

  @Test
  void roundedAsIntelsLibraryDoesTheTimesOfARealStreamAreItsTimes() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] stream = Files.readAllBytes(TestData.file("pt/dynamorio/hello.pt"));
    List<String> expected = expectedOfHello();
    try (InputFile input = InputFile.of(stream, "hello.pt")) {
      List<String> found = times(input, HELLO, Rounding.LIBIPT);
      assertEquals(expected.size(), found.size());
      assertIterableEquals(ofTime(expected), ofTime(found));
    }
    assertEquals(1_096, expected.size());
  }

  /** Returns the lines of packets that tell a time: the list has none for the others. */
  private static List<String> ofTime(List<String> lines) {
    return lines.stream().filter(line -> line.matches(".* (tsc|tma|mtc|cyc) .*")).toList();
  }

  @Test
  void roundedExactlyTheTimesOfARealStreamStayCloseAndNeverRunBackwards() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] stream = Files.readAllBytes(TestData.file("pt/dynamorio/hello.pt"));
    List<String> rounded;
    List<String> exact;
    try (InputFile input = InputFile.of(stream, "hello.pt")) {
      rounded = times(input, HELLO, Rounding.LIBIPT);
      exact = times(input, HELLO, Rounding.EXACT);
    }
    long last = 0;
    for (int i = 2; i < exact.size(); i++) {
      long time = time(exact.get(i));
      // A CYC that the library puts before the MTC that it follows is held at the MTC's time.
      assertTrue(Math.abs(time - time(rounded.get(i))) <= 16, exact.get(i) + " " + rounded.get(i));
      assertTrue(time >= last, exact.get(i));
      last = time;
    }
  }

  private static long time(String line) {
    return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1), 16);
  }

  /** Three ticks of a clock that is 7/3 as fast: 2.33 + 2.33 + 2.33 = 7. */
  @Test
  void fractionsOfTicksAddUpIfRoundedExactly() {
    ClockSettings settings = new ClockSettings(0, 3, 7, 0);
    String stream =
        Streams.PSB + TSC_1000 + "0273 0100 00 0000" + "0223" + "5902" + "5903" + "5904";
    assertEquals(
        List.of("21 mtc 1002", "23 mtc 1004", "25 mtc 1006"),
        times(stream, settings, Rounding.LIBIPT).subList(4, 7));
    assertEquals(
        List.of("21 mtc 1002", "23 mtc 1004", "25 mtc 1007"),
        times(stream, settings, Rounding.EXACT).subList(4, 7));
  }

  @Test
  void cyclesCountByTheRatioOfTheCoreToTheBusUntilThereIsABetterOne() {
    ClockSettings settings = new ClockSettings(0, 1, 4, 8);
    // The core runs at half of the nominal clock: a cycle is two ticks. Then 4 cycles take 8 ticks
    // of the crystal clock, which are 32 of the counter.
    String stream =
        Streams.PSB
            + TSC_1000
            + "0273 0000 00 0000"
            + "0203 0400"
            + "0223"
            + "1b"
            + "5901"
            + "23"
            + "5909"
            + "0b";
    assertEquals(
        List.of("25 cyc 1006", "26 mtc 1004", "28 cyc 100c", "29 mtc 1024", "2b cyc 102c"),
        times(stream, settings, Rounding.LIBIPT).subList(5, 10));
  }

  @Test
  void packetsThatASettingIsMissingForAreCounted() {
    try (InputFile input =
        Streams.of(
            Streams.PSB + TSC_1000 + "0273 0000 00 0000" + "0b" + "5901" + "5902" + "0b0b")) {
      PacketClock clock = new PacketClock(ClockSettings.UNKNOWN, Rounding.EXACT, Set.of());
      PacketCursor cursor = Streams.cursor(input);
      while (cursor.next()) {
        clock.take(cursor);
      }
      assertEquals(0x1000, clock.tsc());
      assertEquals(2, clock.lostMtc());
      assertEquals(3, clock.lostCyc());
      assertFalse(clock.knowsNanos());
    }
  }

  /** There is no time yet that they could change. */
  @Test
  void packetsBeforeTheFirstTimeStampAreNotCounted() {
    try (InputFile input = Streams.of(Streams.PSB + "0b" + "5901" + "5902" + TSC_1000 + "0b")) {
      PacketClock clock = new PacketClock(ClockSettings.UNKNOWN, Rounding.EXACT, Set.of());
      PacketCursor cursor = Streams.cursor(input);
      boolean isTold = false;
      while (cursor.next()) {
        clock.take(cursor);
        isTold |= clock.isTold();
      }
      assertTrue(isTold);
      assertFalse(clock.isTold());
      assertEquals(0, clock.lostMtc());
      assertEquals(1, clock.lostCyc());
    }
  }

  @Test
  void nanosecondsCountFromTheFirstTimeStamp() {
    try (InputFile input = Streams.of(Streams.PSB + TSC_1000 + "19 25100000000000")) {
      PacketClock clock = new PacketClock(HELLO, Rounding.EXACT, Set.of());
      PacketCursor cursor = Streams.cursor(input);
      while (cursor.next()) {
        clock.take(cursor);
      }
      // 37 ticks at 3.7 GHz.
      assertEquals(10, clock.nanos());
    }
  }

  @Test
  void theCounterGoesOnWhereItsFiftySixBitsWrap() {
    String stream = Streams.PSB + "19 f0ffffffffffff" + "19 10000000000000";
    assertEquals(
        List.of("10 tsc fffffffffffff0", "18 tsc 100000000000010"),
        times(stream, HELLO, Rounding.EXACT).subList(1, 3));
  }
}
