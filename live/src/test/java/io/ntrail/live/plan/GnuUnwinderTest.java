package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.plan.GnuUnwinder.Access;
import io.ntrail.live.plan.SkipReason.Kind;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unwinders of programs that GNU compilers made, beside what the tools say of these programs. */
final class GnuUnwinderTest {
  @TempDir Path folder;

  private static Path program(WindowsCompiler compiler, String source, String... options)
      throws IOException {
    assumeTrue(compiler.available(), compiler.missing());
    Path file = TestData.projectRoot().resolve("live/src/test/programs").resolve(source);
    return compiler.build(List.of(file), options);
  }

  private static GnuUnwinder unwinder(Path program) throws IOException {
    try (InputFile input = InputFile.map(program, program.toString())) {
      PeImage image = PeImage.ofFile(input);
      return GnuUnwinder.of(image, PlanSymbols.of(image, Optional.empty()).names());
    }
  }

  private static List<PlannedFunction> plan(Path program) throws IOException {
    try (InputFile input = InputFile.map(program, program.toString())) {
      PeImage image = PeImage.ofFile(input);
      TargetModule module =
          new TargetModule(
              image.headers().imageBase(), image.headers().sizeOfImage(), "C:\\a.exe", "a.exe");
      PlanSymbols symbols = PlanSymbols.of(image, Optional.empty());
      return Planner.plan(module, image, symbols, Optional.empty(), Sketch.ALL);
    }
  }

  /** Returns the RVA of a symbol as nm says it. */
  private static long symbol(Path program, String name) throws Exception {
    ExternalTool nm = ExternalTool.of("mingw32", "i686-w64-mingw32-nm");
    String text = nm.run(Path.of("."), Map.of(), program.toString()).output();
    return text.lines()
        .filter(line -> line.endsWith(" T " + name))
        .mapToLong(line -> Long.parseLong(line.substring(0, 8), 16) - 0x40_0000)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aStaticUnwinderIsFoundByTheSymbolsOfTheProgram() throws Exception {
    Path program = program(WindowsCompiler.MINGW_CXX_32, "throws.cpp", "-O1");
    GnuUnwinder unwinder = unwinder(program);
    assertEquals(Access.OWN, unwinder.access());
    assertEquals(symbol(program, "___register_frame_info"), unwinder.register());
    assertEquals(symbol(program, "__Unwind_GetIP"), unwinder.getIp());
    assertTrue(plan(program).stream().anyMatch(PlannedFunction::hasExits));
  }

  @Test
  void withoutSymbolsThereMayBeRoomBehindTheDescriptions() throws IOException {
    Path stripped = folder.resolve("stripped.exe");
    WindowsCompiler.stripAll32(
        program(WindowsCompiler.MINGW_CXX_32, "throws.cpp", "-O1"), stripped);
    GnuUnwinder unwinder = unwinder(stripped);
    assertEquals(Access.ROOM, unwinder.access());
    assertTrue(unwinder.room() >= GnuUnwinder.LEAST_ROOM);
    try (InputFile input = InputFile.map(stripped, "stripped.exe")) {
      assertEquals(0, PeImage.ofFile(input).view().i32(unwinder.end()));
    }
  }

  @Test
  void whereNothingLeadsToTheUnwinderOnlyEntriesAreRecorded() throws IOException {
    GnuUnwinder none = new GnuUnwinder(Access.NONE, -1, -1, -1, 0);
    Path program = program(WindowsCompiler.MINGW_CXX_32, "throws.cpp", "-O1");
    try (InputFile input = InputFile.map(program, program.toString())) {
      PeImage image = PeImage.ofFile(input);
      ModuleRules rules =
          new Ia32Rules(image, image.headers().imageBase(), ImageFunctions.of(image), none);
      PlannedFunction any = plan(program).getFirst();
      assertEquals(
          Optional.of(Kind.UNWINDER), rules.entriesOnly(any.patch()).map(SkipReason::kind));
    }
  }

  @Test
  void aProgramInCHasNone() throws IOException {
    assertEquals(GnuUnwinder.NONE, unwinder(program(WindowsCompiler.MINGW_C_32, "returns.c")));
  }

  @Test
  void programsFor64BitsFollowFunctionTables() throws IOException {
    assertEquals(
        GnuUnwinder.NONE, unwinder(program(WindowsCompiler.MINGW_CXX, "throws.cpp", "-O1")));
  }
}
