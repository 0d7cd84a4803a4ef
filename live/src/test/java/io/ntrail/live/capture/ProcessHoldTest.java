package io.ntrail.live.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.live.target.TargetProcess;
import io.ntrail.testkit.Await;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProcessHoldTest {
  /** Output and exit code of {@code leaving.cpp} when nothing disturbs it. */
  private static final String UNDISTURBED = "26 sum 26";

  @TempDir Path folder;

  @Test
  void allThreadsAreSuspendedUntilItIsClosed() throws Exception {
    try (StandingProgram program = StandingProgram.start(folder, "leaving.cpp");
        TargetProcess process = program.open()) {
      try (ProcessHold _ = ProcessHold.of(StandingProgram.host(), process)) {
        assertEquals(Set.of(1), suspensions(process));
      }
      assertEquals(Set.of(0), suspensions(process));
      assertEquals(UNDISTURBED, program.end());
    }
  }

  @Test
  @SuppressWarnings("try") // closed by the death of what it belongs to
  void threadsGoOnWhenTheAgentIsKilledMeanwhile() throws Exception {
    try (StandingProgram program = StandingProgram.start(folder, "leaving.cpp")) {
      ProcessHold hold = ProcessHold.of(StandingProgram.host(), program.open());
      program.replaceAgent();
      try (TargetProcess process = program.open()) {
        Await.until(
            "the threads go on, held for %d ns".formatted(hold.nanos()),
            () -> suspensions(process).equals(Set.of(0)));
      }
      assertEquals(UNDISTURBED, program.end());
    }
  }

  private static Set<Integer> suspensions(TargetProcess process) {
    return ProcessCapture.of(process, ProcessCapture.MOST_STACK).threads().stream()
        .map(CapturedThread::suspendCount)
        .collect(Collectors.toSet());
  }
}
