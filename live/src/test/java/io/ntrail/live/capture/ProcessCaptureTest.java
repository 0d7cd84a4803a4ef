package io.ntrail.live.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.capture.StandingProgram.Standing;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThread;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x64.StackWalker;
import io.ntrail.testkit.wine.WindowsCompiler;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProcessCaptureTest {
  /** Output and exit code of {@code standing.c} when nothing disturbs it. */
  private static final String UNDISTURBED = "80 sum 1872";

  /** Kinds of threads that the system called in the middle of a function without unwind data. */
  private static final Set<String> INTERRUPTED = Set.of("apc", "fault");

  @TempDir Path folder;

  @Test
  void theStackOfEachThreadHasTheReturnAddressesThatTheSystemFound() throws Exception {
    mustHaveReturnAddresses(ProcessCapture.MOST_STACK);
  }

  /** With stacks of up to 10 MiB the agent has memory for six threads at once. */
  @Test
  void threadsThatNeedSeveralRequestsHaveTheReturnAddressesThatTheSystemFound() throws Exception {
    mustHaveReturnAddresses(10 << 20);
  }

  private void mustHaveReturnAddresses(int mostStack) throws Exception {
    try (StandingProgram program = StandingProgram.start(folder, "standing.c");
        TargetProcess process = program.open()) {
      ProcessCapture capture = ProcessCapture.of(process, mostStack);
      Map<Integer, CapturedThread> threads =
          capture.threads().stream()
              .collect(Collectors.toMap(CapturedThread::tid, Function.identity()));
      List<Standing> standing = program.standing();
      assertEquals(49, standing.size());
      for (Standing one : standing) {
        CapturedThread thread = Objects.requireNonNull(threads.get(one.tid()));
        // The function that stands has called something else since.
        mustFollow(one.callers().subList(1, one.callers().size()), thread.stack(), one.toString());
        AddressSpace memory = capture.memory();
        assertEquals(
            thread.stack().i64(0), memory.read(thread.registers().sp(), 8).i64(0), one.kind());
        assertTrue(thread.stoodNanos() > 0, one.kind());
        assertTrue(thread.suspendedNanos() > thread.stoodNanos(), one.kind());
      }
      assertEquals(List.of(), capture.missing());
      assertEquals(
          process.threads().list().stream().map(TargetThread::tid).toList(),
          capture.threads().stream().map(CapturedThread::tid).toList());
      assertEquals(UNDISTURBED, program.end());
    }
  }

  @Test
  void framesOf49ThreadsAreThoseThatTheSystemFound() throws Exception {
    mustWalk("standing.c", UNDISTURBED);
  }

  @Test
  void framesOf49ThreadsInCodeOfClangAreThoseThatTheSystemFound() throws Exception {
    try (StandingProgram program =
        StandingProgram.start(folder, "standing.c", WindowsCompiler.CLANG_GNU, "-O2")) {
      mustWalk(program, UNDISTURBED);
    }
  }

  @Test
  void framesInFiltersAndTerminationHandlersAreThoseThatTheSystemFound() throws Exception {
    mustWalk("sehstanding.c", "63 sum 63");
  }

  @Test
  void framesInDestructorsAndCatchBlocksAreThoseThatTheSystemFound() throws Exception {
    mustWalk("leaving.cpp", "26 sum 26");
  }

  @Test
  void outlinesOfModulesTellWhichBuildTheyAre() throws Exception {
    try (StandingProgram program = StandingProgram.start(folder, "leaving.cpp");
        TargetProcess process = program.open()) {
      ProcessCapture capture = ProcessCapture.of(process, ProcessCapture.MOST_STACK);
      assertTrue(capture.modules().size() > 3, capture.modules().toString());
      for (TargetModule module : capture.modules()) {
        PeImage whole = capture.loaded().at(module.base()).orElseThrow().image().orElseThrow();
        PeImage outline = capture.outline(module).orElseThrow();
        assertEquals(whole.headers().timestamp(), outline.headers().timestamp(), module.name());
        assertEquals(whole.headers().sizeOfImage(), outline.headers().sizeOfImage());
        assertEquals(DebugDirectory.of(whole).codeView(), DebugDirectory.of(outline).codeView());
      }
      assertEquals("26 sum 26", program.end());
    }
  }

  private void mustWalk(String source, String undisturbed) throws Exception {
    try (StandingProgram program = StandingProgram.start(folder, source)) {
      mustWalk(program, undisturbed);
    }
  }

  private static void mustWalk(StandingProgram program, String undisturbed) throws Exception {
    try (TargetProcess process = program.open()) {
      ProcessCapture capture = ProcessCapture.of(process, ProcessCapture.MOST_STACK);
      StackWalker walker = capture.walker();
      Map<Integer, CapturedThread> threads =
          capture.threads().stream()
              .collect(Collectors.toMap(CapturedThread::tid, Function.identity()));
      for (Standing one : program.standing()) {
        CapturedThread thread = Objects.requireNonNull(threads.get(one.tid()));
        mustEqual(one, walker.walk(thread.registers(), capture.memory()));
      }
      assertEquals(undisturbed, program.end());
    }
  }

  /** The function that stands has called something else since it printed where it was. */
  private static void mustEqual(Standing standing, StackWalk walk) {
    List<Long> frames = walk.frames().stream().map(StackFrame::ip).toList();
    List<Long> callers = standing.callers().subList(1, standing.callers().size());
    int first = frames.indexOf(callers.getFirst());
    String text = standing + "\n" + frames + " " + walk.end() + " " + walk.why();
    assertTrue(first > 0, text);
    assertEquals(callers, frames.subList(first, frames.size()), text);
    assertEquals(StackWalk.End.END_OF_STACK, walk.end(), text);
    // Where Wine calls the program with an APC or an exception it pretends a call, by a function
    // that has no unwind data: its caller is a guess, which is right.
    long guessed = walk.frames().stream().filter(f -> f.trust() == FrameTrust.SCAN).count();
    assertEquals(INTERRUPTED.contains(standing.kind()) ? 1 : 0, guessed, text);
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
