package io.ntrail.live.session;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.live.SimulatedTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Assertions;

/**
 * A target that does what its bytes say, by turns with a recorder: writes records, stores anything
 * anywhere, ends. The recorder ends, too, and its file is one that every reader takes.
 */
class SessionFuzzTest {
  private static final int MAX_STEPS = 400;

  @FuzzTest(maxDuration = "60s")
  void anyTargetIsRecorded(byte[] data) throws IOException {
    Path folder = Files.createTempDirectory("fuzz");
    try (Trial trial = new Trial(folder, data.length % 2 == 0 ? 128 : 32, 3)) {
      int at = 0;
      for (int step = 0; step < MAX_STEPS && at + 8 <= data.length; step++) {
        int place = LittleEndian.getU16(data, at + 1) | (data[at + 3] & 3) << 16;
        try {
          step(trial, data, at, place);
        } catch (IndexOutOfBoundsException e) {
          // The target believed a number that it stored itself; the recorder never does.
          if (e.getStackTrace().length > 0 && fromRecorder(e)) {
            throw e;
          }
        }
        at += 8;
      }
      byte[] file = trial.closed();
      RecordedSession.read(file);
      RecordedSession.readByNtrail(file);
      RecorderStatistics counted = trial.recorder.statistics();
      Assertions.assertTrue(counted.remarks().size() <= 100);
      Assertions.assertTrue(counted.buffersFree() >= 0 && counted.buffersFree() <= 3);
    } finally {
      Files.deleteIfExists(folder);
    }
  }

  private static boolean fromRecorder(Exception e) {
    for (StackTraceElement frame : e.getStackTrace()) {
      if (frame.getClassName().contains(".Recorder")) {
        return true;
      }
    }
    return false;
  }

  private static void step(Trial trial, byte[] data, int at, int place) {
    switch (data[at] & 7) {
      case 0 -> {
        for (int i = 4; i < 8; i++) {
          trial.target.scribble(place, data[at + i]);
          trial.target.scribble(place + 1L, data[at + i]);
        }
      }
      case 1 -> {
        // Where it hurts: heads of chunks and the first lines of the control block.
        int line = (place >> 2) % 16;
        long head =
            place % 4 == 0 ? 0x40L * line : SimulatedTarget.chunk(place % 4 - 1) + 4L * line;
        for (int i = 0; i < 4; i++) {
          trial.target.scribble(head + i, data[at + 4 + i]);
        }
      }
      case 2 -> {
        if (trial.threads.size() < 4) {
          trial.thread(data[at + 4] & 3);
        }
      }
      case 3, 4 -> {
        if (!trial.threads.isEmpty()) {
          Trial.Logged thread = trial.threads.get(place % trial.threads.size());
          for (int i = 0; i < 1 + place % 700; i++) {
            int meta = LittleEndian.getU16(data, at + 4) ^ (i % 3 == 0 ? 0 : 2);
            thread.thread.record(i, Trial.address(1 + i % 30), meta, place, -8L * i);
          }
        }
      }
      case 5 -> trial.recorder.poll();
      case 6 -> trial.recorder.flush();
      default -> trial.recorder.retain(Set.of(data[at + 4] & 3), trial.clock);
    }
  }
}
