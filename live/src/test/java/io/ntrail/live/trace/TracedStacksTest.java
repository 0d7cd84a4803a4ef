package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.capture.CapturedThread;
import io.ntrail.live.capture.ProcessCapture;
import io.ntrail.live.capture.StandingProgram;
import io.ntrail.live.capture.StandingProgram.Standing;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x64.StackWalker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stacks of threads whose functions are traced show the frames that they have untraced. */
final class TracedStacksTest {
  @TempDir Path folder;

  @Test
  void tracedFramesHaveTheirTrueCallers() throws IOException {
    try (Programs programs = new Programs(folder)) {
      Path stop = folder.resolve("stop");
      Path out = folder.resolve("out1");
      Map<String, Integer> traced = new HashMap<>();
      Tracing.Settings settings =
          new Tracing.Settings()
              .program()
              .stacks(64)
              .meanwhile((target, _) -> {
                look(target, out, traced);
                create(stop);
              });
      Tracing.Outcome outcome =
          programs.traced(settings, Programs.build("standing.c"), programs.tracing().name(stop));
      assertEquals(80, outcome.exitCode() & 0x7F, outcome.text());
      assertTrue(outcome.text().strip().endsWith("sum 1872"), outcome.text());
      // Each kind of thread stands below a traced frame: the system saw its slot.
      assertEquals(10, traced.size(), traced.toString());
    }
  }

  private static void look(TargetProcess target, Path out, Map<String, Integer> traced) {
    try {
      Tracing.awaitText(out, "ready", Duration.ofMinutes(1));
      List<Standing> standing =
          StandingProgram.standing(Files.readString(out, StandardCharsets.ISO_8859_1));
      ProcessCapture capture = ProcessCapture.of(target, ProcessCapture.MOST_STACK);
      StackWalker walker = capture.walker();
      Map<Integer, CapturedThread> threads =
          capture.threads().stream().collect(Collectors.toMap(CapturedThread::tid, one -> one));
      for (Standing one : standing) {
        CapturedThread thread = Objects.requireNonNull(threads.get(one.tid()));
        StackWalk walk = walker.walk(thread.registers(), capture.memory());
        List<Long> frames = walk.frames().stream().map(StackFrame::ip).toList();
        // The system's walk has the slots as well, which are in no module.
        List<Long> callers =
            one.callers().stream().skip(1).filter(ip -> isIn(capture.modules(), ip)).toList();
        if (callers.size() < one.callers().size() - 1) {
          traced.merge(one.kind(), 1, Integer::sum);
        }
        String text =
            one + "\n" + walk.frames().stream().map(f -> Long.toHexString(f.ip())).toList();
        int first = frames.indexOf(callers.getFirst());
        assertTrue(first > 0, text);
        assertEquals(callers, frames.subList(first, frames.size()), text);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isIn(List<TargetModule> modules, long address) {
    return modules.stream().anyMatch(module -> module.contains(address));
  }

  private static void create(Path file) {
    try {
      Files.createFile(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
