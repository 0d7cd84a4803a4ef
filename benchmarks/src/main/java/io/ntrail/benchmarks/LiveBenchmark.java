package io.ntrail.benchmarks;

import io.ntrail.live.target.TargetModule;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures the cost of tracing a call, and the calls a second that can be recorded.
 *
 * <p>A program measures itself while it calls a function that does next to nothing ({@code
 * leaf.c}): without tracing, with uftrace, and with tracing by us, in turn. What is called the cost
 * is what the traced function took beyond its twin in the same process, slices of both in turn.
 */
public final class LiveBenchmark {
  private static final int SLICES = 10;
  private static final int CALLS = 2_000_000;

  /** Pairs of entry and exit that fit into the largest session file: none can be lost. */
  private static final int FITTING = 2_000_000;

  private static final int MOST_BUFFERS = 2048;
  private static final int BUFFERS = 512;

  /** Work between calls with which the recorder keeps up on this machine by far. */
  private static final int SLOW = 200;

  private static final int RATE_SECONDS = 3;
  private static final int MOST_WORK = 400;

  private final LiveTrial trial = new LiveTrial();
  private final boolean isIa32;
  private final Path folder;
  private final Path out;
  private final Map<String, List<Double>> figures = new LinkedHashMap<>();

  private LiveBenchmark(Path folder, boolean isIa32) {
    this.isIa32 = isIa32;
    this.folder = folder;
    this.out = folder.resolve("out");
  }

  /** Rounds, the folder with the programs, and {@code x64} or {@code ia32}. */
  public static void main(String[] args) throws IOException, InterruptedException {
    LiveBenchmark benchmark = new LiveBenchmark(Path.of(args[1]), args[2].equals("ia32"));
    benchmark.costs(Integer.parseInt(args[0]));
    for (int threads = 1; threads <= 2; threads++) {
      benchmark.rates(threads);
    }
  }

  private void costs(int rounds) throws IOException, InterruptedException {
    for (int round = 0; round < rounds; round++) {
      plain("untraced native", List.of(), "leaf", 0);
      uftrace("uftrace -pg", List.of(), "leaf-pg");
      if (!isIa32) {
        // Of 32-bit programs it finds no function that was prepared for it.
        uftrace("uftrace -fpatchable-function-entry", List.of("-P", "."), "leaf-patchable");
      }
      List<String> wine = List.of(trial.loader().toString());
      plain("untraced Wine", wine, "leaf.exe", 0);
      plain("untraced Wine, slow", wine, "leaf.exe", SLOW);
      traced("captured", MOST_BUFFERS, 1, FITTING, 0);
      traced("saturated", BUFFERS, SLICES, CALLS, 0);
      traced("recorded", BUFFERS, SLICES, CALLS, SLOW);
    }
    System.out.printf("%-52s %9s %9s %9s%n", "", "median", "min", "max");
    figures.forEach((name, values) -> {
      double[] all = values.stream().mapToDouble(v -> v).sorted().toArray();
      System.out.printf(
          Locale.ROOT, "%-52s %9.2f %9.2f %9.2f%n", name, median(all), all[0], all[all.length - 1]);
    });
  }

