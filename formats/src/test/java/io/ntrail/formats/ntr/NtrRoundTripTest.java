package io.ntrail.formats.ntr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.Property;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import io.ntrail.testkit.ntr.SyntheticProgram;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Round trips of random events through both readers. */
class NtrRoundTripTest {
  private static Reading read(byte[] file) {
    Reading reading = Reading.compared(file);
    assertNotNull(reading);
    return reading;
  }

  @Test
  void callsOfAProgramComeBack() {
    for (int disorder : new int[] {0, 20, 100}) {
      RecordingInMemory recorded = new RecordingInMemory(NtrWriter.Packing.FAST, 5000);
      recorded.define();
      SyntheticProgram one = new SyntheticProgram(1, 300, disorder);
      SyntheticProgram two = new SyntheticProgram(2, 300, disorder);
      for (int i = 0; i < 20; i++) {
        recorded.run(1, one, 1000);
        recorded.run(2, two, 700);
      }
      Reading reading = read(recorded.closed());
      assertEquals(recorded.events, reading.events());
      assertEquals(List.of(), reading.holes());
      assertTrue(reading.byIndex());
    }
  }

  @Test
  void anyEventsInAnyOrderComeBack() {
    Property.check(
        300,
        g -> {
          RecordingInMemory recorded = RecordingInMemory.anything(g);
          Reading reading = read(recorded.closed());
          assertEquals(recorded.events, reading.events());
          assertEquals(List.of(), reading.holes());
          assertEquals(0, reading.missing());
        });
  }

  @Test
  void aFileWithoutIndexHasTheSameContent() throws IOException {
    RecordingInMemory recorded = new RecordingInMemory(NtrWriter.Packing.SMALL, 100);
    recorded.define();
    recorded.run(1, new SyntheticProgram(1, 30, 5), 1000);
    recorded.writer.flush();
    byte[] killed = recorded.killed();
    Reading without = read(killed);
    assertFalse(without.byIndex());
    Reading with = read(recorded.closed());
    assertTrue(with.byIndex());
    assertEquals(without.events(), with.events());
    assertEquals(without.definitions(), with.definitions());
    assertEquals(List.of(), without.holes());
  }

  @Test
  void anEmptyRecordingIsARecording() {
    Reading reading = read(new RecordingInMemory().closed());
    assertEquals(Map.of(), reading.events());
    assertTrue(reading.byIndex());
    assertEquals("test", reading.recording().writer());
    assertEquals(List.of(), read(new RecordingInMemory().killed()).holes());
  }

  @Test
  void definitionsAndCountersComeBack() throws IOException {
    RecordingInMemory recorded = new RecordingInMemory();
    recorded.define();
    recorded.writer.process(
        new TracedProcess(1, 4312, 5, 10_000, 0xC000_0005L, "a.exe", "", 0x14C));
    recorded.writer.statistics(Map.of(RecorderCounter.EVENTS, 13L));
    Reading reading = read(recorded.closed());
    assertEquals(Map.of(13L, 13L, 22L, 3L), reading.statistics());
    assertEquals("4312 5 a.exe  332", reading.definitions().get("process 1"));
    assertEquals("10000 3221225477", reading.definitions().get("process end 1"));
    assertEquals("8000", reading.definitions().get("module end 2"));
    assertEquals("1 4160 Key::Parse 1 2", reading.definitions().get("function 1"));
    assertEquals(List.of(List.of(1000L, 0L, 133_000_000_000_000_000L)), reading.calibrations());
  }

  @Test
  void manyThreadsOfOneEventEachComeBack() {
    RecordingInMemory recorded = new RecordingInMemory();
    for (int thread = 1; thread <= 3000; thread++) {
      long number = Long.MAX_VALUE - thread;
      recorded.add(number, EventKind.ENTRY, thread, 1, 0, 0, 0x1000, 0x400000);
    }
    assertEquals(recorded.events, read(recorded.closed()).events());
  }

  @Test
  void recursionDeeperThanTheModelComesBack() {
    RecordingInMemory recorded = new RecordingInMemory(NtrWriter.Packing.FAST, 4000);
    int depth = 10_000;
    for (int i = 0; i < depth; i++) {
      recorded.add(1, EventKind.ENTRY, i, 1, 0, i, 0x100_0000L - 8L * i, 0x400000);
    }
    for (int i = depth - 1; i >= 0; i--) {
      recorded.add(1, EventKind.EXIT, 2L * depth - i, 1, 0, i, 0x100_0000L - 8L * i, i);
    }
    assertEquals(recorded.events, read(recorded.closed()).events());
  }

  @Test
  void moreSitesThanAChunkMayHaveComeBack() {
    RecordingInMemory recorded =
        new RecordingInMemory(NtrWriter.Packing.NONE, NtrLayout.MAX_EVENTS);
    for (int i = 0; i < 70_000; i++) {
      recorded.add(1, EventKind.ENTRY_ONLY, i, i + 1, 0, 0, 0x1000, 0x400000 + i);
    }
    Reading reading = read(recorded.closed());
    assertEquals(recorded.events, reading.events());
    assertEquals(2, reading.open().size());
  }

