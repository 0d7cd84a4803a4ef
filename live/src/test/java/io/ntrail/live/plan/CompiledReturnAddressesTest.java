package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.decoration.CDecoration;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Detection of functions that read their return address, in compiled C. */
final class CompiledReturnAddressesTest {
  private static final int READ = 6;
  private static final int PLAIN = 7;

  private static void check(WindowsCompiler compiler, String option) throws IOException {
    assumeTrue(compiler.available(), compiler.missing());
    Path source = TestData.projectRoot().resolve("live/src/test/programs/returns.c");
    Path program = compiler.build(List.of(source), option);
    List<PlannedFunction> plan;
    try (InputFile file = InputFile.map(program, "returns.exe")) {
      PeImage image = PeImage.ofFile(file);
      TargetModule module =
          new TargetModule(
              image.headers().imageBase(),
              image.headers().sizeOfImage(),
              "C:\\returns.exe",
              "returns.exe");
      // 64-bit programs export the functions.
      PlanSymbols symbols =
          image.headers().isWide() ? PlanSymbols.NONE : PlanSymbols.of(image, Optional.empty());
      plan = Planner.plan(module, image, symbols, Optional.empty(), Sketch.ALL);
    }
    List<String> wrong = new ArrayList<>();
    int read = 0;
    int plain = 0;
    for (PlannedFunction function : plan) {
      String name = CDecoration.plain(function.name());
      boolean reads = name.startsWith("reads_");
      boolean isPart = name.endsWith(".cold");
      if (!isPart && (reads || name.startsWith("plain_"))) {
        read += reads ? 1 : 0;
        plain += reads ? 0 : 1;
        if (function.hasExits() == reads) {
          wrong.add(function.name() + " " + function.reason());
        }
      }
    }
    assertEquals(List.of(), wrong, program.toString());
    assertEquals(READ, read);
    assertEquals(PLAIN, plain);
    assertTrue(plan.stream().anyMatch(PlannedFunction::hasExits));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-O0", "-O1", "-O2", "-O3", "-Os"})
  void madeByGcc(String option) throws IOException {
    check(WindowsCompiler.MINGW_C, option);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-O0", "-O1", "-O2", "-O3", "-Os"})
  void madeByClang(String option) throws IOException {
    check(WindowsCompiler.CLANG, option);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-O0", "-O1", "-O2", "-O3", "-Os"})
  void madeByGccFor32Bits(String option) throws IOException {
    check(WindowsCompiler.MINGW_C_32, option);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-O0", "-O1", "-O2", "-O3", "-Os"})
  void madeByClangFor32Bits(String option) throws IOException {
    check(WindowsCompiler.CLANG_32, option);
  }
}
