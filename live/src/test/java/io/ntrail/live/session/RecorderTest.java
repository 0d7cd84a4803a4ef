package io.ntrail.live.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.ntr.EventTally;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.live.SimulatedTarget;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records of threads are in the file, in order, and missing ones are reported. */
class RecorderTest {
  private static final int RUNS = 60;

  @TempDir Path folder;

  private Trial trial(Gen gen, int fewest, int most) {
    int recordBytes = gen.oneOf(128, 64, 32);
    return new Trial(folder, recordBytes, (int) gen.between(fewest, most));
  }

  /** Lets the recorder work between any two stores. */
  private static void interleave(Trial trial, Gen gen, int oneIn) {
    trial.beforeStore =
        () -> {
          if (gen.below(oneIn) == 1) {
            if (gen.flag()) {
              trial.recorder.flush();
            } else {
              trial.recorder.poll();
            }
          }
        };
  }

  private static void run(Trial trial, Gen gen, int records) {
    int threads = 1 + gen.below(5);
    for (int i = 0; i < threads; i++) {
      trial.thread(100 + i);
    }
    int left = records;
    while (left > 0) {
      Trial.Logged thread = trial.threads.get(gen.below(trial.threads.size()));
      int stretch = Math.min(left, 1 + gen.below(700));
      for (int i = 0; i < stretch; i++) {
        thread.step(gen);
      }
      left -= stretch;
    }
  }

  private static List<String> names(Trial trial) {
    return ReferenceNtrReader.read(trial.closed()).definitions().entrySet().stream()
        .filter(definition -> definition.getKey().matches("thread \\d+"))
        .map(definition -> definition.getValue())
        .map(text -> (text + " ").split(" ", -1))
        .map(fields -> fields[1] + " " + fields[3])
        .sorted()
        .toList();
  }

  @Test
  void threadsAreNamedBeforeAndAfterTheirFirstRecord() {
    try (Trial trial = new Trial(folder, 32, 8)) {
      trial.recorder.name(7, "main");
      trial.thread(7).write(SessionLayout.ENTRY, 1, 0);
      trial.thread(8).write(SessionLayout.ENTRY, 1, 0);
      trial.thread(9).write(SessionLayout.ENTRY, 1, 0);
      trial.recorder.flush();
      trial.recorder.name(8, "other");
      assertEquals(List.of("7 main", "8 other", "9 "), names(trial));
    }
  }

  @Test
  void threadThatGetsTheIdOfOneThatEndedDoesNotGetItsName() {
    try (Trial trial = new Trial(folder, 32, 8)) {
      trial.recorder.name(7, "main");
      trial.recorder.retain(Set.of(8), trial.clock);
      trial.thread(7).write(SessionLayout.ENTRY, 1, 0);
      assertEquals(List.of("7 "), names(trial));
    }
  }

  @Test
  void withEnoughChunksTheFileHasEveryRecordInOrder() {
    Property.check(
        RUNS,
        gen -> {
          try (Trial trial = trial(gen, 40, 60)) {
            interleave(trial, gen, 3000);
            run(trial, gen, gen.length(12_000));
            trial.recorder.finish(trial.clock);
            RecordedSession recorded = RecordedSession.read(trial.closed());
            for (Trial.Logged thread : trial.threads) {
              assertEquals(thread.items, recorded.of(thread.key));
              assertEquals(0, thread.thread.lost());
            }
            RecorderStatistics counted = trial.recorder.statistics();
            assertEquals(0, counted.allDropped());
            assertEquals(0, counted.damaged());
            assertEquals(RecorderState.FINISHED, counted.state());
          }
        });
  }

