package io.ntrail.cli.harness;

import io.ntrail.cli.Main;
import io.ntrail.cli.text.Terminal;
import io.ntrail.testkit.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs the program in a process of its own and says how much memory that took at most: what Linux
 * counted, of the heap as well as of native memory and mapped files.
 */
public final class PeakMemory {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String PEAK = "VmHWM:";

  /**
   * Result of a run.
   *
   * @param exit the exit code
   * @param peak bytes of memory
   * @param out the answer
   * @param err everything else
   */
  public record Run(int exit, long peak, String out, String err) {}

  private PeakMemory() {}

  /** Returns true where memory can be measured. */
  public static boolean canBeMeasured() {
    return Files.isReadable(STATUS);
  }

  /**
   * Runs it. The heap has room for all garbage, so that nobody collects what should not have been
   * made.
   */
  public static Run run(Path folder, String... words) throws IOException, InterruptedException {
    ExternalTool java =
        ExternalTool.of("java", Path.of(System.getProperty("java.home"), "bin", "java").toString());
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-XX:+UseSerialGC",
                "-Xmx3g",
                "-Xmn2g",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                PeakMemory.class.getName()));
    arguments.addAll(List.of(words));
    ExternalTool.Outcome outcome = java.run(folder, Map.of(), arguments.toArray(String[]::new));
    String[] told = outcome.errors().split(PEAK, 2);
    long peak = told.length < 2 ? -1 : Long.parseLong(told[1].strip().split(" ", 2)[0]) << 10;
    return new Run(outcome.exitCode(), peak, outcome.output(), told[0]);
  }

  /** The process: runs the program, and adds what it took to its messages. */
  public static void main(String[] words) throws IOException {
    Terminal terminal = Terminal.of(System.out, System.err);
    int exit = Main.run(words, terminal);
    for (String line : Files.readAllLines(STATUS)) {
      if (line.startsWith(PEAK)) {
        System.err.println(line);
      }
    }
    System.exit(exit);
  }
}
