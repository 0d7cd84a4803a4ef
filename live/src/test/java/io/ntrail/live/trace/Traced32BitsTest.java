package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.capture.CapturedThread;
import io.ntrail.live.capture.ProcessCapture;
import io.ntrail.live.capture.StandingProgram;
import io.ntrail.live.capture.StandingProgram.Standing;
import io.ntrail.live.recovery.CrashRecovery;
import io.ntrail.live.recovery.DetachResult;
import io.ntrail.live.recovery.SessionJournal;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x86.PdbFrameData;
import io.ntrail.programs.unwind.x86.X86Walker;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads of a 32-bit program that stand in traced functions: looked at, and given back. */
final class Traced32BitsTest {
  @TempDir Path folder;

  /** Runs a program traced, and does something when it has said a word. */
  private Tracing.Outcome run(String source, String said, BiConsumer<TargetProcess, Tracer> work)
      throws IOException {
    assumeTrue(Wine.available32(), Wine.missing32());
    WindowsCompiler compiler = WindowsCompiler.MINGW_C_32;
    assumeTrue(compiler.available(), compiler.missing());
    Path program =
        compiler.build(
            List.of(TestData.projectRoot().resolve("live/src/test/programs").resolve(source)),
            "-O2",
            "-fno-omit-frame-pointer");
    Path stop = folder.resolve("stop");
    try (Tracing tracing = Tracing.in(Wine.shared32(), MachineType.I386, folder)) {
      Tracing.Settings settings =
          new Tracing.Settings()
              .program()
              .stacks(64)
              .meanwhile((target, tracer) -> {
                try {
                  Tracing.awaitText(folder.resolve("out1"), said, Duration.ofMinutes(1));
                  work.accept(target, tracer);
                  Files.createFile(stop);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      return tracing.run(settings, "\"" + tracing.name(program) + "\" " + tracing.name(stop));
    }
  }

  private List<Standing> printed() {
    try {
      return StandingProgram.standing(
          Files.readString(folder.resolve("out1"), StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void tracedFramesHaveTheirTrueCallers() throws IOException {
    int[] slots = new int[1];
    Tracing.Outcome outcome = run("standing.c", "ready", (target, _) -> slots[0] = look(target));
    assertEquals(80, outcome.exitCode() & 0x7F, outcome.text());
    assertTrue(outcome.text().strip().endsWith("sum 1872"), outcome.text());
    assertEquals(49, slots[0], "stacks in which the system saw slots");
  }

  /** Compares all stacks; returns in how many of them the system itself saw slots. */
  private int look(TargetProcess target) {
    ProcessCapture capture = ProcessCapture.of(target, ProcessCapture.MOST_STACK);
    X86Walker walker =
        new X86Walker(
            capture.memory(),
            capture.loaded(),
            module -> new PdbFrameData(Optional.empty(), module.image()));
    Map<Integer, CapturedThread> threads =
        capture.threads().stream().collect(Collectors.toMap(CapturedThread::tid, one -> one));
    int slots = 0;
    for (Standing one : printed()) {
      CapturedThread thread = Objects.requireNonNull(threads.get(one.tid()));
      StackWalk walk =
          walker.walk(thread.registers(), new StackLimits(thread.stackLimit(), thread.stackBase()));
      List<Long> frames = walk.frames().stream().map(StackFrame::ip).toList();
      List<Long> all =
          one.callers().stream().skip(1).map(address -> address & 0xFFFF_FFFFL).toList();
      List<Long> callers =
          all.stream().filter(address -> capture.loaded().at(address).isPresent()).toList();
      slots += callers.size() < all.size() ? 1 : 0;
      String text = one + "\n" + frames.stream().map(Long::toHexString).toList();
      assertTrue(frames.containsAll(callers), text);
      // The system itself goes astray where it called the program with an APC.
      assertTrue(
          one.kind().equals("apc")
              || frames.stream().allMatch(address -> capture.loaded().at(address).isPresent()),
          text);
    }
    return slots;
  }

  @Test
  void aProgramThatContinuesHasItsReturnAddressesBack() throws IOException {
    DetachResult[] result = new DetachResult[1];
    Tracing.Outcome outcome =
        run(
            "conventions.c",
            "parked",
            (target, tracer) -> {
              // What a crash would leave is found while it is there.
              assertEquals(1, SessionJournal.frames(target).size());
              result[0] = tracer.detach().orElseThrow();
              int left = result[0].removed() ? 0 : 1;
              assertEquals(left, SessionJournal.frames(target).size(), result[0].toString());
              assertEquals(Optional.empty(), CrashRecovery.settle(target));
              assertTrue(SessionJournal.frames(target).size() <= left);
            });
    assertEquals(42, outcome.exitCode(), outcome.text());
    // Six threads 14 and up to 5, one 4 and 14; then 1,000 times twice i + 1.
    int sum = 6 * 14 + 15 + 4 + 14 + 1_001_000;
    assertTrue(outcome.text().strip().endsWith("sum " + sum), outcome.text());
    // Places of return addresses, of which a tail call shares that of its caller: of each of six
    // threads three, and up to five recursions; of the other one three, and two of its fiber that
    // sleeps; and those of the first thread.
    int places = 6 * 3 + 15 + 3 + 2;
    assertTrue(result[0].repairedFrames() > places, result[0].toString());
    assertTrue(result[0].repairedFrames() < places + 8, result[0].toString());
  }
}
