package io.ntrail.formats.ntr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import io.ntrail.testkit.ntr.SyntheticProgram;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Cut, flipped, missing, strange: what is intact is read, what is not is a gap of the right size,
 * and both readers agree on it.
 */
class NtrDamageTest {
  /** A complete file with all kinds of chunks, small enough to damage at every byte. */
  private static byte[] small() throws IOException {
    RecordingInMemory recorded = new RecordingInMemory(NtrWriter.Packing.FAST, 150);
    recorded.define();
    SyntheticProgram one = new SyntheticProgram(5, 25, 5);
    SyntheticProgram two = new SyntheticProgram(6, 25, 50);
    for (int i = 0; i < 2; i++) {
      recorded.run(1, one, 200);
      recorded.run(2, two, 100);
      recorded.writer.flush();
    }
    recorded.add(3, EventKind.EXCEPTION, 5, 1, 0, 0, 0x2000, 0xC0000005L, 0x400000);
    return recorded.closed();
  }

  /** Returns the number of events in chunks that end before {@code length}. */
  private static long eventsWithin(byte[] file, int length) {
    long events = 0;
    List<Integer> offsets = RawChunks.offsets(file);
    for (int i = 0; i + 1 < offsets.size() && offsets.get(i + 1) <= length; i++) {
      events += eventsOf(file, offsets.get(i));
    }
    return events;
  }

  private static long eventsOf(byte[] file, int chunk) {
    boolean events = LittleEndian.getU16(file, chunk + 4) == NtrLayout.EVENTS;
    return events ? LittleEndian.getU32(file, chunk + 32 + 56) : 0;
  }

  @Test
  void aFileCutAnywhereIsReadUpToItsLastWholeChunk() throws IOException {
    byte[] file = small();
    List<Integer> offsets = RawChunks.offsets(file);
    int first = offsets.get(1);
    for (int length = 0; length < file.length; length++) {
      Reading reading = Reading.compared(Arrays.copyOf(file, length));
      if (length < 32) {
        assertNull(reading);
        continue;
      }
      assertNotNull(reading);
      assertEquals(eventsWithin(file, length), reading.count(), "cut at " + length);
      int cut = length;
      int whole = offsets.stream().filter(at -> at <= cut).max(Integer::compare).orElseThrow();
      List<ReferenceNtrReader.Hole> holes =
          whole == length ? List.of() : List.of(new ReferenceNtrReader.Hole(whole, length - whole));
      assertEquals(holes, reading.holes(), "cut at " + length);
      assertEquals(length >= first ? "test" : "", reading.recording().writer());
    }
  }

  @Test
  void aFlippedByteCostsItsChunkAndNothingElse() throws IOException {
    byte[] file = small();
    long all = eventsWithin(file, file.length);
    List<Integer> offsets = RawChunks.offsets(file);
    for (int i = 0; i + 1 < offsets.size(); i++) {
      int from = offsets.get(i);
      int to = offsets.get(i + 1);
      for (int at = from; at < to; at++) {
        byte[] flipped = file.clone();
        flipped[at] ^= (byte) (1 << at % 8);
        Reading reading = Reading.compared(flipped);
        assertNotNull(reading);
        assertEquals(
            List.of(new ReferenceNtrReader.Hole(from, to - from)),
            reading.holes(),
            "flipped at " + at);
        assertEquals(all - eventsOf(file, from), reading.count(), "flipped at " + at);
      }
    }
  }

  @Test
  void aFlippedByteOfAFileWithoutIndexCostsItsChunkAndNothingElse() throws IOException {
    byte[] complete = small();
    List<byte[]> chunks = RawChunks.split(complete);
    byte[] file = RawChunks.join(chunks.subList(0, chunks.size() - 3));
    List<Integer> offsets = RawChunks.offsets(file);
    long all = eventsWithin(file, file.length);
    for (int i = 0; i + 1 < offsets.size(); i++) {
      for (int at = offsets.get(i); at < offsets.get(i + 1); at += 3) {
        byte[] flipped = file.clone();
        flipped[at] ^= (byte) 0xFF;
        Reading reading = Reading.compared(flipped);
        assertNotNull(reading);
        int size = offsets.get(i + 1) - offsets.get(i);
        assertEquals(List.of(new ReferenceNtrReader.Hole(offsets.get(i), size)), reading.holes());
        assertEquals(all - eventsOf(file, offsets.get(i)), reading.count());
      }
    }
  }

  @Test
  void anyDamageIsSeenAlikeByBothReaders() throws IOException {
    List<byte[]> chunks = RawChunks.split(small());
    byte[] file = RawChunks.join(chunks.subList(0, chunks.size() - 2));
    Property.check(
        400,
        g -> {
          byte[] bytes = file;
          for (int times = 1 + g.below(4); times > 0; times--) {
            bytes = damaged(g, bytes);
          }
          Reading.compared(bytes);
        });
  }

