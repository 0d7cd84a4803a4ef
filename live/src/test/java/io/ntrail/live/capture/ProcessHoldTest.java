package io.ntrail.live.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.live.target.TargetProcess;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.wine.WindowsCompiler;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ProcessHoldTest {
  /** Systems whose agents suspend programs. */
  enum Bits {
    /** An agent of 64-bit code, and {@code leaving.cpp}. */
    ONLY_64("26 sum 26"),
    /** An agent of 32-bit code, and {@code standing.c}. */
    ONLY_32("80 sum 1872");

    /** Output and exit code when nothing disturbs the program. */
    private final String undisturbed;

    Bits(String undisturbed) {
      this.undisturbed = undisturbed;
    }

    StandingProgram start(Path folder) throws Exception {
      return this == ONLY_64
          ? StandingProgram.start(folder, "leaving.cpp")
          : StandingProgram.startOn32Bits(folder, "standing.c", WindowsCompiler.MINGW_C_32, "-O2");
    }
  }

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void allThreadsAreSuspendedUntilItIsClosed(Bits bits) throws Exception {
    try (StandingProgram program = bits.start(folder);
        TargetProcess process = program.open()) {
      try (ProcessHold _ = ProcessHold.of(program.itsHost(), process)) {
        assertEquals(Set.of(1), suspensions(process));
      }
      assertEquals(Set.of(0), suspensions(process));
      assertEquals(bits.undisturbed, program.end());
    }
  }

  @ParameterizedTest
  @EnumSource
  @SuppressWarnings("try") // closed by the death of what it belongs to
  void threadsGoOnWhenTheAgentIsKilledMeanwhile(Bits bits) throws Exception {
    try (StandingProgram program = bits.start(folder)) {
      ProcessHold hold = ProcessHold.of(program.itsHost(), program.open());
      program.replaceAgent();
      try (TargetProcess process = program.open()) {
        Await.until(
            "the threads go on, held for %d ns".formatted(hold.nanos()),
            () -> suspensions(process).equals(Set.of(0)));
      }
      assertEquals(bits.undisturbed, program.end());
    }
  }

  private static Set<Integer> suspensions(TargetProcess process) {
    return ProcessCapture.of(process, ProcessCapture.MOST_STACK).threads().stream()
        .map(CapturedThread::suspendCount)
        .collect(Collectors.toSet());
  }
}
