package io.ntrail.cli.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code standing.c} under Wine as {@code standing.exe}: fifty threads that stand until it ends.
 */
public final class StandingThreads {
  /** Output and exit code when nothing disturbs it. */
  private static final String UNDISTURBED = "sum 1872";

  private static final int CODE = 80;

  private StandingThreads() {}

  /** Starts it in a folder and waits until all threads stand; without Wine the test is skipped. */
  public static Spawned start(Path folder) throws Exception {
    Path program = folder.resolve("standing.exe");
    Files.copy(Spawned.program("standing.c"), program);
    return start(Wine.shared(), folder, program);
  }

  /**
   * Starts it in a folder as the 32-bit program {@code standing32.exe} in a Wine that runs those,
   * and waits until all threads stand; without a compiler the test is skipped.
   */
  public static Spawned start32(Wine wine, Path folder) throws Exception {
    WindowsCompiler compiler = WindowsCompiler.MINGW_C_32;
    assumeTrue(compiler.available(), compiler.missing());
    Path source = TestData.projectRoot().resolve("live/src/test/programs/standing.c");
    Path program = folder.resolve("standing32.exe");
    Files.copy(compiler.build(List.of(source), "-O2"), program);
    return start(wine, folder, program);
  }

  private static Spawned start(Wine wine, Path folder, Path program) throws Exception {
    Spawned standing =
        Spawned.start(
            wine, folder, "printed", List.of(wine.loader().toString(), program.toString(), "stop"));
    standing.awaitText("ready");
    return standing;
  }

  /** Lets it go on to its end, which has to be as if nothing had been. */
  public static void mustEndUndisturbed(Spawned standing, Path folder) throws Exception {
    Files.createFile(folder.resolve("stop"));
    assertEquals(CODE, standing.end(), standing.said());
    assertTrue(standing.said().strip().endsWith(UNDISTURBED), standing.said());
  }
}