  @Test
  void openFramesTellWhatIsOpenWhereAChunkBegins() throws IOException {
    RecordingInMemory recorded = new RecordingInMemory();
    recorded.add(1, EventKind.ENTRY, 100, 1, 0, 0, 0x5000, 0x400010);
    recorded.add(1, EventKind.ENTRY, 120, 2, 0, 1, 0x4FC0, 0x400020);
    recorded.add(1, EventKind.EXIT, 130, 2, 0, 1, 0x4FC0, 7);
    recorded.add(1, EventKind.ENTRY, 140, 3, 0, 1, 0x4FC0, 0x400030);
    recorded.add(1, EventKind.ENTRY, 150, 9, 5, 0, 0x9000, 0x400040);
    recorded.writer.flush();
    recorded.add(1, EventKind.EXIT, 200, 3, 0, 1, 0x4FC0, 7);
    Reading reading = read(recorded.closed());
    assertEquals(
        List.of(
            List.of(),
            List.of(
                "0 1 0 20480 4194320 100 0",
                "0 3 1 20416 4194352 140 2",
                "5 9 0 36864 4194368 150 3")),
        reading.open());
    assertEquals(recorded.events, reading.events());
  }

  @Test
  void theHeadHasTheFewestOpenFrames() throws IOException {
    RecordingInMemory recorded = new RecordingInMemory();
    recorded.add(1, EventKind.ENTRY, 100, 1, 0, 0, 0x5000, 0x400010);
    recorded.add(1, EventKind.ENTRY, 110, 2, 0, 1, 0x4000, 0x400010);
    recorded.writer.flush();
    recorded.add(1, EventKind.EXIT, 120, 2, 0, 1, 0x4000, 0);
    recorded.add(1, EventKind.ENTRY, 130, 3, 0, 1, 0x4000, 0x400010);
    recorded.add(1, EventKind.ENTRY, 140, 4, 0, 2, 0x3000, 0x400010);
    byte[] bytes = recorded.closed();
    try (NtrFile file = Files.open(bytes)) {
      EventChunk second = file.chunks(1).getLast();
      assertEquals(2, second.openBefore());
      assertEquals(3, second.openAfter());
      assertEquals(1, second.fewestOpen());
      assertEquals(2, second.firstEvent());
      assertEquals(2, second.firstCall());
      assertEquals(2, second.calls());
      assertEquals(120, second.earliest());
      assertEquals(140, second.latest());
      assertEquals(5, file.events(1));
    }
  }

  @Test
  void lossesAreReportedAtTheNextEvent() throws IOException {
    RecordingInMemory recorded = new RecordingInMemory();
    recorded.add(1, EventKind.ENTRY, 100, 1, 0, 0, 0x5000, 0x400010);
    recorded.writer.events(1).lost(2047);
    recorded.add(1, EventKind.ENTRY, 200, 1, 0, 0, 0x5000, 0x400010);
    recorded.writer.events(1).lost(5);
    try (NtrFile file = Files.open(recorded.closed());
        ThreadEventCursor cursor = file.cursor(1, Files.GAPS)) {
      assertTrue(cursor.next());
      assertEquals(0, cursor.lostBefore());
      assertTrue(cursor.next());
      assertEquals(2047, cursor.lostBefore());
      assertFalse(cursor.next());
      assertEquals(5, cursor.lostAtEnd());
    }
  }

  @Test
  void aCursorBeginsAtAnyChunk() {
    RecordingInMemory recorded = new RecordingInMemory(NtrWriter.Packing.FAST, 100);
    recorded.run(1, new SyntheticProgram(1, 30, 5), 1000);
    List<ReferenceNtrReader.Event> all = recorded.events.getOrDefault(1L, List.of());
    try (NtrFile file = Files.open(recorded.closed());
        ThreadEventCursor cursor = file.cursor(1, Files.GAPS)) {
      for (int chunk = file.chunks(1).size() - 1; chunk >= 0; chunk -= 3) {
        cursor.seek(chunk);
        assertTrue(cursor.next());
        assertEquals(100L * chunk, cursor.event());
        assertEquals(0, cursor.missingBefore());
        assertEquals(all.get(100 * chunk).ticks(), cursor.ticks());
      }
    }
  }

  @Test
  void indexesInBetweenAreChained() {
    RecordingInMemory recorded = new RecordingInMemory(NtrWriter.Packing.NONE, 1);
    for (int i = 0; i < 9000; i++) {
      recorded.add(1, EventKind.ENTRY_ONLY, i, 1, 0, 0, 0x1000, 0x400000);
    }
    byte[] killed = recorded.killed();
    Reading without = read(killed);
    Reading with = read(recorded.closed());
    assertTrue(with.byIndex());
    assertEquals(recorded.events, with.events());
    assertEquals(recorded.events, without.events());
  }

  @Test
  void nothingIsWrittenAfterAWriteThatFailed() throws IOException {
    ByteArrayOutputStream disk = new ByteArrayOutputStream();
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) {
            throw new AssertionError("chunks are written in one piece");
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            int fits = Math.min(length, 400 - disk.size());
            disk.write(bytes, from, fits);
            if (fits < length) {
              throw new IOException("no space left");
            }
          }
        };
    NtrWriter writer = new NtrWriter(full, RecordingInMemory.HEADER, 7);
    writer.events(1).entry(1, 1, 0, 0, 0x1000, 0x400000);
    writer.flush();
    writer.events(1).entry(2, 1, 0, 1, 0x800, 0x400000);
    assertThrows(IOException.class, writer::flush);
    assertThrows(IOException.class, () -> writer.statistics(Map.of()));
    writer.close();
    assertEquals(400, disk.size());
    assertEquals(1, read(disk.toByteArray()).count());
  }
}
