package io.ntrail.live.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.capture.StandingProgram.Standing;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x86.PdbFrameData;
import io.ntrail.programs.unwind.x86.X86Walker;
import io.ntrail.testkit.wine.WindowsCompiler;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Programs of 32 bits: beside an agent of 64 bits, as on 64-bit Windows, and beside one of 32 bits,
 * as on 32-bit Windows.
 */
final class Capture32Test {
  /** Output and exit code of {@code standing.c} when nothing disturbs it. */
  private static final String UNDISTURBED = "80 sum 1872";

  /** The system itself goes astray where it called the program with an APC. */
  private static final String ASTRAY = "apc";

  @TempDir Path folder;

  /** Systems that run 32-bit programs. */
  enum Bits {
    /** Programs of 64 bits as well. */
    BOTH,
    /** No others. */
    ONLY_32
  }

  @ParameterizedTest
  @EnumSource
  void framesInCodeOfGccAreThoseThatTheSystemFound(Bits bits) throws Exception {
    mustWalk(bits, WindowsCompiler.MINGW_C_32);
  }

  @ParameterizedTest
  @EnumSource
  void framesInCodeOfClangAreThoseThatTheSystemFound(Bits bits) throws Exception {
    mustWalk(bits, WindowsCompiler.CLANG_GNU_32);
  }

  @ParameterizedTest
  @EnumSource
  void modulesAreThoseOfThe32BitSide(Bits bits) throws Exception {
    try (StandingProgram program = start(bits, WindowsCompiler.MINGW_C_32);
        TargetProcess process = program.open()) {
      assertTrue(process.is32Bit());
      assertEquals(bits == Bits.BOTH, process.isEmulated());
      ProcessCapture capture = ProcessCapture.of(process, ProcessCapture.MOST_STACK);
      assertTrue(capture.modules().size() > 3, capture.modules().toString());
      assertEquals(program.program().getFileName().toString(), capture.modules().getFirst().name());
      for (TargetModule module : capture.modules()) {
        assertEquals(
            MachineType.I386,
            capture.outline(module).orElseThrow().headers().machine(),
            module.path());
        assertTrue(process.file(module).orElseThrow().toFile().exists(), module.path());
      }
      assertEquals(UNDISTURBED, program.end());
    }
  }

  /** The system follows frame pointers alone. */
  private StandingProgram start(Bits bits, WindowsCompiler compiler) throws Exception {
    String[] options = {"-O2", "-fno-omit-frame-pointer"};
    return bits == Bits.BOTH
        ? StandingProgram.start(folder, "standing.c", compiler, options)
        : StandingProgram.startOn32Bits(folder, "standing.c", compiler, options);
  }

  private void mustWalk(Bits bits, WindowsCompiler compiler) throws Exception {
    try (StandingProgram program = start(bits, compiler);
        TargetProcess process = program.open()) {
      ProcessCapture capture = ProcessCapture.of(process, ProcessCapture.MOST_STACK);
      X86Walker walker =
          new X86Walker(
              capture.memory(),
              capture.loaded(),
              module -> new PdbFrameData(Optional.empty(), module.image()));
      Map<Integer, CapturedThread> threads =
          capture.threads().stream()
              .collect(Collectors.toMap(CapturedThread::tid, Function.identity()));
      List<Standing> all = program.standing();
      assertEquals(49, all.size());
      for (Standing one : all) {
        CapturedThread thread = Objects.requireNonNull(threads.get(one.tid()));
        StackLimits limits = new StackLimits(thread.stackLimit(), thread.stackBase());
        mustEqual(one, callers(one, capture), walker.walk(thread.registers(), limits));
      }
      assertEquals(List.of(), capture.missing());
      assertEquals(UNDISTURBED, program.end());
    }
  }

  /** Returns what the system found, without the function that stands and what is no code. */
  private static List<Long> callers(Standing standing, ProcessCapture capture) {
    return standing.callers().stream()
        .skip(1)
        .map(address -> address & 0xFFFF_FFFFL)
        .filter(address -> capture.loaded().at(address).isPresent())
        .toList();
  }

  private static void mustEqual(Standing standing, List<Long> callers, StackWalk walk) {
    List<Long> frames = walk.frames().stream().map(StackFrame::ip).toList();
    String text =
        standing
            + "\n"
            + walk.frames().stream()
                .map(frame -> Long.toHexString(frame.ip()) + " " + frame.trust())
                .toList();
    assertEquals(StackWalk.End.END_OF_STACK, walk.end(), text);
    if (standing.kind().equals(ASTRAY)) {
      mustContain(frames, callers, text);
      return;
    }
    int first = frames.indexOf(callers.getFirst());
    assertTrue(first > 0, text);
    int end = first + callers.size();
    assertEquals(callers, frames.subList(first, Math.min(end, frames.size())), text);
    // Below the first function of the thread lies an address of its first call.
    assertTrue(frames.size() <= end + 1, text);
    assertTrue(
        walk.frames().subList(end, frames.size()).stream()
            .allMatch(frame -> frame.trust() == FrameTrust.SCAN),
        text);
  }

  private static void mustContain(List<Long> frames, List<Long> callers, String text) {
    Iterator<Long> left = frames.iterator();
    for (long caller : callers) {
      boolean found = false;
      while (!found && left.hasNext()) {
        found = left.next() == caller;
      }
      assertTrue(found, text);
    }
  }
}
