package io.ntrail.formats.etl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.testkit.LittleEndian;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** New buffers of a file that a session writes are read once, whatever was read before. */
class GrowingEtlFileTest {
  private static final int SIZE = 0x1000;

  @TempDir private Path folder;

  /** Writes a file of a header and of buffers with these times; 0: room without a buffer. */
  private Path write(int... times) throws IOException {
    LittleEndian file = new LittleEndian(SIZE * (1 + times.length));
    file.bytes(buffer(0));
    for (int time : times) {
      file.bytes(time == 0 ? new byte[SIZE] : buffer(time));
    }
    return Files.write(folder.resolve("g.etl"), file.toByteArray());
  }

  private static byte[] buffer(int time) {
    byte[] buffer = new byte[SIZE];
    LittleEndian.putU32(buffer, 0, SIZE);
    LittleEndian.putU32(buffer, 0x10, time);
    return buffer;
  }

  /** Returns the times of what is new. */
  private static List<Integer> read(GrowingEtlFile file) throws IOException {
    byte[] part = file.read();
    List<Integer> times = new ArrayList<>();
    for (int at = SIZE; at < part.length; at += SIZE) {
      assertEquals(SIZE, LittleEndian.getU32(part, at));
      times.add((int) LittleEndian.getU32(part, at + 0x10));
    }
    return times;
  }

  @Test
  void whatIsAddedIsRead() throws IOException {
    try (GrowingEtlFile file = new GrowingEtlFile(write(5, 7), SIZE)) {
      assertEquals(List.of(5, 7), read(file));
      assertArrayEquals(buffer(0), file.read());
      // A session may have written one before another that was full earlier.
      write(5, 7, 6, 9);
      assertEquals(List.of(6, 9), read(file));
      assertEquals(4, file.buffers());
    }
  }

  @Test
  void whatIsNotWrittenYetIsReadLater() throws IOException {
    try (GrowingEtlFile file = new GrowingEtlFile(write(5, 0, 0), SIZE)) {
      assertEquals(List.of(5), read(file));
      write(5, 6, 0, 8);
      assertEquals(List.of(6), read(file));
      write(5, 6, 7, 8);
      assertEquals(List.of(7, 8), read(file));
    }
  }

  @Test
  void ofARingWhatIsWrittenOverIsReadAndNothingTwice() throws IOException {
    try (GrowingEtlFile file = new GrowingEtlFile(write(1, 2, 3), SIZE)) {
      assertEquals(List.of(1, 2, 3), read(file));
      write(4, 2, 3);
      assertEquals(List.of(4), read(file));
      write(4, 5, 6);
      assertEquals(List.of(5, 6), read(file));
      write(7, 5, 6);
      assertEquals(List.of(7), read(file));
      assertEquals(List.of(), read(file));
    }
  }

  @Test
  void buffersThatWereWrittenOverUnreadAreCounted() throws IOException {
    try (GrowingEtlFile file = new GrowingEtlFile(write(1, 2, 3), SIZE)) {
      read(file);
      // The session counts its header, too.
      assertEquals(0, file.missed(4));
      assertEquals(List.of(), read(file));
      write(4, 5, 3);
      assertEquals(List.of(4, 5), read(file));
      assertEquals(0, file.missed(6));
      // 6, 7 and 8 came and went: the ring had room for 9 to 11 only.
      write(9, 10, 11);
      assertEquals(List.of(11, 9, 10), read(file));
      assertEquals(3, file.missed(12));
      assertEquals(0, file.missed(12));
    }
  }

  @Test
  void aRingThatWentRoundBeforeIsFollowed() throws IOException {
    try (GrowingEtlFile file = new GrowingEtlFile(write(9, 10, 6, 7, 8), SIZE)) {
      assertEquals(List.of(9, 10, 6, 7, 8), read(file));
      write(9, 10, 11, 7, 8);
      assertEquals(List.of(11), read(file));
    }
  }

  @Test
  void aFileThatBeginsIsNoRecordingYet() throws IOException {
    Path begun = Files.write(folder.resolve("b.etl"), new byte[100]);
    try (GrowingEtlFile file = new GrowingEtlFile(begun, SIZE)) {
      assertEquals(0, file.read().length);
    }
  }
}