  @Test
  void bytesMovedUnderAnIndexCostNoMoreThanTheChunksThatMoved() throws IOException {
    byte[] file = small();
    List<byte[]> chunks = RawChunks.split(file);
    long all = eventsWithin(file, file.length);
    byte[] moved = chunks.remove(3);
    chunks.add(4, moved);
    byte[] bytes = RawChunks.join(chunks);
    Reading reading = Reading.of(bytes);
    assertTrue(reading.byIndex());
    long events = LittleEndian.getU32(moved, 88) + LittleEndian.getU32(chunks.get(3), 88);
    assertEquals(all - events, reading.count());
    assertEquals(
        List.of(
            new ReferenceNtrReader.Hole(
                RawChunks.offsets(file).get(3), moved.length + chunks.get(3).length)),
        reading.holes());
  }

  private static byte[] damaged(Property.Gen g, byte[] file) {
    int at = g.below(Math.max(1, file.length));
    int length = Math.min(file.length - at, 8 * g.below(200) + (g.flag() ? 0 : g.below(8)));
    byte[] end = Arrays.copyOfRange(file, at + length, file.length);
    byte[] middle =
        switch (g.below(4)) {
          case 0 -> new byte[length];
          case 1 -> new byte[0];
          case 2 -> g.bytes(300);
          default -> Arrays.copyOfRange(file, at, at + length);
        };
    List<byte[]> parts = new ArrayList<>(List.of(Arrays.copyOf(file, at), middle, end));
    if (g.below(4) == 0) {
      parts.add(1, Arrays.copyOfRange(file, at, at + length));
    }
    return RawChunks.join(parts);
  }

  @Test
  void eventsOfADamagedChunkAreCountedAtTheNextOne() throws IOException {
    RecordingInMemory recorded = new RecordingInMemory(NtrWriter.Packing.FAST, 100);
    recorded.run(1, new SyntheticProgram(5, 25, 5), 1000);
    byte[] file = recorded.closed();
    List<Integer> offsets = RawChunks.offsets(file);
    file[offsets.get(4) + 200] ^= 1;
    file[offsets.get(5) + 10] ^= 1;
    Reading reading = Reading.compared(file);
    assertNotNull(reading);
    assertEquals(200, reading.missing());
    assertEquals(1, reading.holes().size());
  }

  @Test
  void missingChunksAreAGapWithoutBytes() throws IOException {
    List<byte[]> chunks = RawChunks.split(small());
    chunks.remove(3);
    Reading reading = Reading.compared(RawChunks.join(chunks));
    assertNotNull(reading);
    assertEquals(1, reading.holes().size());
    assertEquals(0, reading.holes().getFirst().bytes());
  }

  @Test
  void aChunkThatComesTwiceIsReadOnce() throws IOException {
    byte[] file = small();
    List<byte[]> chunks = RawChunks.split(file);
    chunks.add(4, chunks.get(3));
    Reading reading = Reading.compared(RawChunks.join(chunks));
    assertNotNull(reading);
    assertEquals(eventsWithin(file, file.length), reading.count());
    assertEquals(chunks.get(3).length, reading.holes().getFirst().bytes());
  }

  @Test
  void chunksOfAnotherRecordingAreAGap() throws IOException {
    List<byte[]> chunks = RawChunks.split(small());
    byte[] foreign = chunks.get(4).clone();
    foreign[24] ^= 1;
    chunks.set(4, RawChunks.mended(foreign));
    Reading reading = Reading.compared(RawChunks.join(chunks));
    assertNotNull(reading);
    assertEquals(foreign.length, reading.holes().getFirst().bytes());
  }

  @Test
  void wrongContentsUnderRightChecksumsAreSeenAlikeByBothReaders() throws IOException {
    List<byte[]> all = RawChunks.split(small());
    List<byte[]> chunks = all.subList(0, all.size() - 3);
    int[] damaged = {0};
    Property.check(
        3000,
        g -> {
          List<byte[]> spoiled = new ArrayList<>(chunks);
          int which = 1 + g.below(chunks.size() - 1);
          byte[] chunk = chunks.get(which).clone();
          for (int times = 1 + g.below(3); times > 0; times--) {
            int at = 32 + g.below(g.flag() ? chunk.length - 32 : Math.min(176, chunk.length - 32));
            chunk[at] = (byte) (g.flag() ? g.below(256) : chunk[at] ^ 1 << g.below(8));
          }
          spoiled.set(which, RawChunks.mended(chunk));
          Reading reading = Reading.compared(RawChunks.join(spoiled));
          assertNotNull(reading);
          damaged[0] += reading.holes().isEmpty() ? 0 : 1;
        });
    assertTrue(damaged[0] > 1000, "only " + damaged[0] + " were seen to be damaged");
  }

  @Test
  void anIndexThatDoesNotCoverTheFileIsNotUsed() throws IOException {
    byte[] file = small();
    List<byte[]> chunks = RawChunks.split(file);
    int index = chunks.size() - 2;
    long all = eventsWithin(file, file.length);
    for (int at = 32; at < chunks.get(index).length; at++) {
      byte[] chunk = chunks.get(index).clone();
      chunk[at] ^= 1;
      List<byte[]> spoiled = new ArrayList<>(chunks);
      spoiled.set(index, RawChunks.mended(chunk));
      Reading reading = Reading.of(RawChunks.join(spoiled));
      // Either going through the file gives everything, or chunks do not agree with the index.
      assertTrue(reading.count() == all || !reading.holes().isEmpty(), "at " + at);
    }
  }
}