  @Test
  void lossesAreReportedWhereTheyHappened() {
    Property.check(
        RUNS,
        gen -> {
          try (Trial trial = trial(gen, 2, 6)) {
            interleave(trial, gen, 9000);
            run(trial, gen, gen.length(12_000));
            trial.recorder.finish(trial.clock);
            RecordedSession recorded = RecordedSession.read(trial.closed());
            long read = 0;
            long written = 0;
            long lost = 0;
            int spills = 0;
            for (Trial.Logged thread : trial.threads) {
              List<String> told = recorded.of(thread.key);
              // A chunk that was taken and not written into may report the last loss.
              assertTrue(
                  told.equals(thread.items) || told.equals(thread.tellable()), () -> "" + told);
              read += RecordedSession.records(told);
              written += thread.thread.kept() + thread.thread.lost();
              lost += thread.thread.lost();
              spills += thread.thread.spill();
            }
            RecorderStatistics counted = trial.recorder.statistics();
            assertEquals(written, read + lost);
            assertEquals(read, counted.captured().events());
            assertTrue(counted.lost() >= lost && counted.lost() <= lost + spills);
            assertEquals(0, counted.damaged(), () -> "" + counted.remarks());
          }
        });
  }

  @Test
  void aKilledThreadLosesOnlyTheRecordItWasWriting() {
    Property.check(
        RUNS,
        gen -> {
          try (Trial trial = trial(gen, 4, 12)) {
            int records = gen.length(6_000);
            long[] left = {1 + gen.below(6 * records + 10)};
            trial.beforeStore =
                () -> {
                  if (left[0]-- <= 0) {
                    throw new Trial.Killed();
                  }
                  if (gen.below(5000) == 1) {
                    trial.recorder.poll();
                  }
                };
            try {
              run(trial, gen, records);
            } catch (Trial.Killed e) {
              assertTrue(left[0] < 0);
            }
            trial.beforeStore = () -> {};
            trial.recorder.finish(trial.clock);
            RecordedSession recorded = RecordedSession.read(trial.closed());
            for (Trial.Logged thread : trial.threads) {
              List<String> told = recorded.of(thread.key);
              assertTrue(
                  told.equals(thread.items) || told.equals(thread.tellable()),
                  () -> told + " where there was " + thread.items);
            }
            assertEquals(0, trial.recorder.statistics().damaged());
            assertEquals(trial.session.chunks(), trial.recorder.statistics().buffersFree());
          }
        });
  }

  @Test
  void theFileCanBeReadAtAnyMomentAndHasWhatWasFlushed() {
    Property.check(
        20,
        gen -> {
          try (Trial trial = trial(gen, 30, 40)) {
            trial.beforeStore =
                () -> {
                  if (gen.below(8000) == 1) {
                    trial.recorder.flush();
                    byte[] now = trial.killed();
                    RecordedSession.readByNtrail(now);
                    RecordedSession recorded = RecordedSession.read(now);
                    for (Trial.Logged thread : trial.threads) {
                      assertEquals(thread.whole(), recorded.of(thread.key));
                    }
                  }
                };
            run(trial, gen, gen.length(6_000));
          }
        });
  }

  @Test
  void deadThreadsEndAndTheirChunksAreUsedAgain() {
    Property.check(
        30,
        gen -> {
          try (Trial trial = new Trial(folder, 128, 8)) {
            Set<ThreadKey> ended = new HashSet<>();
            Set<ThreadKey> used = new HashSet<>();
            List<Trial.Logged> alive = new ArrayList<>();
            for (int round = gen.length(30); round >= 0; round--) {
              // Ids are used again, also while their last thread is not known to be dead.
              Trial.Logged thread = trial.thread(50 + gen.below(4));
              for (int i = 1 + gen.below(600); i > 0; i--) {
                thread.step(gen);
              }
              used.add(thread.key);
              alive.removeIf(other -> other.key.tid() == thread.key.tid());
              alive.add(thread);
              if (gen.flag()) {
                alive.remove(gen.below(alive.size()));
              }
              Set<Integer> tids =
                  alive.stream().map(other -> other.key.tid()).collect(Collectors.toSet());
              List<ThreadKey> gone = trial.recorder.retain(tids, trial.clock);
              ended.addAll(gone);
              for (Trial.Logged other : alive) {
                assertFalse(ended.contains(other.key));
              }
              assertEquals(used.size(), ended.size() + alive.size());
              RecorderStatistics counted = trial.recorder.statistics();
              assertEquals(ended.size(), counted.threadsEnded());
              assertEquals(8 - alive.size(), counted.buffersFree());
            }
            RecordedSession recorded = RecordedSession.read(trial.closed());
            for (Trial.Logged thread : trial.threads) {
              assertEquals(thread.items, recorded.of(thread.key));
            }
            long ends =
                recorded.plain().definitions().keySet().stream()
                    .filter(what -> what.startsWith("thread end"))
                    .count();
            assertEquals(ended.size(), ends);
          }
        });
  }

