package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Machines that the programs of tests are built for, each with the Wine that runs them. */
enum Machine {
  X64(MachineType.AMD64, "64-bit", "registers.c"),
  X86(MachineType.I386, "32-bit", "registers32.c");

  private final int type;
  private final String title;
  private final String registers;

  Machine(int type, String title, String registers) {
    this.type = type;
    this.title = title;
    this.registers = registers;
  }

  /** Returns its {@link MachineType}. */
  int type() {
    return type;
  }

  /** Returns the program that compares registers and flags. */
  String registers() {
    return registers;
  }

  /** Returns the Wine that all tests share; where there is none, the test is skipped. */
  Wine wine() {
    if (this == X64) {
      assumeTrue(Wine.available(), Wine.missing());
      return Wine.shared();
    }
    assumeTrue(Wine.available32(), Wine.missing32());
    return Wine.shared32();
  }

  /**
   * Builds one of the programs in {@code src/test/programs}: C, C++ or assembly, by the name's end;
   * C with __try has a name of its own. For 32 bits, {@code registers.c} has a twin; {@code
   * step.c}, {@code walk.c} and {@code wide.c} are about unwind data and registers of x64. GCC's
   * exceptions are those of the model DW2 there; no compiler here has others (SJLJ).
   *
   * @param options of the compiler
   */
  Path build(List<String> options, String... sources) throws IOException {
    Path programs = TestData.projectRoot().resolve("live/src/test/programs");
    List<Path> paths = Stream.of(sources).map(programs::resolve).toList();
    boolean isClang = sources[0].startsWith("seh");
    WindowsCompiler compiler = compiler(isClang, sources[0].endsWith(".cpp"));
    assumeTrue(compiler.available(), compiler.missing());
    return compiler.build(
        paths,
        Stream.concat(Stream.of(isClang ? "-O1" : "-O2"), options.stream()).toArray(String[]::new));
  }

  private WindowsCompiler compiler(boolean isClang, boolean isCxx) {
    if (this == X64) {
      return isClang
          ? WindowsCompiler.CLANG
          : isCxx ? WindowsCompiler.MINGW_CXX : WindowsCompiler.MINGW_C;
    }
    return isClang
        ? WindowsCompiler.CLANG_32
        : isCxx ? WindowsCompiler.MINGW_CXX_32 : WindowsCompiler.MINGW_C_32;
  }

  @Override
  public String toString() {
    return title;
  }
}
