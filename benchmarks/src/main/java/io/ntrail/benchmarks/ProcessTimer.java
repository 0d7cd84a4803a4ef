package io.ntrail.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures commands from start to end. All of them take turns, so that what else the machine does
 * hits all of them.
 */
final class ProcessTimer {
  private final Map<String, List<String>> commands = new LinkedHashMap<>();

  /** Adds a command; the first one is the yardstick of all others. */
  ProcessTimer add(String name, String... words) {
    commands.put(name, List.of(words));
    return this;
  }

  /** Runs the rounds, and one before them that does not count, and prints a line a command. */
  void run(int rounds) throws IOException, InterruptedException {
    Map<String, List<Double>> times = new LinkedHashMap<>();
    for (int round = -1; round < rounds; round++) {
      for (Map.Entry<String, List<String>> command : commands.entrySet()) {
        double millis = run(command.getValue());
        if (round >= 0) {
          times.computeIfAbsent(command.getKey(), k -> new ArrayList<>()).add(millis);
        }
      }
    }
    report(times);
  }

  private static double run(List<String> command) throws IOException, InterruptedException {
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(new File("/dev/null"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    int exit = process.waitFor();
    if (exit != 0) {
      throw new IllegalStateException(command + " ended with " + exit);
    }
    return (System.nanoTime() - start) / 1e6;
  }

  private static void report(Map<String, List<Double>> times) {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    double[] floor = sorted(times.values().iterator().next());
    out.printf("%-36s %8s %8s %8s%n", "milliseconds", "min", "median", "ratio");
    times.forEach((name, values) -> {
      double[] sorted = sorted(values);
      out.printf(
          Locale.ROOT,
          "%-36s %8.1f %8.1f %8.2f%n",
          name,
          sorted[0],
          sorted[sorted.length / 2],
          sorted[sorted.length / 2] / floor[floor.length / 2]);
    });
  }

  private static double[] sorted(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    return sorted;
  }
}
