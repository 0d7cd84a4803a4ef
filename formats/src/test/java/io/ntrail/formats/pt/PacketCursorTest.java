package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Walks over streams, good and damaged. */
class PacketCursorTest {
  private static final String PSB = Streams.PSB;

  @Test
  void addressesAreCompressedAgainstTheLastOneOfAnyPacket() {
    assertEquals(
        List.of(
            "0+16 PSB",
            "10+7 FUP ipc=3 ip=0xffff800000001000",
            "17+3 TIP ipc=1 ip=0xffff800000002345",
            "1a+1 TIP.PGD ipc=0",
            "1b+3 TIP.PGE ipc=1 ip=0xffff800000006789",
            "1e+5 TIP ipc=2 ip=0xffff80000a0b0c0d",
            "23+7 TIP ipc=4 ip=0xffff000000000001"),
        Streams.lines(
            PSB
                + "7d 00 10 00 00 00 80"
                + "2d 45 23"
                + "01"
                + "31 89 67"
                + "4d 0d 0c 0b 0a"
                + "8d 01 00 00 00 00 00"));
  }

  @Test
  void theLastAddressIsForgottenAtAPsbAndAtAnOverflow() {
    assertEquals(
        List.of(
            "0+16 PSB",
            "10+9 TIP ipc=6 ip=0x1122334455667788",
            "19+2 OVF",
            "1b+3 FUP ipc=1 ip=0x1234",
            "1e+9 TIP ipc=6 ip=0x1122334455667788",
            "27+16 PSB",
            "37+3 FUP ipc=1 ip=0x5678"),
        Streams.lines(
            PSB
                + "cd 88 77 66 55 44 33 22 11"
                + "02f3"
                + "3d 34 12"
                + "cd 88 77 66 55 44 33 22 11"
                + PSB
                + "3d 78 56"));
  }

  @Test
  void bytesThatAreNoPacketReachToTheNextPsb() {
    assertEquals(
        List.of("0+16 PSB", "10+5 ERROR UNKNOWN_PACKET", "15+16 PSB", "25+2 PSBEND"),
        Streams.lines(PSB + "05 06 06 06 06" + PSB + "0223"));
  }

  @Test
  void bytesThatAreNoPacketReachToTheEndIfThereIsNoOtherPsb() {
    assertEquals(List.of("0+16 PSB", "10+3 ERROR UNKNOWN_PACKET"), Streams.lines(PSB + "c9 06 06"));
  }

  @Test
  void aPacketThatTheStreamCutsIsAnError() {
    assertEquals(
        List.of("0+16 PSB", "10+5 ERROR ENDS_EARLY"), Streams.lines(PSB + "19 01 02 03 04"));
  }

  @Test
  void aRingThatWasOverwrittenBeginsWithBytesThatAreSaidToBeLost() {
    assertEquals(
        List.of("0+3 ERROR BEFORE_FIRST_PSB", "3+16 PSB"), Streams.lines("c9 06 77" + PSB));
  }

  @Test
  void aRingThatWasNeverFullBeginsWithZerosThatAreNoLoss() {
    assertEquals(List.of("5+16 PSB"), Streams.lines("00 00 00 00 00" + PSB));
  }

  @Test
  void aStreamWithoutPsbIsLostAsAWhole() {
    assertEquals(List.of("0+3 ERROR BEFORE_FIRST_PSB"), Streams.lines("06 06 06"));
    assertEquals(List.of(), Streams.lines(""));
    assertEquals(List.of(), Streams.lines("00 00"));
  }

  @Test
  void aPsbIsTheLastSixteenBytesOfALongerPattern() {
    // The CYC before ends with the bytes of the pattern.
    assertEquals(
        List.of("0+4 ERROR BEFORE_FIRST_PSB", "4+16 PSB"), Streams.lines("ffff0282" + PSB));
  }

  @Test
  void severalPadsAreOneStep() {
    try (InputFile input = Streams.of(PSB + "00".repeat(20) + "06" + "00")) {
      PacketCursor cursor = Streams.cursor(input);
      assertTrue(cursor.next());
      assertTrue(cursor.next());
      assertEquals(20, cursor.repeats());
      assertTrue(cursor.next());
      assertEquals("T", cursor.branchText());
      assertTrue(cursor.next());
      assertEquals(1, cursor.repeats());
      assertFalse(cursor.next());
    }
  }

  @Test
  void theOldestBranchOfATntIsRightBelowTheStopBit() {
    assertEquals(
        List.of("0+16 PSB", "10+1 TNT8 bits=TNT", "11+8 TNT64 bits=NTT"),
        Streams.lines(PSB + "1a" + "02a3 0b0000000000"));
  }

  @Test
  void anOverflowThatCutsACycIsFoundOnProcessorsThatDoSo() {
    String stream = PSB + "0f02f3" + "06";
    assertEquals(
        List.of("0+16 PSB", "10+1 CYC cycles=0x21", "11+2 OVF", "13+1 TNT8 bits=T"),
        Streams.lines(stream, Set.of(Erratum.SKD007)));
    assertEquals(
        List.of("0+16 PSB", "10+2 CYC cycles=0x21", "12+2 ERROR UNKNOWN_PACKET"),
        Streams.lines(PSB + "0f02" + "0506", Set.of(Erratum.SKD007)));
  }