  @Test
  void aThreadThatBeganAfterTheListOfThreadsWasMadeIsNotJudged() {
    try (Trial trial = new Trial(folder, 32, 4)) {
      long snapshot = trial.clock;
      Trial.Logged late = trial.thread(9);
      late.write(SessionLayout.ENTRY, 1, 0);
      assertEquals(List.of(), trial.recorder.retain(Set.of(), snapshot));
      assertEquals(List.of(late.key), trial.recorder.retain(Set.of(), trial.clock));
    }
  }

  @Test
  void addressesOf32BitTargetsAreTheLowHalvesOfTheirFields() {
    try (Trial trial = new Trial(folder, 32, 4)) {
      trial.session.pointerBytes(4);
      Trial.Logged thread = trial.thread(9);
      int meta = 3 << 20 | 1 << 8;
      long ecx = 0xC000_1111L << 32;
      long edx = 0xD000_2222L << 32;
      int unknown = 0x7BC0_0010;
      thread.thread.record(
          5_000, unknown, meta | SessionLayout.ENTRY, ecx | 0x40_1234, edx | 0x8000);
      thread.thread.record(
          5_010,
          unknown,
          3 << 20 | 2 << 8 | SessionLayout.UNWIND_TARGET,
          0xC000_0005L,
          0x7F00L << 32 | 0x9000);
      thread.thread.record(
          5_020, unknown, meta | SessionLayout.EXIT, 0x1234_5678_9ABC_DEF0L, edx | 0x8000);
      RecordedSession recorded = RecordedSession.read(trial.closed());
      List<ReferenceNtrReader.Event> events = recorded.plain().events().getOrDefault(1L, List.of());
      assertEquals(List.of(0x8000L, 0x9000L, 0x8000L), events.stream().map(e -> e.key()).toList());
      assertEquals(
          List.of(0x40_1234L, 0xC000_0005L, 0x1234_5678_9ABC_DEF0L),
          events.stream().map(e -> e.value()).toList());
      assertEquals(SessionLayout.UNWIND_TARGET, events.get(1).kind());
      assertEquals(3, events.get(1).area());
      assertEquals(0, events.get(1).function(), "the unwinder is not traced");
      assertEquals(List.of(0x7F00L), events.get(1).values(), "the stack pointer");
      assertEquals(new EventTally(3, 1, 1, 0, 1), trial.recorder.statistics().captured());
      assertEquals(0, trial.recorder.statistics().captured().entriesOnly());
      assertEquals(0, trial.recorder.statistics().damaged());
    }
  }

  @Test
  void unknownFunctionsAreKeptWithTheirAddress() {
    try (Trial trial = new Trial(folder, 32, 4)) {
      Trial.Logged thread = trial.thread(9);
      thread.thread.record(5_000, 0xFFFF_0010, SessionLayout.ENTRY, 0x1234, 0x8000);
      RecordedSession recorded = RecordedSession.read(trial.closed());
      ReferenceNtrReader.Event event =
          recorded.plain().events().getOrDefault(1L, List.of()).getFirst();
      assertEquals(0x1_FFFF_0010L, event.function());
      assertEquals(
          "0 " + 0xFFFF_0010L, recorded.plain().definitions().get("function " + event.function()));
      assertEquals(1, trial.recorder.statistics().unknownFunctions());
      assertEquals(1, trial.recorder.statistics().captured().entries());
    }
  }

