package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.InputFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Streams that are longer than the window through which they are looked at: files with holes, which
 * take no room on a disk.
 */
class PsbSeamTest {
  /** Bytes of a window, of the search and of the cursor. */
  private static final long WINDOW = 1 << 26;

  @TempDir Path folder;

  /** Returns a stream of zeros but for some bytes at an offset. */
  private InputFile stream(long offset, String hex, long size) throws IOException {
    return stream("", offset, hex, size);
  }

  /** Returns a stream of zeros but for some bytes at its start and at an offset. */
  private InputFile stream(String start, long offset, String hex, long size) throws IOException {
    Path file = folder.resolve("holes.pt");
    Files.deleteIfExists(file);
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            StandardOpenOption.SPARSE)) {
      channel.write(ByteBuffer.wrap(new byte[1]), size - 1);
      channel.write(ByteBuffer.wrap(Streams.bytes(start)), 0);
      channel.write(ByteBuffer.wrap(Streams.bytes(hex)), offset);
    }
    return InputFile.map(file, "holes.pt");
  }

  @Test
  void aPsbAcrossTheEndOfAWindowIsFound() throws IOException {
    for (long offset : List.of(-32L, -17L, -16L, -15L, -8L, -1L, 0L, 1L)) {
      try (InputFile input = stream(WINDOW + offset, Streams.PSB, WINDOW + 100)) {
        assertEquals(WINDOW + offset, PsbSearch.next(input, 0), "at " + offset);
      }
    }
  }

  @Test
  void aLongerPatternAcrossTheEndOfAWindowIsAPsbAtItsEnd() throws IOException {
    // 24 bytes of it; the PSB is the last 16.
    for (long offset : List.of(-24L, -23L, -18L, -17L, -16L, -9L, -2L)) {
      try (InputFile input =
          stream(WINDOW + offset, Streams.PSB + "0282028202820282", WINDOW + 100)) {
        assertEquals(WINDOW + offset + 8, PsbSearch.next(input, 0), "at " + offset);
      }
    }
  }

  @Test
  void aPsbAtTheVeryEndOfAStreamOfOneWindowIsFound() throws IOException {
    try (InputFile input = stream(WINDOW - 16, Streams.PSB, WINDOW)) {
      assertEquals(WINDOW - 16, PsbSearch.next(input, 0));
      assertEquals(-1, PsbSearch.next(input, WINDOW - 15));
    }
  }

  @Test
  void aPsbAcrossTheBeginOfAWindowIsFoundBackward() throws IOException {
    long last = WINDOW + 200;
    for (long offset : List.of(-16L, -1L, 0L, 1L)) {
      // The window that is looked at first begins so many bytes before the last offset.
      long at = last - WINDOW + offset;
      try (InputFile input = stream(at, Streams.PSB, last + 16)) {
        assertEquals(at, PsbSearch.previous(input, last + 1), "at " + offset);
      }
    }
  }

  @Test
  void packetsAcrossTheEndOfAWindowAreWhole() throws IOException {
    for (long offset : List.of(-40L, -33L, -32L, -31L, -9L, -8L, -1L, 0L)) {
      long at = WINDOW + offset;
      // A PSB, a TSC, a TIP with eight bytes, and a branch. The first window begins at the PSB that
      // the stream begins with.
      String packets = Streams.PSB + "1901020304050607" + "cd8877665544332211" + "06";
      List<String> found = new ArrayList<>();
      try (InputFile input = stream(Streams.PSB, at, packets + packets, WINDOW + 200)) {
        PacketCursor cursor = Streams.cursor(input);
        assertTrue(cursor.next());
        while (cursor.next()) {
          if (cursor.type() != PacketType.PAD) {
            found.add(cursor.offset() - at + " " + cursor.type().label() + Streams.fields(cursor));
          }
        }
      }
      assertEquals(
          List.of(
              "0 PSB",
              "16 TSC tsc=0x7060504030201",
              "24 TIP ipc=6 ip=0x1122334455667788",
              "33 TNT8 bits=T",
              "34 PSB",
              "50 TSC tsc=0x7060504030201",
              "58 TIP ipc=6 ip=0x1122334455667788",
              "67 TNT8 bits=T"),
          found,
          "at " + offset);
    }
  }

  @Test
  void aCursorFindsThePsbBehindDamageAcrossTheEndOfAWindow() throws IOException {
    try (InputFile input = stream(WINDOW - 9, "c9" + Streams.PSB, WINDOW + 100)) {
      PacketCursor cursor = Streams.cursor(input);
      assertTrue(cursor.next());
      assertEquals(PacketError.BEFORE_FIRST_PSB, cursor.error());
      assertTrue(cursor.next());
      assertEquals(WINDOW - 8, cursor.offset());
      assertFalse(cursor.type() == PacketType.ERROR);
    }
  }
}
