package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.InputFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A cursor for which short TNTs in a row are one packet. */
class JoinedPacketsTest {
  /** Packets that many streams are made of, and some bytes that are none. */
  private static final List<String> PARTS =
      List.of(
          "06",
          "04",
          "1a",
          "fe",
          "80",
          "06",
          "5e",
          "00",
          "0000",
          "000000000000000000",
          "2d3412",
          "4d78563412",
          "6d887766554433",
          "0d",
          "03",
          "ff04",
          "0f02",
          "07ff02",
          "5944",
          "1911223344556677",
          "02a30b0000000000",
          "02a3010000000000",
          "0243101112131415",
          "02c81011121314",
          "02032000",
          "0223",
          "9901",
          "9921",
          "02f3",
          "02f306",
          "0262",
          "0313c8",
          "02620404",
          "cd1122334455667788",
          Streams.PSB,
          "05",
          "020304");

  private static String lineOf(PacketCursor cursor) {
    return "%x+%d %s%s"
        .formatted(cursor.offset(), cursor.length(), cursor.type().label(), Streams.fields(cursor));
  }

  private static List<String> each(InputFile input, Set<Erratum> errata) {
    List<String> lines = new ArrayList<>();
    PacketCursor cursor = new PacketCursor(input, errata);
    while (cursor.next()) {
      lines.add(lineOf(cursor));
    }
    return lines;
  }

  /** Takes joined TNTs apart again, by the offsets of their branches. */
  private static List<String> apart(InputFile input, Set<Erratum> errata) {
    List<String> lines = new ArrayList<>();
    PacketCursor cursor = PacketCursor.joined(input, errata);
    while (cursor.next()) {
      if (cursor.type() != PacketType.TNT8) {
        lines.add(lineOf(cursor));
        continue;
      }
      long tnts = 0;
      StringBuilder bits = new StringBuilder();
      String text = cursor.branchText();
      for (int left = cursor.branches(); left > 0; left--) {
        bits.append(text.charAt(text.length() - left));
        if (left == 1 || cursor.offsetOfBranch(left - 1) != cursor.offsetOfBranch(left)) {
          lines.add("%x+1 TNT8 bits=%s".formatted(cursor.offsetOfBranch(left), bits));
          bits.setLength(0);
          tnts++;
        }
      }
      assertEquals(tnts, cursor.repeats());
    }
    return lines;
  }

  @Test
  void joinedTntsHaveTheBranchesOfEach() {
    SplittableRandom random = new SplittableRandom(3);
    long joined = 0;
    for (int i = 0; i < 300; i++) {
      StringBuilder hex = new StringBuilder(Streams.PSB);
      while (hex.length() < 9000) {
        String part = PARTS.get(random.nextInt(PARTS.size()));
        boolean isRare =
            part.equals("05") || part.equals("020304") || part.equals("02a3010000000000");
        hex.append(isRare && random.nextInt(10) > 0 ? "06" : part);
      }
      byte[] bytes = Streams.bytes(hex.toString());
      // The end may lie in the middle of a packet.
      byte[] cut = Arrays.copyOf(bytes, bytes.length - random.nextInt(16));
      Set<Erratum> errata = i % 2 == 0 ? Set.of() : Set.of(Erratum.SKD007);
      try (InputFile input = InputFile.of(cut, "stream.pt")) {
        List<String> each = each(input, errata);
        assertEquals(each, apart(input, errata));
        joined += each.size();
      }
    }
    assertTrue(joined > 100_000, joined + " packets");
  }

  @Test
  void eightTntsAtMostAreOnePacket() {
    try (InputFile input = Streams.of(Streams.PSB + "06".repeat(11) + "2d0000" + "00".repeat(9))) {
      PacketCursor cursor = PacketCursor.joined(input, Set.of());
      assertTrue(cursor.next());
      assertTrue(cursor.next());
      assertEquals("TTTTTTTT", cursor.branchText());
      assertEquals(8, cursor.repeats());
      assertTrue(cursor.next());
      assertEquals("TTT", cursor.branchText());
      assertEquals(1, cursor.lastBranches());
    }
  }
}
