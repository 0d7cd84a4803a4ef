package io.ntrail.live.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.live.SimulatedTarget;
import io.ntrail.testkit.live.SimulatedThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recorder that works by itself. */
class RecorderThreadTest {
  @TempDir Path folder;

  private static int recordsIn(Path file) throws IOException {
    return RecordedSession.read(Files.readAllBytes(file)).plain().events().values().stream()
        .mapToInt(List::size)
        .sum();
  }

  @Test
  void recordsAreInTheFileATenthOfASecondLater() throws Exception {
    Path file = folder.resolve("growing.ntr");
    try (SessionFile session = SessionFile.create(folder, 32, 64);
        SimulatedTarget target = SimulatedTarget.map(session.path())) {
      NtrWriter writer = new NtrWriter(Files.newOutputStream(file), RecordedSession.HEADER, 7);
      Recorder recorder = Recorder.appending(session, writer, new RecorderSettings(1, 1, 0));
      // How long the machine lets the thread wait is not ours.
      assertTrue(recorder.leisure() + Recorder.PROGRESS_NANOS <= 100_000_000);
      try (recorder;
          RecorderThread polling = RecorderThread.start(recorder)) {
        SimulatedThread thread = target.thread(5, 6);
        for (int i = 1; i <= 10; i++) {
          thread.record(i, 1, SessionLayout.ENTRY_ONLY, i, 0);
          int expected = i;
          Await.until(
              "record " + i + " is in the file",
              () -> {
                assertEquals(Optional.empty(), polling.failure());
                return recordsIn(file) == expected;
              });
        }
      }
    }
  }

  @Test
  void theFailureIsReportedToItsOwner() throws Exception {
    SessionFile session = SessionFile.create(folder, 32, 64);
    NtrWriter writer =
        new NtrWriter(Files.newOutputStream(folder.resolve("x")), RecordedSession.HEADER, 7);
    Recorder recorder = Recorder.appending(session, writer, new RecorderSettings(1, 1, 0));
    try (RecorderThread polling = RecorderThread.start(recorder)) {
      session.close();
      Await.until("the thread has failed", () -> polling.failure().isPresent());
      assertEquals(IllegalStateException.class, polling.failure().orElseThrow().getClass());
    }
    writer.close();
  }
}