  /** A thread with two full chunks, a third in use, and what it wrote. */
  private static Trial.Logged threeChunks(Trial trial) {
    Trial.Logged thread = trial.thread(9);
    for (int i = 0; i < 2 * trial.session.recordsPerChunk() + 5; i++) {
      thread.write(SessionLayout.ENTRY_ONLY, 1, i);
    }
    return thread;
  }

  @Test
  void chunksAreAddedWhileFewAreFree() {
    try (Trial trial = Trial.growing(folder, 128, 4, BufferMemory.of(32 * 65_536))) {
      Trial.Logged thread = trial.thread(9);
      int perChunk = trial.session.recordsPerChunk();
      for (int chunks : new int[] {8, 16, 32, 32}) {
        while (trial.target.chunksFree() > 0) {
          for (int i = 0; i < perChunk; i++) {
            thread.write(SessionLayout.ENTRY_ONLY, 1, i);
          }
        }
        trial.recorder.poll();
        assertEquals(chunks, trial.session.chunks());
      }
      trial.recorder.flush();
      assertEquals(32, trial.recorder.statistics().buffers());
      assertEquals(0, trial.recorder.statistics().lost());
      RecordedSession recorded = RecordedSession.read(trial.closed());
      assertEquals(thread.items, recorded.of(thread.key));
      assertEquals(0, trial.recorder.statistics().damaged());
    }
  }

  @Test
  void theFewestChunksGrow() {
    try (Trial trial = Trial.growing(folder, 128, 2, BufferMemory.of(32 * 65_536))) {
      trial.thread(9).write(SessionLayout.ENTRY_ONLY, 1, 0);
      trial.thread(10).write(SessionLayout.ENTRY_ONLY, 1, 0);
      assertEquals(0, trial.target.chunksFree());
      trial.recorder.poll();
      assertEquals(4, trial.session.chunks());
    }
  }

  @Test
  void nobodyWaitsForMoreChunksOnceRecordingHasStopped() {
    try (Trial trial = Trial.growing(folder, 128, 4, BufferMemory.of(32 * 65_536))) {
      assertTrue(trial.target.grows());
      trial.recorder.stop();
      assertFalse(trial.target.grows());
    }
  }

  @Test
  void aChunkThatIsHandedOverWhileOthersAreLookedAtIsReadInItsPlace() {
    try (Trial trial = new Trial(folder, 128, 8)) {
      Trial.Logged thread = threeChunks(trial);
      // The recorder looks at the first chunk, it is handed over, the second is handed over, the
      // recorder looks at the second, and the third is taken.
      trial.target.scribble(SimulatedTarget.chunk(0), (byte) SessionLayout.IN_USE);
      trial.target.scribble(SimulatedTarget.chunk(2), (byte) SessionLayout.FREE);
      trial.recorder.poll();
      trial.target.scribble(SimulatedTarget.chunk(0), (byte) SessionLayout.FULL);
      trial.target.scribble(SimulatedTarget.chunk(2), (byte) SessionLayout.IN_USE);
      trial.recorder.poll();
      RecordedSession recorded = RecordedSession.read(trial.closed());
      assertEquals(thread.items, recorded.of(thread.key));
      assertEquals(0, trial.recorder.statistics().damaged());
    }
  }

  @Test
  void aChunkThatItsThreadLeftIsReadAndUsedAgain() {
    try (Trial trial = new Trial(folder, 128, 8)) {
      Trial.Logged thread = threeChunks(trial);
      trial.target.scribble(SimulatedTarget.chunk(0), (byte) SessionLayout.IN_USE);
      trial.target.scribble(SimulatedTarget.chunk(1), (byte) SessionLayout.IN_USE);
      trial.recorder.flush();
      trial.recorder.poll();
      assertEquals(2, trial.recorder.statistics().damaged());
      assertEquals(7, trial.target.chunksFree());
      RecordedSession recorded = RecordedSession.read(trial.closed());
      assertEquals(thread.items, recorded.of(thread.key));
    }
  }

