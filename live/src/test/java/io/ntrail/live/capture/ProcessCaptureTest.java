package io.ntrail.live.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.capture.StandingProgram.Standing;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.programs.memory.AddressSpace;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProcessCaptureTest {
  /** What {@code standing.c} prints and returns when nothing disturbs it. */
  private static final String UNDISTURBED = "80 sum 1872";

  @TempDir Path folder;

  @Test
  void theStackOfEachThreadHasTheReturnAddressesThatTheSystemFound() throws Exception {
    try (StandingProgram program = StandingProgram.start(folder, "standing.c");
        TargetProcess process = program.open()) {
      ProcessCapture capture = ProcessCapture.of(process, ProcessCapture.MOST_STACK);
      Map<Integer, CapturedThread> threads =
          capture.threads().stream()
              .collect(Collectors.toMap(CapturedThread::tid, Function.identity()));
      List<Standing> standing = program.standing();
      assertEquals(49, standing.size());
      for (Standing one : standing) {
        CapturedThread thread = Objects.requireNonNull(threads.get(one.tid()));
        // The function that stands has called something else since.
        mustFollow(one.callers().subList(1, one.callers().size()), thread.stack(), one.toString());
        AddressSpace memory = capture.memory(thread);
        assertEquals(
            thread.stack().i64(0), memory.read(thread.registers().sp(), 8).i64(0), one.kind());
        assertTrue(thread.suspendedNanos() > 0, one.kind());
      }
      assertEquals(List.of(), capture.missing());
      assertEquals(UNDISTURBED, program.end());
    }
  }

  private static void mustFollow(List<Long> addresses, Bytes stack, String what) {
    int at = 0;
    for (long address : addresses) {
      while (at + 8 <= stack.length() && stack.i64(at) != address) {
        at += 8;
      }
      assertTrue(at + 8 <= stack.length(), () -> "0x%x: %s".formatted(address, what));
      at += 8;
    }
  }
}
