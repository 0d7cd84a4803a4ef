package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.CannotGoOn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Routines that run in a target, and how long they are waited for. */
final class RemoteRoutineTest {
  private static final int ASLEEP_MILLIS = 600;
  private static final int PATIENCE_MILLIS = 1_000;

  @TempDir private Path folder;

  private void inTarget(Tracing.Work work) throws IOException {
    try (Programs programs = new Programs(folder)) {
      programs.tracing().start(programs.line(Programs.build("counts.c")), work);
    }
  }

  @Test
  void workThatIsDoneMeanwhileDoesNotCountAsWaiting() throws IOException {
    inTarget((target, session, name) -> {
      int[] done = {0};
      target.whileRoutinesRun(() -> {
        if (done[0]++ == 0) {
          LockSupport.parkNanos(2L * PATIENCE_MILLIS * 1_000_000);
        }
      });
      long sleep = target.calls().find("kernel32!Sleep");
      // A library is planned for two seconds: it has long ended then.
      target.run(sleep, ASLEEP_MILLIS, PATIENCE_MILLIS);
      assertEquals(1, done[0]);
      target.kill(1);
    });
  }

  @Test
  void aRoutineThatDoesNotEndIsNotWaitedForAnyLonger() throws IOException {
    inTarget((target, session, name) -> {
      long sleep = target.calls().find("kernel32!Sleep");
      assertThrows(
          CannotGoOn.class, () -> target.run(sleep, 100 * PATIENCE_MILLIS, PATIENCE_MILLIS));
      target.kill(1);
    });
  }
}
