package io.ntrail.formats.ntr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Additions of later versions, and versions that are refused (docs/ntr.md section 2). */
class NtrVersionTest {
  private static Reading read(byte[]... chunks) {
    Reading reading = Reading.compared(RawChunks.join(List.of(chunks)));
    assertNotNull(reading);
    return reading;
  }

  private static byte[] recording() {
    return RawChunks.chunk(NtrLayout.RECORDING, 1, 0, RawChunks.recording(1, 0));
  }

  private static byte[] bytes(int... values) {
    byte[] out = new byte[values.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = (byte) values[i];
    }
    return out;
  }

  @Test
  void chunksOfUnknownKindsArePassed() {
    Reading reading =
        read(
            recording(),
            RawChunks.chunk(77, 0, 1, bytes(1, 2, 3)),
            RawChunks.chunk(NtrLayout.STATISTICS, 0, 2, bytes(13, 5)));
    assertEquals(1, reading.unknown());
    assertEquals(List.of(), reading.holes());
    assertEquals(Map.of(13L, 5L), reading.statistics());
  }

  @Test
  void unknownChunksThatAreEssentialAreGaps() {
    byte[] unknown = RawChunks.chunk(77, 1, 1, bytes(1, 2, 3));
    Reading reading = read(recording(), unknown);
    assertEquals(
        List.of(new ReferenceNtrReader.Hole(recording().length, unknown.length)), reading.holes());
  }

  @Test
  void chunksWithUnknownFlagsAreGaps() {
    for (int kind = 1; kind <= 6; kind++) {
      byte[] flagged = RawChunks.chunk(kind, 3, 1, RawChunks.recording(1, 0));
      Reading reading = read(recording(), flagged);
      assertEquals(
          List.of(new ReferenceNtrReader.Hole(recording().length, flagged.length)),
          reading.holes());
    }
  }

