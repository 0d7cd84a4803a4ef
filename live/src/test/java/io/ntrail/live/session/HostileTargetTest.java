package io.ntrail.live.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.live.SimulatedTarget;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A target may write anything anywhere: the recorder continues, and reports what is impossible. */
class HostileTargetTest {
  @TempDir Path folder;

  private static void put(Trial trial, long at, long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      trial.target.scribble(at + i, (byte) (value >> 8 * i));
    }
  }

  private static void nonsense(Trial trial, Gen gen) {
    long chunk = SimulatedTarget.chunk(gen.below(trial.session.chunks()));
    switch (gen.below(6)) {
      case 0 -> put(trial, chunk, gen.oneOf(0, 1, 2, 3, -1), 4);
      case 1 -> put(trial, chunk + 4L * gen.below(8), gen.scaled(), 8);
      case 2 -> put(trial, 0x40L * gen.below(16), gen.scaled(), 8);
      case 3 -> put(trial, chunk + 32 + 8L * gen.below(8000), gen.scaled(), 8);
      case 4 -> put(trial, gen.oneOf(0x9000, 0x1_0000) + 4L * gen.below(6000), gen.scaled(), 4);
      default -> {
        long bits = gen.bits();
        for (int at = 0; at < 65_536; at++) {
          bits = bits * 0x5851_F42D_4C95_7F2DL + 1;
          trial.target.scribble(chunk + at, (byte) (bits >> 56));
        }
        put(trial, chunk, 1 + gen.below(2), 4);
      }
    }
  }

  @Test
  void nothingThatATargetWritesStopsTheRecorder() {
    Property.check(
        60,
        gen ->
            Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> {
                  try (Trial trial = new Trial(folder, gen.oneOf(128, 64, 32), 4)) {
                    for (int i = 0; i < 2; i++) {
                      trial.thread(100 + i);
                    }
                    for (int i = gen.length(60); i >= 0; i--) {
                      nonsense(trial, gen);
                      for (Trial.Logged thread : trial.threads) {
                        write(thread, gen);
                      }
                      trial.recorder.poll();
                      if (gen.below(3) == 1) {
                        trial.recorder.flush();
                      }
                    }
                    byte[] file = trial.closed();
                    RecordedSession.read(file);
                    RecordedSession.readByNtrail(file);
                    RecorderStatistics counted = trial.recorder.statistics();
                    assertTrue(counted.remarks().size() <= 100);
                    assertTrue(counted.buffersFree() >= 0 && counted.buffersFree() <= 4);
                    assertTrue(counted.openCalls() >= 0);
                  }
                }));
  }

  private static void write(Trial.Logged thread, Gen gen) {
    try {
      for (int n = gen.below(40); n > 0; n--) {
        thread.step(gen);
      }
    } catch (IndexOutOfBoundsException e) {
      // It believed a number that it scribbled itself.
      thread.dead = true;
    }
  }

  @Test
  void onlySoManyThreadsAreBelievedIn() {
    try (Trial trial = new Trial(folder, 128, 64)) {
      int rounds = 80;
      for (int round = 0; round < rounds; round++) {
        for (int chunk = 0; chunk < 64; chunk++) {
          long head = SimulatedTarget.chunk(chunk);
          put(trial, head + 4, 64L * round + chunk, 4);
          put(trial, head, 2, 4);
        }
        trial.recorder.flush();
      }
      trial.recorder.finish(0);
      RecorderStatistics counted = trial.recorder.statistics();
      assertEquals(4096, counted.threadsSeen());
      assertEquals(64 * rounds - 4096, counted.chunksRefused());
      assertEquals(64L * rounds * trial.session.recordsPerChunk(), counted.unreadable());
      assertTrue(counted.damaged() >= 64L * rounds);
      assertEquals(100, counted.remarks().size());
    }
  }

  @Test
  void aWrongRingHeadIsReportedAndChunksAreFoundNevertheless() {
    try (Trial trial = new Trial(folder, 128, 8)) {
      Trial.Logged thread = trial.thread(1);
      for (int i = 0; i < 100; i++) {
        thread.write(SessionLayout.ENTRY_ONLY, 1, i);
      }
      put(trial, 0x100, 0xABCD_EF00L, 4);
      RecordedSession recorded = RecordedSession.read(trial.closed());
      assertEquals(thread.items, recorded.of(thread.key));
      assertTrue(trial.recorder.statistics().damaged() > 0);
      assertTrue(trial.recorder.statistics().remarks().getFirst().startsWith("chunk ring head"));
    }
  }

  @Test
  void lossesBeyondThoseCountedAreNotBelieved() {
    try (Trial trial = new Trial(folder, 128, 8)) {
      Trial.Logged thread = trial.thread(1);
      thread.write(SessionLayout.ENTRY_ONLY, 1, 7);
      put(trial, SimulatedTarget.chunk(0) + 24, 1L << 60, 8);
      RecordedSession recorded = RecordedSession.read(trial.closed());
      assertEquals(thread.items, recorded.of(thread.key));
      assertEquals(1, trial.recorder.statistics().damaged());
    }
  }
}
