package io.ntrail.benchmarks;

import java.io.IOException;

/**
 * Measures commands as whole processes, beside a Java program that does nothing.
 *
 * <p>Arguments: the number of rounds, the path of {@code ntrail}, the path of a recording of about
 * 1 MB.
 */
public final class StartBenchmark {
  private StartBenchmark() {}

  /** Runs the rounds and prints a line a command. */
  public static void main(String[] args) throws IOException, InterruptedException {
    String ntrail = args[1];
    String file = args[2];
    String java = System.getProperty("java.home") + "/bin/java";
    new ProcessTimer()
        .add(
            "empty Java main",
            java,
            "-Xlog:disable",
            "-cp",
            EmptyMain.folder(),
            EmptyMain.class.getName())
        .add("ntrail --version", ntrail, "--version")
        .add("ntrail -h", ntrail, "-h")
        .add("ntrail info FILE", ntrail, "info", file)
        .add("ntrail info FILE --format json", ntrail, "info", file, "--format", "json")
        .add("ntrail events FILE --count", ntrail, "events", file, "--count")
        .run(Integer.parseInt(args[0]));
  }
}
