package io.ntrail.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whole processes, all of them in turn, so that what else the machine does hits all of them; with
 * the time that passes and their processor time.
 */
public final class ProcessRounds {
  /** Takes time and processor time, in seconds, as the last line of its standard error. */
  private static final String TIMED = "TIMEFORMAT='%3R %3U %3S'; time \"$@\" >/dev/null";

  private record Run(double wall, double processor) {}

  private final Map<String, List<String>> commands = new LinkedHashMap<>();
  private final Map<String, List<Run>> runs = new LinkedHashMap<>();

  /** No command. */
  public ProcessRounds() {}

  /** Adds a command. */
  public ProcessRounds add(String name, String... words) {
    commands.put(name, List.of(words));
    return this;
  }

  /** Adds a command that has one processor. */
  public ProcessRounds onOne(String name, String... words) {
    List<String> all = new ArrayList<>(List.of("taskset", "-c", "0"));
    all.addAll(List.of(words));
    commands.put(name, all);
    return this;
  }

  /** Runs all commands, first once without measuring, so that files are in memory. */
  public ProcessRounds run(int rounds) throws IOException, InterruptedException {
    for (int round = -1; round < rounds; round++) {
      for (Map.Entry<String, List<String>> command : commands.entrySet()) {
        Run run = run(command.getValue());
        if (round >= 0) {
          runs.computeIfAbsent(command.getKey(), _ -> new ArrayList<>()).add(run);
        }
      }
    }
    return this;
  }

  /** Returns the times that passed. */
  public Times wall(String name) {
    return new Times(of(name).stream().mapToDouble(Run::wall).toArray());
  }

  /** Returns the processor times, of the kernel too. */
  public Times processor(String name) {
    return new Times(of(name).stream().mapToDouble(Run::processor).toArray());
  }

  private List<Run> of(String name) {
    return runs.getOrDefault(name, List.of());
  }

  private static Run run(List<String> command) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of("bash", "-c", TIMED, "time"));
    words.addAll(command);
    Process process = new ProcessBuilder(words).redirectOutput(new File("/dev/null")).start();
    String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    int exit = process.waitFor();
    // 3: the answer is not complete, as it is for some of the recordings.
    if (exit != 0 && exit != 3) {
      throw new IllegalStateException(command + " ended with " + exit + ": " + said);
    }
    String[] seconds = said.strip().substring(said.strip().lastIndexOf('\n') + 1).split(" ", -1);
    return new Run(
        1000 * Double.parseDouble(seconds[0]),
        1000 * (Double.parseDouble(seconds[1]) + Double.parseDouble(seconds[2])));
  }
}
