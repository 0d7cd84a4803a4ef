package io.ntrail.programs.unwind.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.unwind.x64.CodeProof.Convention;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * Unwinds from every instruction that functions of real images execute in Unicorn; of all their
 * functions with {@code -Dntrail.long=true}, else of every fortieth.
 */
class UnicornUnwindTest {
  private static final int EVERY = 40;

  /**
   * Functions in which unwind data and rules of Windows are not what the code does, with the
   * reason.
   */
  private static final Map<String, String> NOT_AS_DESCRIBED =
      Map.of(
          "vcruntime140.dll 10220",
          "longjmp: takes all registers out of a buffer",
          "dumpsyms-dump_syms_regtest64.exe 65e0",
          "memcpy in assembly: pushes two registers, and its unwind data have no code",
          "object-import.exe 105f",
          "leaves by jmp rax without REX.W, which Windows takes for the body",
          "nativeaot-net70-x64.exe 4a10",
          "assembly: pushes a return address that is described nowhere",
          "nativeaot-net70-x64.exe 4a60",
          "assembly: mov between the pops of what would be an epilogue",
          "nativeaot-net70-x64.exe 4b50",
          "assembly: aligns the stack pointer before its pushes",
          "nativeaot-net70-x64.exe 4e50",
          "assembly: takes the stack pointer from r8 and jumps");

  @TempDir Path folder;

  @Test
  void fromEveryInstructionTheCallersRegistersAreThoseAtTheFirstByte(TestReporter reporter)
      throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Optional<UnicornMachine> machine = UnicornMachine.in(folder, 64);
    assumeTrue(machine.isPresent(), UnicornMachine.MISSING);
    Map<String, String> failures = new TreeMap<>();
    CodeProof.Coverage coverage = new CodeProof.Coverage();
    try (UnicornMachine processor = machine.get()) {
      for (String group : List.of("windows", "toolchains", "eh", "flags", "win10")) {
        for (PeSample sample : PeSamples.group(group)) {
          prove(processor, sample, coverage, failures);
        }
      }
    }
    reporter.publishEntry("coverage", coverage.toString());
    boolean isWhole = Slice.count(1, 0) == 1;
    if (isWhole) {
      assertEquals(NOT_AS_DESCRIBED.keySet(), failures.keySet());
    } else {
      failures.keySet().removeAll(NOT_AS_DESCRIBED.keySet());
      assertEquals(Map.of(), failures);
    }
    // What was reached must not shrink unseen.
    int share = isWhole ? 1 : EVERY + 4;
    assertTrue(coverage.wholePrologues >= 38_900 / share, coverage.toString());
    assertTrue(coverage.prologue >= 153_000 / share, coverage.toString());
    assertTrue(coverage.body >= 1_170_000 / share, coverage.toString());
    assertTrue(coverage.epilogue >= 319_000 / share, coverage.toString());
    assertTrue(coverage.describedMet >= 0.9 * coverage.described, coverage.toString());
    assertEquals(0, coverage.undecided);
  }

  private static void prove(
      UnicornMachine processor,
      PeSample sample,
      CodeProof.Coverage coverage,
      Map<String, String> failures)
      throws IOException {
    PeImage image;
    try {
      image = PeImage.ofFile(InputFile.of(sample.bytes(), sample.name()));
    } catch (CannotGoOn _) {
      // Test images that are none.
      return;
    }
    List<RuntimeFunction> functions = FunctionTable.of(image).entries();
    if (image.headers().machine() != MachineType.AMD64 || functions.isEmpty()) {
      return;
    }
    Convention convention = sample.name().contains("-go1.") ? Convention.GO : Convention.WINDOWS;
    try (CodeProof proof = new CodeProof(processor, image, convention, coverage)) {
      for (RuntimeFunction function : Slice.of(functions, EVERY)) {
        proof.prove(function);
      }
      failures.putAll(proof.failures());
    }
  }
}
