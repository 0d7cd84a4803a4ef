package io.ntrail.benchmarks;

import io.ntrail.benchmarks.TrialResult.Time;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.ThreadEventCursor;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.TracePlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A script in Wine's Windows Script Host, to which tracing attaches before it begins to work.
 *
 * <p>Its sets are made as those of the thesis: so that each has about a share of the events of all
 * functions. For that, functions of all modules are put in an order that has nothing to do with
 * what they do (by a checksum of where they lie), and a set has as many of them as a run with all
 * of them says.
 */
final class ScriptTrial {
  private static final String ROUNDS = "25";
  private static final double[] SHARES = {0.001, 0.01, 0.03, 0.1, 0.3, 0.6, 1};
  private static final long SECONDS = 120;

  private final LiveTrial trial;
  private final Path folder;
  private final int buffers;
  private @Nullable Map<String, Long> events;

  ScriptTrial(LiveTrial trial, Path folder, int buffers) {
    this.trial = trial;
    this.folder = folder;
    this.buffers = buffers;
  }

  /** One round: all sets, untraced before and after it. */
  Map<String, TrialResult> round() throws IOException, InterruptedException {
    if (events == null) {
      Path recording = folder.resolve("all.ntr");
      traced(recording, plan -> plan);
      events = count(recording);
    }
    Map<String, Long> counted = events;
    Time before = untraced();
    Map<String, TrialResult> samples = new LinkedHashMap<>();
    for (double share : SHARES) {
      Path recording = folder.resolve("script.ntr");
      samples.put("S" + 100 * share, traced(recording, plan -> set(plan, counted, share)));
    }
    Time base = before.mean(untraced());
    samples.replaceAll((_, sample) -> sample.beside(base));
    return samples;
  }

  private Process start() throws IOException, InterruptedException {
    for (String name : List.of("ready", "go", "out", "end")) {
      Files.deleteIfExists(folder.resolve(name));
    }
    Process process =
        new ProcessBuilder(
                trial.loader().toString(),
                // With its whole name it is the loader's own process, whose times are to be had.
                "C:\\windows\\system32\\cscript.exe",
                "//B",
                trial.name(folder.resolve("thesis.js")),
                trial.name(folder.resolve("ready")),
                waitFor("go"),
                trial.name(folder.resolve("out")),
                ROUNDS,
                waitFor("end"))
            .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!Files.exists(folder.resolve("ready"))) {
      if (System.nanoTime() > end || !process.isAlive()) {
        throw new IOException("the script does not begin");
      }
      Thread.sleep(10);
    }
    // Until the program is started that it waits for.
    Thread.sleep(500);
    return process;
  }

  private String waitFor(String name) {
    return trial.name(folder.resolve("wait.exe")) + " " + trial.name(folder.resolve(name));
  }

  /** Lets the script work and end; what it took is measured in between. */
  private Time work(Process process) {
    try {
      long before = processor(process);
      Files.createFile(folder.resolve("go"));
      Path out = folder.resolve("out");
      while (!Files.exists(out) || Files.size(out) == 0) {
        if (!process.isAlive()) {
          throw new IOException("the script failed");
        }
        Thread.sleep(5);
      }
      Time time = new Time(ThesisBenchmark.number(out, 0), processor(process) - before);
      Files.createFile(folder.resolve("end"));
      return time;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  private static long processor(Process process) throws IOException {
    long nanos = process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    if (nanos == 0) {
      throw new IOException("no processor time of the script");
    }
    return nanos;
  }

  private Time untraced() throws IOException, InterruptedException {
    Process process = start();
    Time time = work(process);
    end(process);
    return time;
  }

  private static void end(Process process) throws IOException, InterruptedException {
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException("the script failed");
    }
  }

  private TrialResult traced(Path recording, UnaryOperator<TracePlan> cut)
      throws IOException, InterruptedException {
    Process process = start();
    Time[] time = {Time.NONE};
    LiveTrial.Run run =
        trial.attached(
            recording, buffers, "cscript", (_, _) -> true, cut, () -> time[0] = work(process));
    end(process);
    return TrialResult.of(run, time[0]);
  }

  /** Events of each function that came into the file. */
  private static Map<String, Long> count(Path recording) throws IOException {
    Map<Long, long[]> counts = new HashMap<>();
    Map<String, Long> events = new HashMap<>();
    Gaps gaps = new Gaps();
    try (NtrFile file = NtrFile.open(InputFile.map(recording, "all"), gaps)) {
      for (long thread : file.threadsWithEvents()) {
        try (ThreadEventCursor cursor = file.cursor(thread, gaps)) {
          while (cursor.next()) {
            counts.computeIfAbsent(cursor.function(), _ -> new long[1])[0]++;
          }
        }
      }
      counts.forEach((number, count) -> {
        TracedFunction function = file.functions().get(number);
        TracedModule module = function == null ? null : file.modules().get(function.module());
        if (function != null && module != null) {
          events.put(key(module.path(), function.rva()), count[0]);
        }
      });
    }
    return events;
  }

  private static String key(String module, long rva) {
    return module.substring(module.lastIndexOf('\\') + 1) + "+" + rva;
  }

  private static String key(PlannedFunction function) {
    return key(function.module().module().path(), function.rva());
  }

  private static long order(PlannedFunction function) {
    CRC32 sum = new CRC32();
    for (char c : key(function).toCharArray()) {
      sum.update(c);
    }
    return sum.getValue();
  }

  private static TracePlan set(TracePlan plan, Map<String, Long> events, double share) {
    List<PlannedFunction> all = new ArrayList<>(plan.functions());
    all.removeIf(function -> !function.isTraced());
    all.sort(Comparator.comparingLong(ScriptTrial::order));
    long wanted = Math.round(share * events.values().stream().mapToLong(count -> count).sum());
    long sum = 0;
    int most = 0;
    while (most < all.size() && (share == 1 || sum < wanted)) {
      sum += events.getOrDefault(key(all.get(most)), 0L);
      most++;
    }
    return new TracePlan(all.subList(0, most), plan.remarks());
  }
}
