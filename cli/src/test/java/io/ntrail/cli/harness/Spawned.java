package io.ntrail.cli.harness;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.Await;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A process beside the test, with the Wine of the tests. What it says goes into a file: the
 * system's own programs would keep a pipe open. Nothing is waited for longer than two minutes.
 */
public final class Spawned implements AutoCloseable {
  private static final long SECONDS = 120;

  /** A script in the background starts its programs with Ctrl+C ignored: these hear of it. */
  private static final List<String> DEFAULT_SIGNALS = List.of("env", "--default-signal=INT");

  private static final List<String> IGNORED_INTERRUPT = List.of("env", "--ignore-signal=INT");

  private final Process process;
  private final Path output;

  private Spawned(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * Starts it.
   *
   * @param folder where it runs
   * @param output a file of the folder for all that it says
   */
  public static Spawned start(Path folder, String output, List<String> command) throws IOException {
    return start(Wine.shared(), folder, output, command);
  }

  /** Starts it as scripts start programs in the background: Ctrl+C is ignored. */
  public static Spawned startWithoutInterrupt(Path folder, String output, List<String> command)
      throws IOException {
    return start(Wine.shared(), folder, output, command, IGNORED_INTERRUPT);
  }

  /** Starts it with another Wine. */
  public static Spawned start(Wine wine, Path folder, String output, List<String> command)
      throws IOException {
    return start(wine, folder, output, command, DEFAULT_SIGNALS);
  }

  private static Spawned start(
      Wine wine, Path folder, String output, List<String> command, List<String> signals)
      throws IOException {
    Path file = folder.resolve(output);
    List<String> all = new ArrayList<>(signals);
    all.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(all)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(file.toFile());
    builder.environment().putAll(wine.environment());
    return new Spawned(builder.start(), file);
  }

  /**
   * Builds one of the programs that are traced; without Wine or a compiler, the test is skipped.
   *
   * @param libraries options of the compiler that name them
   */
  public static Path program(String source, String... libraries) throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path file = TestData.projectRoot().resolve("live/src/test/programs").resolve(source);
    String[] options = Stream.concat(Stream.of("-O2"), Stream.of(libraries)).toArray(String[]::new);
    return WindowsCompiler.MINGW_C.build(List.of(file), options);
  }

  public Process process() {
    return process;
  }

  /** All that it has said so far. */
  public String said() throws IOException {
    return Files.readString(output, StandardCharsets.ISO_8859_1);
  }

  /** Waits until it has said something. */
  public void awaitText(String text) throws Exception {
    try {
      Await.until(
          "it says \"" + text + "\"",
          () -> {
            boolean over = !process.isAlive();
            if (said().contains(text)) {
              return true;
            }
            if (over) {
              throw new AssertionError("it did not say \"" + text + "\"");
            }
            return false;
          });
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; it said: " + said(), e);
    }
  }

  /** Waits for its end, and returns its exit code. */
  public int end() throws IOException, InterruptedException {
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("it did not end: " + said());
    }
    return process.exitValue();
  }

  /** Kills it with all that it started. */
  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