  @Test
  void synchronisationGoesForwardAndBackward() {
    try (InputFile input = Streams.of("0606" + PSB + "06" + PSB + "0606" + PSB)) {
      PacketCursor cursor = Streams.cursor(input);
      cursor.next();
      assertTrue(cursor.next());
      assertEquals(2, cursor.offset());
      assertTrue(cursor.seekNextPsb());
      assertTrue(cursor.next());
      assertEquals(19, cursor.offset());
      assertTrue(cursor.seekNextPsb());
      assertTrue(cursor.next());
      assertEquals(37, cursor.offset());
      assertFalse(cursor.seekNextPsb());
      assertTrue(cursor.seekPreviousPsb());
      assertTrue(cursor.next());
      assertEquals(19, cursor.offset());
      assertTrue(cursor.seekPreviousPsb());
      assertTrue(cursor.next());
      assertEquals(2, cursor.offset());
      assertFalse(cursor.seekPreviousPsb());
    }
  }

  @Test
  void aPatternThatGoesOnForMegabytesIsSearchedOnce() {
    byte[] bytes = new byte[8 << 20];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i % 2 == 0 ? 0x02 : 0x82);
    }
    try (InputFile input = InputFile.of(bytes, "long.pt")) {
      assertEquals(bytes.length - 16, PsbSearch.next(input, 0));
      assertEquals(bytes.length - 16, PsbSearch.previous(input, bytes.length));
      assertEquals(-1, PsbSearch.previous(input, bytes.length - 16));
    }
  }

  /** The table "Packet counts" of the README beside the data, from a decoder of others. */
  @Test
  void realStreamsHaveThePacketsThatAnotherDecoderCounted() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<String> lines = Files.readAllLines(TestData.file("pt/README.md"));
    int table =
        lines.indexOf(
            lines.stream()
                .filter(line -> line.startsWith("| stream | bytes |"))
                .findFirst()
                .orElseThrow());
    List<String> heads = cells(lines.get(table));
    int streams = 0;
    for (String line : lines.subList(table + 2, lines.size())) {
      if (!line.startsWith("|")) {
        break;
      }
      List<String> cells = cells(line);
      List<String> found = new ArrayList<>();
      byte[] bytes = stream(cells.getFirst());
      try (InputFile input = InputFile.of(bytes, cells.getFirst())) {
        found.add(cells.getFirst());
        found.add(Long.toString(input.size()));
        found.add(Long.toString(PsbSearch.next(input, 0)));
        counts(input, heads, found);
      }
      assertEquals(cells, found);
      streams++;
    }
    assertEquals(19, streams);
  }

  private static void counts(InputFile input, List<String> heads, List<String> into) {
    Map<PacketType, Long> counts = new EnumMap<>(PacketType.class);
    long branches = 0;
    PacketCursor cursor = Streams.cursor(input);
    while (cursor.next()) {
      boolean isBeforePsb =
          cursor.type() == PacketType.ERROR && cursor.error() == PacketError.BEFORE_FIRST_PSB;
      if (!isBeforePsb) {
        counts.merge(cursor.type(), cursor.repeats(), Long::sum);
      }
      if (cursor.type() == PacketType.TNT8 || cursor.type() == PacketType.TNT64) {
        branches += cursor.branches();
      }
    }
    for (String head : heads.subList(3, heads.size() - 1)) {
      long count = 0;
      for (Map.Entry<PacketType, Long> entry : counts.entrySet()) {
        count += entry.getKey().label().equals(head) ? entry.getValue() : 0;
      }
      into.add(Long.toString(count));
    }
    into.add(Long.toString(branches));
    assertEquals(0, counts.getOrDefault(PacketType.ERROR, 0L), "no damage in " + into.getFirst());
  }

  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    for (String cell : line.substring(1, line.length() - 1).split("\\|", -1)) {
      cells.add(cell.trim());
    }
    return cells;
  }

  private static byte[] stream(String name) throws IOException {
    Path plain = TestData.file("pt/README.md").resolveSibling(name);
    return Files.exists(plain) ? Files.readAllBytes(plain) : TestData.gunzip("pt/" + name + ".gz");
  }

  /** One in the middle of a window is read by tables, one near its end is not. */
  @Test
  void aPacketIsTheSameAtTheEndOfAStreamAndInItsMiddle() {
    SplittableRandom random = new SplittableRandom(1);
    String ip = "7d0012345678ff";
    int compared = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] packet = new byte[16];
      random.nextBytes(packet);
      packet[0] = (byte) i;
      String whole = HexFormat.of().formatHex(packet);
      String middle = Streams.lines(PSB + ip + whole).get(2);
      if (middle.contains("ERROR") || middle.contains(" PAD")) {
        continue;
      }
      int length = Integer.parseInt(middle.substring(3, middle.indexOf(' ')));
      List<String> end = Streams.lines(PSB + ip + whole.substring(0, 2 * length));
      assertEquals(middle, end.get(2), whole);
      assertEquals(3, end.size(), whole);
      compared++;
    }
    assertTrue(compared > 10_000, compared + " packets");
  }

  @Test
  void aTmaThatAProcessorDamagedIsOneByteLongerAndNoError() {
    Set<Erratum> errata = Set.of(Erratum.SKZ84);
    try (InputFile input = Streams.of(PSB + "02730101010100ff" + "3d0100")) {
      PacketCursor cursor = new PacketCursor(input, errata);
      assertTrue(cursor.next());
      assertTrue(cursor.next());
      assertEquals(PacketType.TMA, cursor.type());
      assertTrue(cursor.isDamagedTma());
      assertTrue(cursor.next());
      assertEquals(0x18, cursor.offset());
    }
    assertTrue(Streams.lines(PSB + "0273010101010000").get(1).contains("RESERVED_TMA"));
  }
}
