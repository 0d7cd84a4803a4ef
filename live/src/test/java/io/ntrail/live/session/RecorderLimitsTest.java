package io.ntrail.live.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrRing;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.ThreadEventCursor;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.live.SimulatedTarget;
import io.ntrail.testkit.live.SimulatedThread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that may not grow for ever: a largest size, a full disk, the last bytes only. */
class RecorderLimitsTest {
  @TempDir Path folder;

  /** A disk that takes so many bytes and no more, in the middle of a write. */
  private static final class FullDisk extends OutputStream {
    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final int most;

    FullDisk(int most) {
      this.most = most;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      int room = Math.min(length, most - file.size());
      file.write(bytes, from, room);
      if (room < length) {
        throw new IOException("No space left on device");
      }
    }
  }

  private static void fill(Trial trial, Gen gen, int records) {
    for (int i = 0; i < 3; i++) {
      trial.thread(100 + i);
    }
    for (int i = 0; i < records; i++) {
      trial.threads.get(i / 100 % 3).step(gen);
      if (i % 500 == 0) {
        trial.recorder.flush();
      }
    }
  }

  private static long written(Trial trial) {
    return trial.threads.stream().mapToLong(t -> t.thread.kept() + t.thread.lost()).sum();
  }

  @Test
  void recordingStopsWhenTheFileHasItsLargestSize() {
    Property.check(
        20,
        gen -> {
          int most = 5_000 + gen.length(60_000);
          try (Trial trial = new Trial(folder, 32, 8, null, most)) {
            fill(trial, gen, 30_000);
            assertEquals(RecorderState.SIZE_REACHED, trial.recorder.statistics().state());
            assertFalse(trial.target.enabled());
            byte[] file = trial.closed();
            // What waited, the last definitions, statistics and the index.
            assertTrue(file.length < most + 40_000, most + " became " + file.length);
            RecordedSession recorded = RecordedSession.read(file);
            long read = 0;
            for (Trial.Logged thread : trial.threads) {
              List<String> told = recorded.of(thread.key);
              long kept = RecordedSession.records(told);
              read += kept;
              List<String> expected = new ArrayList<>(thread.items.subList(0, (int) kept));
              RecordedSession.lost(expected, thread.items.size() - kept);
              assertEquals(expected, told);
              assertEquals(0, thread.thread.lost());
            }
            RecorderStatistics counted = trial.recorder.statistics();
            assertEquals(read, counted.captured().events());
            assertEquals(written(trial), read + counted.dropped().events());
            assertTrue(counted.dropped().entries() > 0 && counted.dropped().exits() > 0);
            assertEquals(
                counted.allDropped(),
                recorded.plain().statistics().get((long) RecorderCounter.DROPPED.number()));
          }
        });
  }

  @Test
  void aFullDiskStopsTheFileAndNotTheTarget() {
    Property.check(
        40,
        gen -> {
          FullDisk disk = new FullDisk(2_000 + gen.length(60_000));
          try (Trial trial = new Trial(folder, 32, 8, disk, 0)) {
            fill(trial, gen, 30_000);
            RecorderStatistics counted = trial.recorder.statistics();
            assertEquals(RecorderState.FAILED, counted.state());
            assertEquals(1, counted.failedWrites());
            trial.recorder.close();
            counted = trial.recorder.statistics();
            assertEquals(8, counted.buffersFree());
            RecordedSession recorded = RecordedSession.readCut(disk.file.toByteArray());
            long read = 0;
            for (Trial.Logged thread : trial.threads) {
              List<String> told = recorded.of(thread.key);
              assertEquals(thread.items.subList(0, told.size()), told);
              assertEquals(0, thread.thread.lost());
              read += told.size();
            }
            assertEquals(read, counted.captured().events());
            assertEquals(written(trial), read + counted.dropped().events());
          }
        });
  }

