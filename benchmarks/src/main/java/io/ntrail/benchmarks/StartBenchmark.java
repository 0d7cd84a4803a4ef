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
 * How long commands take from start to end, as whole processes, beside a Java program that does
 * nothing. All commands take turns, so that what else the machine does hits all of them.
 *
 * <p>Arguments: the number of rounds, the path of {@code ntrail}, the path of a recording of about
 * 1 MB.
 */
public final class StartBenchmark {
  private StartBenchmark() {}

  /** Runs the rounds and prints a line a command. */
  public static void main(String[] args) throws IOException, InterruptedException {
    int rounds = Integer.parseInt(args[0]);
    String ntrail = args[1];
    String file = args[2];
    String java = System.getProperty("java.home") + "/bin/java";
    Map<String, List<String>> commands = new LinkedHashMap<>();
    commands.put(
        "empty Java main",
        List.of(
            java,
            "-Xlog:disable",
            "-cp",
            System.getProperty("java.class.path"),
            EmptyMain.class.getName()));
    commands.put("ntrail --version", List.of(ntrail, "--version"));
    commands.put("ntrail -h", List.of(ntrail, "-h"));
    commands.put("ntrail info FILE", List.of(ntrail, "info", file));
    commands.put(
        "ntrail info FILE --format json", List.of(ntrail, "info", file, "--format", "json"));
    commands.put("ntrail events FILE --count", List.of(ntrail, "events", file, "--count"));
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
    out.printf("%-32s %8s %8s %8s%n", "milliseconds", "min", "median", "ratio");
    times.forEach((name, values) -> {
      double[] sorted = sorted(values);
      out.printf(
          Locale.ROOT,
          "%-32s %8.1f %8.1f %8.2f%n",
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