  @Test
  void aChunkThatItsThreadLeftBeforeAFullOneIsReadFirst() {
    try (Trial trial = new Trial(folder, 128, 8)) {
      Trial.Logged thread = threeChunks(trial);
      trial.target.scribble(SimulatedTarget.chunk(0), (byte) SessionLayout.IN_USE);
      // The third is not seen: only a full chunk shows that the first was left.
      trial.target.scribble(SimulatedTarget.chunk(2), (byte) SessionLayout.FREE);
      for (int i = 0; i < 4; i++) {
        trial.recorder.poll();
      }
      trial.target.scribble(SimulatedTarget.chunk(2), (byte) SessionLayout.IN_USE);
      assertEquals(7, trial.target.chunksFree());
      RecordedSession recorded = RecordedSession.read(trial.closed());
      assertEquals(thread.items, recorded.of(thread.key));
      assertEquals(1, trial.recorder.statistics().damaged());
    }
  }

  @Test
  void anUnseenChunkIsReportedWithItsRecords() {
    try (Trial trial = new Trial(folder, 128, 8)) {
      Trial.Logged thread = trial.thread(9);
      int perChunk = trial.session.recordsPerChunk();
      for (int i = 0; i < 3 * perChunk; i++) {
        thread.write(SessionLayout.ENTRY_ONLY, 1, i);
      }
      // The second chunk is overwritten with zeros.
      for (int at = 0; at < 65_536; at++) {
        trial.target.scribble(SimulatedTarget.chunk(1) + at, (byte) 0);
      }
      RecordedSession recorded = RecordedSession.read(trial.closed());
      List<String> expected = new ArrayList<>(thread.items.subList(0, perChunk));
      expected.add("lost " + perChunk);
      expected.addAll(thread.items.subList(2 * perChunk, 3 * perChunk));
      assertEquals(expected, recorded.of(thread.key));
      assertEquals(1, trial.recorder.statistics().missingChunks());
      assertEquals(perChunk, trial.recorder.statistics().allDropped());
    }
  }

  @Test
  void recordsThatCannotBeAreCountedAtTheirPlace() {
    try (Trial trial = new Trial(folder, 32, 4)) {
      Trial.Logged thread = trial.thread(9);
      thread.write(SessionLayout.ENTRY, 1, 1);
      thread.thread.record(6_000, 1, 0x77, 0, 0);
      thread.thread.record(6_000, 1, 1, 0, 0);
      thread.write(SessionLayout.EXIT, 1, 2);
      RecordedSession recorded = RecordedSession.read(trial.closed());
      assertEquals(
          List.of(thread.items.getFirst(), "lost 2", thread.items.getLast()),
          recorded.of(thread.key));
      assertEquals(2, trial.recorder.statistics().unreadable());
    }
  }

  @Test
  void callsThatAreOpenAreCounted() {
    try (Trial trial = new Trial(folder, 32, 4)) {
      Trial.Logged a = trial.thread(9);
      Trial.Logged b = trial.thread(10);
      for (int i = 0; i < 3; i++) {
        a.write(SessionLayout.ENTRY, 1, 1);
        b.write(SessionLayout.ENTRY, 1, 1);
      }
      a.write(SessionLayout.EXIT, 1, 1);
      trial.recorder.retain(Set.of(10), trial.clock);
      b.write(SessionLayout.UNWIND, 1, 1);
      trial.recorder.finish(0);
      RecorderStatistics counted = trial.recorder.statistics();
      assertEquals(4, counted.openCalls());
      assertEquals(6, counted.captured().entries());
      assertEquals(1, counted.captured().exits());
      assertEquals(1, counted.captured().unwinds());
      assertEquals(2, counted.threadsSeen());
      assertEquals(1, counted.threadsEnded());
      RecordedSession recorded = RecordedSession.read(trial.closed());
      counted
          .counters()
          .forEach((counter, value) -> {
            if (counter != io.ntrail.formats.ntr.RecorderCounter.BYTES_WRITTEN) {
              assertEquals(
                  value, recorded.plain().statistics().get((long) counter.number()), "" + counter);
            }
          });
    }
  }
}
