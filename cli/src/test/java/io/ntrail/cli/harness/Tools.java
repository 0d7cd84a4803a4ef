package io.ntrail.cli.harness;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Programs of this machine. */
public final class Tools {
  public record Result(int exit, String out, String err) {}

  private Tools() {}

  public static boolean has(String tool) {
    String path = System.getenv("PATH");
    return path != null
        && Arrays.stream(path.split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
  }

  /** Skips the test if the tool is missing; fails if it must not be. */
  public static void assume(String tool) {
    if (!has(tool) && TestData.required(tool)) {
      fail("NTRAIL_REQUIRE demands " + tool);
    }
    assumeTrue(has(tool), "skipped: no " + tool + " on this machine");
  }

  public static Result run(String... words) throws IOException {
    Path out = Files.createTempFile("tool", ".out");
    Path err = Files.createTempFile("tool", ".err");
    try {
      Process process =
          new ProcessBuilder(words)
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .start();
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        fail("no end after 60 s: " + String.join(" ", words));
      }
      return new Result(
          process.exitValue(),
          Files.readString(out, StandardCharsets.UTF_8),
          Files.readString(err, StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }
}
