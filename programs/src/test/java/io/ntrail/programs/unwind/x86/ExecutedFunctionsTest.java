package io.ntrail.programs.unwind.x86;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.FrameData;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pdb.PdbSamples;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Callers that the walker finds at each instruction that Unicorn executes. */
class ExecutedFunctionsTest {
  private static final int MOST_FUNCTIONS = 400;
  private static final int MOST_INSTRUCTIONS = 400;
  private static final int[] NONVOLATILE = {3, 5, 6, 7};

  /** Counts of instructions that were executed, and of right and wrong answers there. */
  private static final class Score {
    int instructions;
    int right;
    int wrongCallers;
    int wrongRegisters;
    int wrongByProgram;

    void add(StackWalk walk, List<ExecutedCode.Call> calls) {
      instructions++;
      for (int i = 0; i < calls.size(); i++) {
        if (i + 1 >= walk.frames().size() || !isCaller(walk.frames().get(i + 1), calls.get(i))) {
          wrongCallers++;
          if (i == 0 && walk.frames().size() > 1) {
            wrongByProgram += walk.frames().get(1).trust() == FrameTrust.PROGRAM ? 1 : 0;
          }
          return;
        }
        if (!hasRegisters(walk.frames().get(i + 1), calls.get(i))) {
          wrongRegisters++;
          return;
        }
      }
      right++;
    }

    private static boolean isCaller(StackFrame frame, ExecutedCode.Call call) {
      return frame.ip() == call.returnAddress() && frame.sp() == call.sp();
    }

    private static boolean hasRegisters(StackFrame frame, ExecutedCode.Call call) {
      FrameRegisters registers = frame.registers();
      return IntStream.of(NONVOLATILE)
          .allMatch(r -> !registers.isKnown(r) || registers.get(r) == call.registers().get(r));
    }

    @Override
    public String toString() {
      return "%d instructions, %d right, %d wrong callers (%d by frame programs), %d wrong registers"
          .formatted(instructions, right, wrongCallers, wrongByProgram, wrongRegisters);
    }
  }

  @TempDir Path folder;

  private Score score(String image, String symbols, boolean withSymbols) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    PeImage pe = PeImage.ofFile(InputFile.of(PdbSamples.bytes(image), image));
    PdbFile pdb = PdbFile.open(InputFile.of(PdbSamples.bytes(symbols), symbols));
    FrameDataTable data =
        withSymbols ? new PdbFrameData(Optional.of(pdb), Optional.of(pe)) : FrameDataTable.NONE;
    Score score = new Score();
    Set<String> seen = new HashSet<>();
    Optional<UnicornMachine> machine = UnicornMachine.in(folder, 32);
    assumeTrue(machine.isPresent(), UnicornMachine.MISSING);
    try (ExecutedCode code = new ExecutedCode(machine.orElseThrow(), pe, image)) {
      for (long start : functions(pdb)) {
        code.run(
            start,
            MOST_INSTRUCTIONS,
            (registers, calls) -> {
              long ip = registers.ip();
              if (code.image().contains(ip) && seen.add(ip + " " + calls.size())) {
                X86Walker walker =
                    new X86Walker(
                        code, code, m -> m.equals(code.image()) ? data : FrameDataTable.NONE);
                score.add(walker.walk(registers, ExecutedCode.LIMITS), calls);
              }
            });
      }
    }
    return score;
  }

  /** Returns RVAs of functions, evenly taken of all. */
  private static List<Long> functions(PdbFile pdb) throws IOException {
    List<Long> starts =
        pdb.frameData().frames().stream()
            .filter(FrameData.Frame::isFunctionStart)
            .map(FrameData.Frame::begin)
            .toList();
    int step = Math.max(1, starts.size() / MOST_FUNCTIONS);
    return IntStream.range(0, starts.size())
        .filter(i -> i % step == 0)
        .mapToObj(starts::get)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "sentry/crash.exe, sentry/crash.pdb, true, 98",
    "sentry/crash.exe, sentry/crash.pdb, false, 97",
    "seh/x86/xcpt4.exe, seh/x86/xcpt4.pdb, true, 95",
    "seh/x86/xcpt4.exe, seh/x86/xcpt4.pdb, false, 97",
    "mozilla/basic32.dll, mozilla/basic32.pdb, true, 96",
    "mozilla/basic32.dll, mozilla/basic32.pdb, false, 98",
  })
  void callersAndRegistersAreThoseThatTheProcessorHad(
      String image, String symbols, boolean withSymbols, int percent) throws IOException {
    Score score = score(image, symbols, withSymbols);
    assertTrue(score.instructions > 1000, score::toString);
    assertTrue(score.right * 100L >= (long) percent * score.instructions, score::toString);
  }
}
