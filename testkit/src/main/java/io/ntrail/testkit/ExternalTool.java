package io.ntrail.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program of others that judges what ntrail writes, or says what ntrail should have read. Where
 * it is not installed, tests that need it are skipped visibly, unless {@code NTRAIL_REQUIRE} lists
 * its word:
 *
 * {@snippet :
 * assumeTrue(TOOL.available(), TOOL.missing());
 * }
 *
 * @param word of {@code NTRAIL_REQUIRE}
 * @param candidates names to look for on the PATH, or whole paths; the first one found is used
 */
public record ExternalTool(String word, List<String> candidates) {
  private static final long PATIENCE_SECONDS = 240;

  /** Result of a run. */
  public record Outcome(int exitCode, String output, String errors) {}

  /** A tool with these names. */
  public static ExternalTool of(String word, String... candidates) {
    return new ExternalTool(word, List.of(candidates));
  }

  private Optional<Path> find() {
    String path = System.getenv("PATH");
    List<Path> folders =
        path == null ? List.of() : Stream.of(path.split(":")).map(Path::of).toList();
    for (String candidate : candidates) {
      if (candidate.startsWith("/")) {
        if (Files.isExecutable(Path.of(candidate))) {
          return Optional.of(Path.of(candidate));
        }
        continue;
      }
      for (Path folder : folders) {
        if (Files.isExecutable(folder.resolve(candidate))) {
          return Optional.of(folder.resolve(candidate));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Returns true if it is installed; the condition of an assumption.
   *
   * @throws IllegalStateException if it is not and {@code NTRAIL_REQUIRE} demands it
   */
  public boolean available() {
    if (find().isPresent()) {
      return true;
    }
    if (TestData.required(word)) {
      throw new IllegalStateException("NTRAIL_REQUIRE demands " + word + ": " + missing());
    }
    return false;
  }

  /** Reason to skip a test where {@link #available} is false. */
  public String missing() {
    return "not installed: " + String.join(" or ", candidates);
  }

  /**
   * Returns its path.
   *
   * @throws IllegalStateException if it is not installed
   */
  public String path() {
    return find().orElseThrow(() -> new IllegalStateException(missing())).toString();
  }

  /** Runs it in a folder, and waits for its end. */
  public Outcome run(Path folder, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(path());
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile("output", ".txt");
    Path errors = Files.createTempFile("errors", ".txt");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectOutput(output.toFile())
              .redirectError(errors.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new IllegalStateException(command + " did not end");
      }
      return new Outcome(process.exitValue(), text(output), text(errors));
    } finally {
      Files.deleteIfExists(output);
      Files.deleteIfExists(errors);
    }
  }

  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
  }
}
