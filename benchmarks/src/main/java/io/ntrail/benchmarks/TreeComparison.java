package io.ntrail.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Compares two builds of ntrail, command by command, as whole processes that take turns.
 *
 * <p>Arguments: the number of rounds, the two launchers, and a file of commands: one per line, its
 * words separated by tabs; lines that begin with {@code #} are headings.
 */
public final class TreeComparison {
  private TreeComparison() {}

  /** Runs the rounds of each command, one before them that does not count, and prints a line. */
  public static void main(String[] args) throws IOException, InterruptedException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    int rounds = Integer.parseInt(args[0]);
    out.printf("%-44s %17s %17s %17s%n", "", "before", "after", "ratio");
    out.printf(
        "%-44s %8s %8s %8s %8s %8s %8s%n",
        "milliseconds", "min", "median", "min", "median", "min", "median");
    for (String line : Files.readAllLines(Path.of(args[3]))) {
      if (line.startsWith("#")) {
        out.println(line.substring(1).strip());
        continue;
      }
      List<String> words = List.of(line.split("\t", -1));
      double[][] times = new double[2][rounds];
      for (int round = -1; round < rounds; round++) {
        for (int tree = 0; tree < 2; tree++) {
          double millis = millis(args[1 + tree], words);
          if (round >= 0) {
            times[tree][round] = millis;
          }
        }
      }
      Arrays.sort(times[0]);
      Arrays.sort(times[1]);
      double before = times[0][rounds / 2];
      double after = times[1][rounds / 2];
      out.printf(
          Locale.ROOT,
          "%-44s %8.1f %8.1f %8.1f %8.1f %8.2f %8.2f%n",
          name(words),
          times[0][0],
          before,
          times[1][0],
          after,
          times[1][0] / times[0][0],
          after / before);
    }
  }

  private static String name(List<String> words) {
    StringBuilder name = new StringBuilder();
    for (String word : words) {
      name.append(name.isEmpty() ? "" : " ").append(word.substring(word.lastIndexOf('/') + 1));
    }
    return name.length() > 44 ? name.substring(0, 44) : name.toString();
  }

  private static double millis(String launcher, List<String> words)
      throws IOException, InterruptedException {
    String[] command = new String[words.size() + 1];
    command[0] = launcher;
    for (int i = 0; i < words.size(); i++) {
      command[i + 1] = words.get(i);
    }
    File nowhere = new File("/dev/null");
    long start = System.nanoTime();
    int exit =
        new ProcessBuilder(command)
            .redirectOutput(nowhere)
            .redirectError(nowhere)
            .start()
            .waitFor();
    // 3: the recording is damaged, or something is missing; the answer was given.
    if (exit != 0 && exit != 3) {
      throw new IllegalStateException(Arrays.toString(command) + " ended with " + exit);
    }
    return (System.nanoTime() - start) / 1e6;
  }
}
