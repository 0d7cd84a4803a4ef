package io.ntrail.cli.harness;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The program as {@code build/launcher.sh} laid it out for {@code ./ntrail}: jars, and caches for
 * its start. Tests that start processes take a third of the time with it.
 *
 * @param folder of the jars
 * @param run shell variables that {@code ./ntrail} reads
 */
record LaidOutProgram(Path folder, Map<String, String> run) {
  /** True if {@code ./check} laid out what is tested: else it may be older than the classes. */
  private static final boolean IS_CURRENT = Boolean.getBoolean("ntrail.laid.out");

  private static final Path DIST = Path.of("cli", "target", "dist");

  /** Read once. */
  private static final class Current {
    static final LaidOutProgram PROGRAM = read(TestData.projectRoot().resolve(DIST));
  }

  /** Returns the one that belongs to the classes that are tested; empty outside {@code ./check}. */
  static Optional<LaidOutProgram> ofCheck() {
    return IS_CURRENT ? Optional.of(Current.PROGRAM) : Optional.empty();
  }

  private static LaidOutProgram read(Path dist) {
    Map<String, String> run = new HashMap<>();
    try {
      for (String line : Files.readAllLines(dist.resolve("run"))) {
        String[] parts = line.split("=", 2);
        run.put(parts[0].replace("run_", ""), parts[1].replaceAll("^'|'$", ""));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new LaidOutProgram(dist.resolve(run.get("digest")), Map.copyOf(run));
  }

  private List<String> words(String variable) {
    return Arrays.stream(run.getOrDefault(variable, "").strip().split(" +"))
        .filter(word -> !word.isEmpty())
        .toList();
  }

  /**
   * Returns the options of a JVM, and the class that it starts.
   *
   * @param command whose cache is taken
   */
  List<String> start(String command) {
    List<String> caches = words("caches");
    List<String> options = new ArrayList<>();
    String kind = caches.contains(command) ? command : "all";
    if (caches.contains(kind)) {
      Path cache = folder.resolve("ntrail-" + run.get("digest") + "-" + kind + ".aot");
      options.add("-XX:AOTCache=" + cache);
      options.add("-Dntrail.aot=" + cache);
    }
    options.addAll(words("flags"));
    // As ./ntrail starts what does not run for long.
    options.addAll(
        List.of(
            "-XX:+UseSerialGC", "-Xmn32m", "-XX:TieredStopAtLevel=1", "-XX:-AOTReplayTraining"));
    if (Files.isDirectory(Path.of("/sys/kernel/mm/transparent_hugepage"))) {
      options.add("-XX:+UseTransparentHugePages");
    }
    if (command.equals("trace")) {
      options.add("-XX:Tier3BackEdgeThreshold=3000");
    }
    options.add("-cp");
    options.add(
        words("jars").stream()
            .map(jar -> folder.resolve(jar).toString())
            .collect(Collectors.joining(":")));
    options.add("io.ntrail.cli.Main");
    return options;
  }
}
