package io.ntrail.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints how long commands take from start to end, each beside the first one. */
final class ProcessTimer {
  private final ProcessRounds commands = new ProcessRounds();
  private final List<String> names = new ArrayList<>();

  /** Adds a command; the first one is the yardstick of all others. */
  ProcessTimer add(String name, String... words) {
    commands.add(name, words);
    names.add(name);
    return this;
  }

  /** Runs the rounds, and one before them that does not count, and prints a line a command. */
  void run(int rounds) throws IOException, InterruptedException {
    commands.run(rounds);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    double yardstick = commands.wall(names.getFirst()).median();
    out.printf("%-36s %8s %8s %8s%n", "milliseconds", "min", "median", "ratio");
    for (String name : names) {
      Times times = commands.wall(name);
      out.printf(
          Locale.ROOT,
          "%-36s %8.1f %8.1f %8.2f%n",
          name,
          times.least(),
          times.median(),
          times.median() / yardstick);
    }
  }
}
