package io.ntrail.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Measures the time until 10,000 functions of a program, and of the system, are traced. */
public final class ArmingBenchmark {
  private static final int MANY = 10_000;

  private static final Set<String> SYSTEM =
      Set.of(
          "ntdll",
          "kernelbase",
          "kernel32",
          "msvcrt",
          "ucrtbase",
          "advapi32",
          "ws2_32",
          "user32",
          "gdi32",
          "sechost");

  private ArmingBenchmark() {}

  /** Rounds, and the program with many functions. */
  public static void main(String[] args) throws IOException {
    int rounds = Integer.parseInt(args[0]);
    Path program = Path.of(args[1]);
    LiveTrial trial = new LiveTrial();
    System.out.printf(
        "%-10s %6s %9s %8s %8s %8s %8s %8s%n",
        "what", "round", "functions", "start", "plan", "prepare", "arm", "stopped");
    for (int round = 1; round <= rounds; round++) {
      for (boolean system : new boolean[] {false, true}) {
        Path recording = Files.createTempFile("arm", ".ntr");
        LiveTrial.Run run =
            trial.run(
                recording,
                512,
                system ? Integer.MAX_VALUE : MANY,
                (module, name) ->
                    system
                        ? SYSTEM.contains(module.stem().toLowerCase(Locale.ROOT))
                        : module.name().endsWith(".exe")
                            && (name.isEmpty() || name.startsWith("f")),
                List.of(program.toString()));
        Files.delete(recording);
        System.out.printf(
            Locale.ROOT,
            "%-10s %6d %9d %8.1f %8.1f %8.1f %8.1f %8.1f%n",
            system ? "ten DLLs" : "program",
            round,
            run.traced(),
            run.startNanos() / 1e6,
            run.planNanos() / 1e6,
            run.prepareNanos() / 1e6,
            run.beginNanos() / 1e6,
            run.stoppedNanos() / 1e6);
      }
    }
  }
}