  private void plain(String name, List<String> before, String program, int work)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(before);
    words.add(folder.resolve(program).toString());
    words.addAll(cost(before.isEmpty() ? out.toString() : trial.name(out), SLICES, CALLS, work));
    run(words);
    read(name);
  }

  private void uftrace(String name, List<String> options, String program)
      throws IOException, InterruptedException {
    Path data = folder.resolve("uftrace.data");
    List<String> words = new ArrayList<>(List.of("uftrace", "record", "-d", data.toString()));
    words.addAll(options);
    words.add(folder.resolve(program).toString());
    words.addAll(cost(out.toString(), SLICES, CALLS, 0));
    run(words);
    read(name);
    long bytes = 0;
    try (var files = Files.list(data)) {
      for (Path file : files.toList()) {
        bytes += file.toString().endsWith(".dat") ? Files.size(file) : 0;
        Files.delete(file);
      }
    }
    add(name + ": bytes an event", (double) bytes / (2L * SLICES * CALLS));
    Files.delete(data);
  }

  private void run(List<String> words) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(words)
            .directory(folder.toFile())
            .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    if (process.waitFor() != 0) {
      throw new IOException(words + " ended with " + process.exitValue());
    }
  }

  private static List<String> cost(String out, int slices, int calls, int work) {
    return List.of(out, "cost", "" + slices, "" + calls, "" + work);
  }

  private void traced(String name, int buffers, int slices, int calls, int work)
      throws IOException {
    Path recording = folder.resolve("leaf.ntr");
    List<String> words = new ArrayList<>(List.of(folder.resolve("leaf.exe").toString()));
    words.addAll(cost(trial.name(out), slices, calls, work));
    LiveTrial.Run run = trial.run(recording, buffers, 1, LiveBenchmark::isLeaf, words);
    if (run.traced() != 1) {
      throw new IOException("the leaf cannot be traced: " + run.plan().byReason());
    }
    read(name);
    add(name + ": bytes an event", (double) run.statistics().bytes() / run.events());
    add(name + ": lost, %", 100 * run.lost());
    double nanos = 1e9 / run.ticksPerSecond();
    add("measured in the target: pair", run.cost().pair() * nanos);
    add("measured in the target: without clock", run.cost().withoutClock() * nanos);
    add("measured in the target: without clock and records", run.cost().withoutRecords() * nanos);
    add("measured in the target: 2 x rdtsc", run.cost().clock() * nanos);
    add("measured in the target: pair / 2 x rdtsc", run.cost().pair() / run.cost().clock());
    Files.delete(recording);
  }

  private static boolean isLeaf(TargetModule module, String name) {
    return module.name().equals("leaf.exe") && (name.isEmpty() || name.equals("leaf"));
  }

  /** Takes the medians of what the program wrote about its slices. */
  private void read(String name) throws IOException {
    List<String> lines = Files.readAllLines(out);
    double[][] columns = new double[3][lines.size()];
    for (int i = 0; i < lines.size(); i++) {
      String[] cells = lines.get(i).split(" ", -1);
      for (int c = 0; c < 3; c++) {
        columns[c][i] = Double.parseDouble(cells[c]);
      }
    }
    for (double[] column : columns) {
      Arrays.sort(column);
    }
    double pair = median(columns[1]) - median(columns[0]);
    add(name + ": twin", median(columns[0]));
    if (name.startsWith("untraced")) {
      add(name + ": leaf", median(columns[1]));
      add(name + ": 2 x rdtsc", median(columns[2]));
    } else {
      add(name + ": pair", pair);
      add(name + ": pair / 2 x rdtsc", pair / median(columns[2]));
    }
  }

  private static double median(double[] sorted) {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private void add(String name, double value) {
    figures.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
  }

  /** The least work between calls with which nothing is lost, by halving. */
  private void rates(int threads) throws IOException {
    System.out.printf("%n%d thread(s): work, M events/s that happen, lost %%%n", threads);
    rate(threads, 0);
    int lossy = 0;
    int lossless = MOST_WORK;
    while (lossless - lossy > Math.max(2, lossless / 16)) {
      int work = (lossy + lossless) / 2;
      if (rate(threads, work)) {
        lossless = work;
      } else {
        lossy = work;
      }
    }
    rate(threads, lossless);
  }

  private boolean rate(int threads, int work) throws IOException {
    Path recording = folder.resolve("leaf.ntr");
    LiveTrial.Run run =
        trial.run(
            recording,
            BUFFERS,
            1,
            LiveBenchmark::isLeaf,
            List.of(
                folder.resolve("leaf.exe").toString(),
                trial.name(out),
                "rate",
                "" + RATE_SECONDS,
                "" + threads,
                "" + work));
    double rate = 0;
    for (String line : Files.readAllLines(out)) {
      String[] cells = line.split(" ", -1);
      rate += 2e3 * Double.parseDouble(cells[0]) / Double.parseDouble(cells[1]);
    }
    double lost = 100 * run.lost();
    System.out.printf(
        Locale.ROOT,
        "%4d %8.2f %8.3f   (%.2f bytes an event)%n",
        work,
        rate,
        lost,
        (double) run.statistics().bytes() / run.events());
    Files.delete(recording);
    return lost == 0;
  }
}
