package io.ntrail.testkit.code;

import io.ntrail.testkit.TestData;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Programs of others that tests compare with: whether they are there, and running them. */
public final class Oracle {
  private static final int MINUTES = 5;

  private Oracle() {}

  /**
   * Returns true if a program can be found on the path.
   *
   * @throws IllegalStateException if it cannot and {@code NTRAIL_REQUIRE} demands {@code word}
   */
  public static boolean available(String program, String word) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    boolean found =
        Arrays.stream(path.split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    if (!found && TestData.required(word)) {
      throw new IllegalStateException("NTRAIL_REQUIRE demands " + word + ": no " + program);
    }
    return found;
  }

  /** Runs a program and returns what it prints; its failure is a failure of the test. */
  public static String run(Path folder, String... command) throws IOException {
    Path output = Files.createTempFile(folder, "output", ".txt");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
        throw new IOException("still running: " + String.join(" ", command));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted: " + String.join(" ", command), e);
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(output, StandardCharsets.UTF_8);
    if (process.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + ": " + text);
    }
    return text;
  }

  /**
   * Compiles a C source of the testkit with gcc.
   *
   * @return the program, or empty if gcc refuses, as it does where a library is missing
   */
  static Optional<Path> compile(Path folder, String source, String... libraries)
      throws IOException {
    return compile(Oracle.class, folder, source, libraries);
  }

  /**
   * Compiles a C source of the testkit with gcc.
   *
   * @param owner a class of the package that has the source
   * @return the program, or empty if gcc refuses, as it does where a library is missing
   */
  public static Optional<Path> compile(
      Class<?> owner, Path folder, String source, String... libraries) throws IOException {
    Path file = folder.resolve(source);
    try (InputStream in = owner.getResourceAsStream(source)) {
      if (in == null) {
        throw new IOException("no " + source);
      }
      Files.write(file, in.readAllBytes());
    }
    Path program = folder.resolve(source.replace(".c", ""));
    List<String> command =
        new ArrayList<>(List.of("gcc", "-O2", "-o", program.toString(), file.toString()));
    for (String library : libraries) {
      command.add("-l" + library);
    }
    try {
      run(folder, command.toArray(String[]::new));
    } catch (IOException e) {
      return Optional.empty();
    }
    return Optional.of(program);
  }
}
