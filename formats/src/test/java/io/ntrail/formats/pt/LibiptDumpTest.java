package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pt.LibiptCase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Packets of the cases that libipt is tested with are those that its list of packets has. */
class LibiptDumpTest {
  private static final Pattern LINE = Pattern.compile("([0-9a-f]{16}) +([a-z.0-9]+) *(.*)");

  /** Begins at its first byte, without a PSB. */
  private static final String ALL_PACKETS = "dump-all-packets";

  /**
   * Cases whose lists are others: without offsets; a stream that is cut, where nothing is listed;
   * half a CYC before an OVF, which has a row of its own here (skd007); a TMA with a byte too much,
   * which is a TMA here (skz84).
   */
  private static final Set<String> OTHERS =
      Set.of("ptdump-no-offset-raw", "ptdump-no-offset", "ptdump-trunc-resync", "skd007", "skz84");

  private static Set<Erratum> errata(LibiptCase one) {
    if (one.processors().isEmpty()) {
      return Set.of();
    }
    String[] parts = one.processors().getFirst().split("/", -1);
    return Erratum.of(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
  }

  /** Lines up to the first error: offset, packet, and the value of those that have one. */
  private static List<String> expected(LibiptCase one) {
    List<String> lines = new ArrayList<>();
    for (String line : one.dump()) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches()) {
        String first = matcher.group(3).split("[ ,:]", -1)[0];
        String value =
            switch (matcher.group(2)) {
              case "tip", "tip.pge", "tip.pgd", "fup", "tsc", "mtc", "cbr", "cyc", "mnt", "vmcs" ->
                  " " + first;
              case "tnt.8", "tnt.64" -> " " + first.replace('!', 'T').replace('.', 'N');
              default -> "";
            };
        lines.add(Long.parseLong(matcher.group(1), 16) + " " + matcher.group(2) + value);
      } else if (line.startsWith("[") && line.contains("packet")) {
        break;
      }
    }
    return lines;
  }

  private static String name(PacketType type) {
    return switch (type) {
      case TNT8 -> "tnt.8";
      case TNT64 -> "tnt.64";
      case TRACE_STOP -> "stop";
      default -> type.label().toLowerCase(Locale.ROOT);
    };
  }

  private static String value(PacketCursor cursor) {
    return switch (cursor.type()) {
      case TIP, TIP_PGE, TIP_PGD, FUP, TSC, MTC, CYC, CBR, MNT, VMCS ->
          " " + Long.toHexString(cursor.field(cursor.type().fields().getFirst()));
      case TNT8, TNT64 -> " " + cursor.branchText();
      default -> "";
    };
  }

  private static List<String> found(LibiptCase one) {
    List<String> lines = new ArrayList<>();
    boolean isBare = one.name().equals(ALL_PACKETS);
    String stream = (isBare ? Streams.PSB : "") + HexFormat.of().formatHex(one.stream());
    try (InputFile input = Streams.of(stream)) {
      PacketCursor cursor = new PacketCursor(input, errata(one));
      long begin = isBare ? 16 : 0;
      if (isBare) {
        assertTrue(cursor.next());
      }
      while (cursor.next() && cursor.type() != PacketType.ERROR) {
        for (long i = 0; i < cursor.repeats(); i++) {
          lines.add(cursor.offset() + i - begin + " " + name(cursor.type()) + value(cursor));
        }
      }
    }
    return lines;
  }

  @Test
  void packetsAreThoseOfTheLists() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<String> others = new ArrayList<>();
    int packets = 0;
    int cases = 0;
    for (LibiptCase one : LibiptCase.all()) {
      List<String> expected = expected(one);
      List<String> found = found(one);
      if (!OTHERS.contains(one.name()) && !expected.equals(found)) {
        others.add(one.name() + ": expected " + expected + ", found " + found);
      }
      packets += expected.size();
      cases++;
    }
    assertEquals(List.of(), others, String.join("\n", others));
    assertTrue(packets > 1000, cases + " cases, " + packets + " packets");
  }
}
