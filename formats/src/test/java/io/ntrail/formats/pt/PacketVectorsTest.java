package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertIterableEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Packets of every kind, byte by byte, as other decoders read them. */
class PacketVectorsTest {
  /** Without it, the bytes of a second PSB would belong to the first one. */
  private static final String PSBEND = "0223";

  private static final String BLOCK_OF_8 = "026301";
  private static final String BLOCK_OF_4 = "026381";

  private static List<String[]> rows(boolean bad) throws IOException {
    List<String[]> rows = new ArrayList<>();
    for (String line : Files.readAllLines(TestData.file("pt/packet-vectors.tsv"))) {
      String[] cells = line.split("\t", -1);
      if (!line.startsWith("#") && cells[0].equals("BAD") == bad) {
        rows.add(cells);
      }
    }
    return rows;
  }

  private static String context(int itemSize) {
    return switch (itemSize) {
      case 4 -> BLOCK_OF_4;
      case 8 -> BLOCK_OF_8;
      default -> "";
    };
  }

  /** Returns what a cursor makes of bytes that follow a PSB, in a block or not. */
  private static String read(String hex, int itemSize) {
    String before = Streams.PSB + PSBEND + context(itemSize);
    try (InputFile input = Streams.of(before + hex)) {
      PacketCursor cursor = Streams.cursor(input);
      while (cursor.next()) {
        if (cursor.offset() >= before.length() / 2) {
          return "%s %d%s -> %d"
              .formatted(
                  cursor.type().label(),
                  cursor.length(),
                  Streams.fields(cursor),
                  cursor.itemSize());
        }
      }
      return "none";
    }
  }

  @Test
  void everyVectorIsReadWithItsFields() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<String[]> rows = rows(false);
    List<String> wanted = new ArrayList<>();
    List<String> found = new ArrayList<>();
    for (String[] row : rows) {
      String label = row[2].equals("STOP") ? "TraceStop" : row[2];
      // An address that is suppressed has no value here, where the vectors have a zero.
      String fields = row[4].equals("-") ? "" : " " + row[4].replace("ipc=0 ip=0x0", "ipc=0");
      wanted.add(row[0] + ": " + label + " " + row[3] + fields + " -> " + row[5]);
      found.add(row[0] + ": " + read(row[0], Integer.parseInt(row[1])));
    }
    assertEquals(124, rows.size());
    assertIterableEquals(wanted, found);
  }

  @Test
  void aBlockGoesOnAfterPacketsThatLeaveItAlone() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (String[] row : rows(false)) {
      if (row[1].equals("0") && !row[2].equals("BBP")) {
        int after = row[6].equals("keeps") ? 8 : 0;
        // Some bytes of a TNT are an item's here.
        if (!row[0].endsWith("4") || !row[2].equals("TNT8")) {
          String read = read(row[0], 8);
          assertEquals("-> " + after, read.substring(read.indexOf("->")), row[0]);
        }
      }
    }
  }

  @Test
  void everyMalformedVectorIsAnErrorButTwoThatAreOnlyOdd() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<String> accepted = new ArrayList<>();
    List<String[]> rows = rows(true);
    for (String[] row : rows) {
      try (InputFile input = Streams.of(Streams.PSB + PSBEND + row[1])) {
        PacketCursor cursor = Streams.cursor(input);
        cursor.next();
        cursor.next();
        cursor.next();
        if (cursor.type() != PacketType.ERROR) {
          assertEquals(true, cursor.isOdd(), row[1]);
          accepted.add(row[1]);
        }
      }
    }
    assertEquals(15, rows.size());
    assertEquals(List.of("9903", "9923"), accepted);
  }
}