  @Test
  void aRingKeepsTheLastRecordsAndCountsTheOthers() throws IOException {
    Path file = folder.resolve("ring.ntr");
    long most = 400_000;
    int records = 300_000;
    try (SessionFile session = SessionFile.create(folder, 32, 16);
        SimulatedTarget target = SimulatedTarget.map(session.path())) {
      NtrRing ring = new NtrRing(file, most, RecordedSession.HEADER, 7);
      Recorder recorder = Recorder.keepingLast(session, ring, new RecorderSettings(1, 1_000, 0));
      Trial.define(recorder);
      SimulatedThread[] threads = new SimulatedThread[3];
      for (int i = 0; i < threads.length; i++) {
        threads[i] = target.thread(i, 1 + i);
      }
      for (int i = 0; i < records; i++) {
        // The value is the number of the record in its thread; the first thread soon ends.
        int thread = i < 3_000 ? i % 3 : 1 + i % 2;
        SimulatedThread by = threads[thread];
        int function = Trial.address(1 + (i * 31 & 0xFFFF) % Trial.FUNCTIONS);
        by.record(2_000 + i, function, SessionLayout.ENTRY_ONLY, by.kept(), i * 8L);
        if (i % 3_000 == 0) {
          recorder.flush();
          assertTrue(recorder.statistics().bytes() <= most);
        }
        if (i == 6_000) {
          recorder.retain(java.util.Set.of(1, 2), 10_000);
        }
        if (i == records / 2) {
          for (Path part : ring.parts()) {
            RecordedSession.readByNtrail(Files.readAllBytes(part));
          }
        }
      }
      recorder.finish(0);
      RecorderStatistics counted = recorder.statistics();
      assertTrue(counted.discarded().events() > 0);
      assertEquals(0, counted.allDropped());
      assertEquals(records, counted.captured().events() + counted.discarded().events());
      recorder.close();

      try (var left = Files.list(folder)) {
        assertEquals(
            List.of("ring.ntr"),
            left.map(path -> "" + path.getFileName()).filter(n -> n.contains(".ntr")).toList());
      }
      byte[] bytes = Files.readAllBytes(file);
      assertTrue(bytes.length > most / 2 && bytes.length <= most, "" + bytes.length);
      RecordedSession recorded = RecordedSession.read(bytes);
      assertFalse(recorded.plain().definitions().containsKey("thread 1"), "long gone");
      assertEquals(Trial.FUNCTIONS, count(recorded, "function "));
      Gaps gaps = new Gaps();
      Map<Long, Long> missing = new TreeMap<>();
      long read = 0;
      try (NtrFile ntr = NtrFile.open(InputFile.of(bytes, "ring.ntr"), gaps)) {
        assertTrue(ntr.complete());
        assertEquals(
            counted.captured().events(), ntr.statistic(RecorderCounter.EVENTS).orElseThrow());
        assertEquals(0, ntr.statistic(RecorderCounter.DROPPED).orElseThrow());
        assertEquals(
            counted.discarded().events(), ntr.statistic(RecorderCounter.DISCARDED).orElseThrow());
        for (long thread : ntr.threadsWithEvents()) {
          try (ThreadEventCursor cursor = ntr.cursor(thread, gaps)) {
            long expected = -1;
            while (cursor.next()) {
              if (expected < 0) {
                missing.put(thread, cursor.missingBefore());
                expected = cursor.missingBefore();
              }
              assertEquals(expected++, cursor.value());
              read++;
            }
            assertEquals(threads[(int) thread - 1].kept(), expected);
          }
        }
      }
      assertEquals(List.of(), gaps.list());
      assertEquals(counted.captured().events(), read);
      assertEquals(
          counted.discarded().events(),
          missing.values().stream().mapToLong(n -> n).sum() + threads[0].kept());
    }
  }

  @Test
  void aRingIsNoLongerThanAskedForWhenTheRecorderIsFarBehindAtTheEnd() throws IOException {
    long most = 300_000;
    RecorderStatistics counted = recordBehind(most);
    byte[] bytes = Files.readAllBytes(folder.resolve("behind.ntr"));
    assertTrue(bytes.length > most / 2 && bytes.length <= most, "" + bytes.length);
    assertEquals(bytes.length, counted.bytes());
    assertEquals(500_000, counted.captured().events() + counted.discarded().events());
    assertEquals(List.of(), counted.remarks());
    Gaps gaps = new Gaps();
    try (NtrFile ntr = NtrFile.open(InputFile.of(bytes, "behind.ntr"), gaps)) {
      assertTrue(ntr.complete());
      assertEquals(
          counted.captured().events(), ntr.statistic(RecorderCounter.EVENTS).orElseThrow());
    }
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void aRingThatIsTooShortForTheDefinitionsIsReported() throws IOException {
    RecorderStatistics counted = recordBehind(NtrRing.LEAST);
    long size = Files.size(folder.resolve("behind.ntr"));
    assertTrue(size > NtrRing.LEAST, "" + size);
    assertEquals(
        List.of(
            "the ring of 65536 bytes is too short for what is to be known of functions and threads"),
        counted.remarks());
  }

  /** Records what three threads left before the recorder looked for the first time. */
  private RecorderStatistics recordBehind(long most) throws IOException {
    Path file = folder.resolve("behind.ntr");
    try (SessionFile session = SessionFile.create(folder, 32, 512);
        SimulatedTarget target = SimulatedTarget.map(session.path())) {
      NtrRing ring = new NtrRing(file, most, RecordedSession.HEADER, 7);
      Recorder recorder = Recorder.keepingLast(session, ring, new RecorderSettings(1, 1_000, 0));
      Trial.define(recorder);
      for (int i = 0; most == NtrRing.LEAST && i < 2_000; i++) {
        int number = Trial.FUNCTIONS + 1 + i;
        recorder.function(
            Trial.address(number),
            0,
            new TracedFunction(number, 1, number, "function of a long name " + i, List.of()));
      }
      SimulatedThread[] threads = new SimulatedThread[3];
      for (int i = 0; i < threads.length; i++) {
        threads[i] = target.thread(i, 1 + i);
      }
      for (int i = 0; i < 500_000; i++) {
        SimulatedThread by = threads[i % 3];
        int function = Trial.address(1 + (i * 31 & 0xFFFF) % Trial.FUNCTIONS);
        by.record(2_000 + i, function, SessionLayout.ENTRY_ONLY, by.kept(), i * 8L);
      }
      recorder.finish(0);
      recorder.close();
      return recorder.statistics();
    }
  }

  private static long count(RecordedSession recorded, String what) {
    return recorded.plain().definitions().keySet().stream()
        .filter(name -> name.startsWith(what))
        .count();
  }
}
