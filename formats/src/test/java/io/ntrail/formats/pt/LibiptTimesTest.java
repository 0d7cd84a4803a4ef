package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.PacketClock.Rounding;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pt.LibiptCase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Times, ratios of the clocks, sizes of code and errors in lists of packets: of the cases that
 * libipt is tested with.
 */
class LibiptTimesTest {
  private static final Pattern TOLD =
      Pattern.compile("([0-9a-f]{16}) .* (tsc|fcr|em) +([-+.0-9a-f]+|\\d\\d-bit|<unavailable>)");

  private static final Pattern ERROR =
      Pattern.compile("\\[([0-9a-f]+): error (updating time: no calibration|decoding packet).*\\]");

  /** Cases with other lines, and why. */
  private static final Map<String, String> OTHERS =
      Map.of(
          "mtc", "time without a TSC, from 0 on: nothing is known then",
          "mtc-cyc_calibrate", "time without a TSC",
          "cbr-cyc", "time without a TSC",
          "cbr-mtc-cyc-mtc", "time without a TSC",
          "mtc-ovf_keep-cyc", "keeps the ratio at an overflow, which is a setting of libipt",
          "skl168-cyc", "a CYC before a ratio is known is counted as lost; the ratios are equal",
          "skl168-mtc", "a CYC before a ratio is known is counted as lost; the ratios are equal");

  /** Cases that begin without a PSB, or at another one than the first: an option of the list. */
  private static final Set<String> UNSYNCHRONISED =
      Set.of("dump-all-packets", "ptdump-trunc-resync");

  private static long option(LibiptCase one, String name) {
    int at = one.dumpOptions().indexOf(name);
    return at < 0 ? 0 : Long.decode(one.dumpOptions().get(at + 1));
  }

  private static ClockSettings settings(LibiptCase one) {
    return new ClockSettings(
        (int) option(one, "--mtc-freq"),
        option(one, "--cpuid-0x15.eax"),
        option(one, "--cpuid-0x15.ebx"),
        (int) option(one, "--nom-freq"));
  }

  /** Returns what is told besides the packets: offset, name, value. */
  private static List<String> expected(LibiptCase one) {
    List<String> lines = new ArrayList<>();
    boolean isAsked =
        Stream.of("--time", "--tcal", "--exec-mode").anyMatch(one.dumpOptions()::contains);
    for (String line : one.dump()) {
      Matcher told = TOLD.matcher(line);
      Matcher error = ERROR.matcher(line);
      if (isAsked && told.matches()) {
        lines.add(
            Long.parseLong(told.group(1), 16)
                + " "
                + told.group(2)
                + " "
                + told.group(3).replaceFirst("^0+(?=[0-9a-f])", ""));
      } else if (error.matches()) {
        boolean isLost = error.group(2).startsWith("updating");
        lines.add(Long.parseLong(error.group(1), 16) + (isLost ? " lost" : " error"));
      }
    }
    return lines;
  }

  private static String delta(long from, long to) {
    return to < from ? "-" + Long.toHexString(from - to) : "+" + Long.toHexString(to - from);
  }

  /** The ratio as the clock measures it, of which it tells nobody. */
  private static void measure(CycleRatio ratio, PacketCursor cursor, ClockSettings settings) {
    long value = PacketClock.operand(cursor);
    switch (cursor.type()) {
      case MTC -> ratio.mtc(value << settings.mtcFrequency());
      case CYC -> ratio.cycles(value);
      case CBR -> ratio.coreToBus(value, cursor.inHeader());
      case TSC -> ratio.tsc(value, cursor.inHeader());
      case PSB -> ratio.psb();
      case OVF -> ratio.reset();
      default -> {
        // Tells nothing.
      }
    }
  }

  private static List<String> found(LibiptCase one, Set<Erratum> errata) {
    List<String> options = one.dumpOptions();
    boolean hasDeltas = options.contains("--time-delta");
    boolean hasTime = options.contains("--time");
    boolean hasRatio = options.contains("--tcal");
    ClockSettings settings = settings(one);
    List<String> lines = new ArrayList<>();
    PacketClock clock = new PacketClock(settings, Rounding.LIBIPT, errata);
    CycleRatio ratio = new CycleRatio(settings, 8, errata.contains(Erratum.SKL168));
    try (InputFile input = InputFile.of(one.stream(), one.name())) {
      PacketCursor cursor = new PacketCursor(input, errata);
      while (cursor.next()) {
        long before = clock.tsc();
        long lost = clock.lostCyc();
        long ratioBefore = ratio.value();
        clock.take(cursor);
        measure(ratio, cursor, settings);
        if (clock.lostCyc() != lost && (hasTime || hasRatio)) {
          lines.add(cursor.offset() + " lost");
        }
        switch (cursor.type()) {
          case TSC, TMA, MTC, CYC -> {
            if (hasTime) {
              String time = hasDeltas ? delta(before, clock.tsc()) : Long.toHexString(clock.tsc());
              lines.add(cursor.offset() + " tsc " + time);
            } else if (hasRatio && cursor.type() == PacketType.MTC) {
              lines.add(cursor.offset() + " fcr " + ratio(ratioBefore, ratio.value()));
            }
          }
          case MODE_EXEC -> {
            if (options.contains("--exec-mode")) {
              long bits = cursor.field(PacketType.MODE_EXEC.fields().getLast());
              lines.add(cursor.offset() + " em " + bits + "-bit");
            }
          }
          case ERROR -> lines.add(cursor.offset() + " error");
          default -> {
            // Nothing is told of it.
          }
        }
      }
    }
    return lines;
  }

  private static String ratio(long before, long now) {
    return now == 0 ? "<unavailable>" : String.format(Locale.ROOT, "%+.3f", (now - before) / 256.0);
  }

  private static Set<Erratum> errata(LibiptCase one) {
    if (one.processors().isEmpty()) {
      return Set.of();
    }
    String[] parts = one.processors().getFirst().split("/", -1);
    return Erratum.of(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
  }

  @Test
  void timesRatiosAndErrorsAreThoseOfTheLists() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Map<String, String> others = new TreeMap<>();
    int lines = 0;
    for (LibiptCase one : LibiptCase.all()) {
      List<String> expected = expected(one);
      List<String> found = found(one, errata(one));
      if (!expected.equals(found) && !UNSYNCHRONISED.contains(one.name())) {
        others.put(one.name(), "\n  " + expected + "\n  " + found + "\n");
      } else {
        lines += expected.size();
      }
    }
    assertEquals(OTHERS.keySet(), others.keySet(), others::toString);
    assertEquals(120, lines);
  }
}