  @Test
  void timesInWhichAModuleWasNotTracedAreReadAndReplacedByTheirNumber() {
    byte[] first = bytes(9, 10, 1, 1, 80, 0, 2, 'a', 'b', 2, 'n', 'o');
    byte[] second = bytes(9, 10, 2, 1, 0x90, 1, 0, 1, 'c', 0, 5, 6);
    byte[] again = bytes(9, 10, 1, 1, 80, 99, 2, 'a', 'b', 2, 'n', 'o');
    byte[][] chunks = {
      recording(),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 1, first),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 2, second),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 3, again)
    };
    Gaps gaps = new Gaps();
    InputFile input = InputFile.of(RawChunks.join(List.of(chunks)), "test.ntr");
    try (NtrFile file = NtrFile.open(input, gaps)) {
      assertEquals(
          List.of(
              new UntracedModule(1, 1, 80, 99, "ab", "no"),
              new UntracedModule(2, 1, 0x90, 0, "c", "")),
          List.copyOf(file.untraced().values()));
    }
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void timesInWhichAProcessWasHeldAreReadAndReplacedByTheirNumber() {
    byte[] first = bytes(11, 7, 1, 1, 80, 99, 2, 'a', 'b');
    byte[] second = bytes(11, 8, 2, 1, 100, 101, 1, 'c', 5, 6);
    byte[] again = bytes(11, 7, 1, 1, 80, 98, 2, 'a', 'b');
    byte[][] chunks = {
      recording(),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 1, first),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 2, second),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 3, again)
    };
    Gaps gaps = new Gaps();
    InputFile input = InputFile.of(RawChunks.join(List.of(chunks)), "test.ntr");
    try (NtrFile file = NtrFile.open(input, gaps)) {
      assertEquals(
          List.of(
              new TracedProcess.Hold(1, 1, 80, 98, "ab"),
              new TracedProcess.Hold(2, 1, 100, 101, "c")),
          List.copyOf(file.holds().values()));
    }
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void callersOfEntriesAreRead() {
    byte[] whole = bytes(12, 14, 1, 2, 3, 80, 99, 0, 0, 2, 32, 0, 5, 15, 1, 0);
    byte[] cut = bytes(12, 13, 2, 2, 3, 81, 98, 1, 1, 'x', 1, 32, 9, 0, 77);
    byte[][] chunks = {
      recording(),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 1, whole),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 2, cut)
    };
    Gaps gaps = new Gaps();
    InputFile input = InputFile.of(RawChunks.join(List.of(chunks)), "test.ntr");
    try (NtrFile file = NtrFile.open(input, gaps)) {
      TracedThread.Frame first = new TracedThread.Frame(16, TracedThread.Frame.RETURN, 5);
      TracedThread.Frame second = new TracedThread.Frame(8, TracedThread.Frame.UNWIND, 0);
      assertEquals(
          List.of(
              new TracedThread.Callers(1, 2, 3, 80, 99, 0, "", List.of(first, second)),
              new TracedThread.Callers(
                  2, 2, 3, 81, 98, 1, "x", List.of(new TracedThread.Frame(16, 9, 0)))),
          List.copyOf(file.callers().values()));
    }
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void totalsOfCallsAreReadAndReplacedByTheirNumber() {
    byte[] first = bytes(10, 8, 1, 2, 3, 80, 99, 1, 5, 0);
    byte[] second = bytes(10, 19, 2, 2, 0, 80, 99, 1, 6, 1, 0, 3, 1, 1, 100, 90, 9, 50, 2, 0, 4);
    byte[] again = bytes(10, 8, 1, 2, 3, 80, 100, 1, 9, 0);
    byte[][] chunks = {
      recording(),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 1, first),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 2, second),
      RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 3, again)
    };
    Gaps gaps = new Gaps();
    InputFile input = InputFile.of(RawChunks.join(List.of(chunks)), "test.ntr");
    try (NtrFile file = NtrFile.open(input, gaps)) {
      CallTotals.Times times =
          new CallTotals.Times(true, 0, 3, 1, 1, 100, 90, 9, 50, List.of(0L, 4L));
      assertEquals(
          List.of(
              new CallTotals(1, 2, 3, 80, 100, CallTotals.ASKED, 9, CallTotals.Times.NONE),
              new CallTotals(2, 2, 0, 80, 99, CallTotals.ASKED, 6, times)),
          List.copyOf(file.totals().values()));
    }
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void aLaterMajorVersionIsRefused() {
    for (byte[] payload : List.of(RawChunks.recording(2, 0), RawChunks.recording(1, 4))) {
      byte[] file = RawChunks.chunk(NtrLayout.RECORDING, 1, 0, payload);
      assertThrows(CannotGoOn.class, () -> Reading.of(file));
      assertThrows(IllegalArgumentException.class, () -> ReferenceNtrReader.read(file));
    }
  }

  @Test
  void flagsThatOnlyInformAndLongerChunksAreFine() {
    byte[] payload =
        new LittleEndian().bytes(RawChunks.recording(1, 0x10003)).zeros(9).toByteArray();
    Reading reading = read(RawChunks.chunk(NtrLayout.RECORDING, 1, 0, payload));
    assertEquals(List.of(), reading.holes());
    assertEquals("x", reading.recording().writer());
    assertEquals(0x10003L, reading.recording().numbers().getFirst());
  }

  @Test
  void unknownRecordsAndCountersAndLongerRecordsAreFine() {
    Reading reading =
        read(
            recording(),
            RawChunks.chunk(
                NtrLayout.DEFINITIONS,
                1,
                1,
                bytes(99, 2, 0xFF, 0xFF, 3, 7, 1, 2, 3, 4, 1, 'x', 0xFF, 4, 2, 1, 9)),
            RawChunks.chunk(NtrLayout.STATISTICS, 0, 2, bytes(0xFF, 1, 3)));
    assertEquals(List.of(), reading.holes());
    assertEquals(Map.of("thread 1", "2 3 4 x", "thread end 1", "9"), reading.definitions());
    assertEquals(Map.of(255L, 3L), reading.statistics());
  }

  @Test
  void numbersBeyond64BitsAreDamage() {
    byte[] longest = bytes(13, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1);
    byte[] beyond = longest.clone();
    beyond[10] = 2;
    assertEquals(
        Map.of(13L, -1L),
        read(recording(), RawChunks.chunk(NtrLayout.STATISTICS, 0, 1, longest)).statistics());
    assertEquals(
        1, read(recording(), RawChunks.chunk(NtrLayout.STATISTICS, 0, 1, beyond)).holes().size());
  }

  @Test
  void otherFilesAreNotRecordings() {
    for (byte[] file :
        List.of(
            new byte[0],
            new byte[31],
            new byte[200_000],
            "no recording, but a text of some length".getBytes(StandardCharsets.UTF_8))) {
      try (InputFile input = InputFile.of(file, "other")) {
        assertFalse(NtrFile.looksLikeRecording(input));
      }
      assertThrows(CannotGoOn.class, () -> Reading.of(file));
    }
  }

  @Test
  void aHeadMayNotPromiseMoreThanThereIs() {
    RecordingInMemory recorded = new RecordingInMemory(NtrWriter.Packing.NONE, 1);
    recorded.add(1, EventKind.ENTRY, 5, 1, 0, 0, 0x1000, 0x400000);
    byte[] good = RawChunks.split(recorded.killed()).get(1);
    // Events, operations, calls, open frames, then stored and plain sizes of the columns.
    List<Integer> places = new ArrayList<>(List.of(56, 60, 64, 68, 72, 76, 80));
    for (int column = 0; column < 14; column++) {
      places.add(84 + 4 * column);
    }
    for (int place : places) {
      for (long value : new long[] {0xFFFF_FFFFL, 0x7FFF_FFFFL, 1 << 24, 1 << 20}) {
        byte[] chunk = good.clone();
        LittleEndian.putU32(chunk, 32 + place, value);
        Reading reading = read(recording(), RawChunks.mended(chunk));
        assertEquals(1, reading.holes().size(), place + " " + value);
      }
    }
    assertTrue(read(recording(), good).holes().isEmpty());
    byte[] notEssential = good.clone();
    notEssential[6] = 0;
    assertEquals(1, read(recording(), RawChunks.mended(notEssential)).count());
  }

  @Test
  void moreDefinitionsThanAMemoryHoldsAreAGap() {
    byte[] calibration = bytes(8, 3, 1, 2, 3);
    LittleEndian all = new LittleEndian();
    while (all.size() < NtrLayout.MAX_PAYLOAD - 5) {
      all.bytes(calibration);
    }
    byte[] file =
        RawChunks.join(
            List.of(recording(), RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 1, all.toByteArray())));
    Reading reading = Reading.of(file);
    assertEquals(1, reading.holes().size());
    assertTrue(reading.calibrations().size() > 1_000_000);
  }
}
