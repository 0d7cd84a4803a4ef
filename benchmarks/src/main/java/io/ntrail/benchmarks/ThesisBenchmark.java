package io.ntrail.benchmarks;

import io.ntrail.benchmarks.LinearFit.Point;
import io.ntrail.benchmarks.TrialResult.Time;
import io.ntrail.live.target.TargetModule;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.ToDoubleFunction;

/**
 * Run time against events for growing sets of functions, as tables 8.2, 8.3 and 8.5 of the thesis
 * have it: of a program of 50,000 functions, beside uftrace, and of a script in Wine's Windows
 * Script Host ({@link ScriptTrial}). Those of 32-bit programs are shown beside what was measured on
 * x64 and what the thesis has. There uftrace cannot trace functions that were prepared for it
 * ({@code -P}): it finds none.
 */
public final class ThesisBenchmark {
  private static final int BUFFERS = 512;
  private static final int FUNCTIONS = 50_000;
  private static final int CALLS_EACH = 120;
  private static final int WORK = 150;

  /** Letters of the sets of {@code thesis.awk}, and how many functions each has. */
  private static final String SETS = "abcdefgh";

  private static final List<Integer> SIZES =
      List.of(10, 100, 1000, 10_000, 20_000, 30_000, 40_000, 50_000);

  private static final Path NOWHERE = Path.of("/dev/null");
  private static final int UFTRACE_EVENT = 16;
  private static final int SPILL = 32;
  private static final String TO_FILE = "generated program, to a file";
  private static final String THROWN_AWAY = "generated program, encoded and thrown away";
  private static final String PATCHABLE = "generated program, uftrace -P";
  private static final String PG = "generated program, uftrace -pg";
  private static final String SCRIPT = "script, to a file";

  private final LiveTrial trial = new LiveTrial();
  private final boolean isIa32;
  private final Path folder;
  private final Path out;
  private final Map<String, Map<String, List<TrialResult>>> tables = new LinkedHashMap<>();

  private ThesisBenchmark(Path folder, boolean isIa32) {
    this.isIa32 = isIa32;
    this.folder = folder;
    this.out = folder.resolve("out");
  }

  /**
   * Rounds, the folder with the programs, {@code x64} or {@code ia32}, and the folder of pictures
   * and their points.
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    int rounds = Integer.parseInt(args[0]);
    ThesisBenchmark benchmark = new ThesisBenchmark(Path.of(args[1]), args[2].equals("ia32"));
    for (int round = 0; round < rounds; round++) {
      benchmark.generated();
    }
    ScriptTrial script = new ScriptTrial(benchmark.trial, Path.of(args[1]), BUFFERS);
    for (int round = 0; round < rounds; round++) {
      script.round().forEach((set, sample) -> benchmark.add(SCRIPT, set, sample));
    }
    benchmark.tables.forEach(ThesisBenchmark::print);
    benchmark.plot(Path.of(args[3]));
  }

  /** One round of the generated program: untraced before and after it. */
  private void generated() throws IOException, InterruptedException {
    Time wine = untraced(List.of(trial.loader().toString()), "thesis.exe");
    Time plain = untraced(List.of(), "thesis-patchable");
    Map<String, Map<String, TrialResult>> round = new LinkedHashMap<>();
    for (int set = 0; set < SIZES.size(); set++) {
      String name = "%,d".formatted(SIZES.get(set));
      put(round, THROWN_AWAY, name, traced(set, NOWHERE));
      put(round, TO_FILE, name, traced(set, folder.resolve("thesis.ntr")));
      if (!isIa32) {
        List<String> options = List.of("-P", "^[a-%c]_".formatted(SETS.charAt(set)));
        put(round, PATCHABLE, name, uftrace(options, "thesis-patchable", SIZES.get(set)));
      }
    }
    put(round, PG, "%,d".formatted(FUNCTIONS), uftrace(List.of(), "thesis-pg", FUNCTIONS));
    Time wineAfter = untraced(List.of(trial.loader().toString()), "thesis.exe");
    Time plainAfter = untraced(List.of(), "thesis-patchable");
    round.forEach((table, samples) ->
        samples.forEach((set, sample) -> {
          boolean isNative = table.equals(PATCHABLE) || table.equals(PG);
          Time base = isNative ? plain.mean(plainAfter) : wine.mean(wineAfter);
          add(table, set, sample.beside(base));
        }));
  }

  private static void put(
      Map<String, Map<String, TrialResult>> round, String table, String set, TrialResult sample) {
    round.computeIfAbsent(table, _ -> new LinkedHashMap<>()).put(set, sample);
  }

  private void add(String table, String set, TrialResult sample) {
    tables
        .computeIfAbsent(table, _ -> new LinkedHashMap<>())
        .computeIfAbsent(set, _ -> new ArrayList<>())
        .add(sample);
  }

  private Time untraced(List<String> before, String program)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(before);
    words.add(folder.resolve(program).toString());
    words.addAll(arguments(before.isEmpty() ? out.toString() : trial.name(out)));
    run(words);
    return time();
  }

  private static List<String> arguments(String out) {
    return List.of(out, "" + CALLS_EACH, "" + WORK);
  }

  private TrialResult traced(int set, Path recording) throws IOException {
    // Symbols of 32-bit code begin with one more underscore.
    String name = "_?[a-%c]_\\d+".formatted(SETS.charAt(set));
    BiPredicate<TargetModule, String> wanted =
        (module, function) ->
            module.name().equals("thesis.exe") && (function.isEmpty() || function.matches(name));
    List<String> words = new ArrayList<>(List.of(folder.resolve("thesis.exe").toString()));
    words.addAll(arguments(trial.name(out)));
    LiveTrial.Run run = trial.run(recording, BUFFERS, FUNCTIONS, wanted, words);
    if (run.traced() != SIZES.get(set)) {
      throw new IOException(run.traced() + " functions traced: " + run.plan().byReason());
    }
    TrialResult sample = TrialResult.of(run, time());
    // Losses are counted in advance: at most one spill too many.
    long more = sample.events() - 2L * CALLS_EACH * run.traced();
    if (more < 0 || more > (sample.lost() == 0 ? 0 : SPILL)) {
      throw new IOException(sample + " is not what happened");
    }
    return sample;
  }

  private TrialResult uftrace(List<String> options, String program, int functions)
      throws IOException, InterruptedException {
    Path data = folder.resolve("uftrace.data");
    List<String> words = new ArrayList<>(List.of("uftrace", "record", "-d", data.toString()));
    words.addAll(options);
    words.add(folder.resolve(program).toString());
    words.addAll(arguments(out.toString()));
    run(words);
    long bytes = 0;
    try (var files = Files.list(data)) {
      for (Path file : files.toList()) {
        bytes += file.toString().endsWith(".dat") ? Files.size(file) : 0;
        Files.delete(file);
      }
    }
    Files.delete(data);
    long events = 2L * CALLS_EACH * functions;
    long lost = Math.max(0, events - bytes / UFTRACE_EVENT);
    return new TrialResult(functions, Time.NONE, time(), events, lost, bytes, 0, 0);
  }

  private void run(List<String> words) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(words)
            .directory(folder.toFile())
            .redirectInput(Redirect.from(NOWHERE.toFile()))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    if (process.waitFor() != 0) {
      throw new IOException(words + " ended with " + process.exitValue());
    }
  }

  /** A number of what a program wrote. */
  static double number(Path out, int index) throws IOException {
    return Double.parseDouble(Files.readString(out).split(" ", -1)[index]);
  }

  private Time time() throws IOException {
    return new Time(number(out, 0), number(out, 1));
  }

  private static void print(String table, Map<String, List<TrialResult>> sets) {
    System.out.printf("%n%s: median (least to most) of rounds%n", table);
    System.out.printf(
        "%-14s %9s %9s %9s %8s %10s %9s %7s %7s %7s %22s %9s %20s%n",
        "set",
        "functions",
        "time ms",
        "CPU ms",
        "MB",
        "events/s",
        "M events",
        "lost %",
        "unwinds",
        "reentr.",
        "overhead %",
        "/100 M",
        "ns/event");
    List<TrialResult> first = sets.values().iterator().next();
    System.out.printf(
        Locale.ROOT,
        "%-14s %9d %,9.0f %,9.0f%n",
        "untraced",
        0,
        median(first, s -> s.base().wall() / 1e6),
        median(first, s -> s.base().processor() / 1e6));
    sets.forEach((set, samples) ->
        System.out.printf(
            Locale.ROOT,
            "%-14s %,9d %,9.0f %,9.0f %8.1f %,10.0f %9.3f %7.2f %7.0f %7.0f %22s %9.2f %20s%n",
            set,
            samples.getFirst().functions(),
            median(samples, s -> s.time().wall() / 1e6),
            median(samples, s -> s.time().processor() / 1e6),
            median(samples, s -> s.bytes() / 1e6),
            median(samples, TrialResult::rate),
            median(samples, s -> s.events() / 1e6),
            median(samples, s -> 100.0 * s.lost() / s.events()),
            median(samples, TrialResult::unwinds),
            median(samples, TrialResult::reentrant),
            spread(samples, TrialResult::overhead),
            median(samples, TrialResult::overheadPerHundredMillion),
            spread(samples, TrialResult::nanosPerEvent)));
    List<Point> points = points(sets);
    if (sets.size() > 1) {
      LinearFit fit = LinearFit.of(points);
      System.out.printf(
          Locale.ROOT,
          "line: %.3f s + %.1f ns an event, explains %.2f %%, at most %.3f s beside it%n",
          fit.offset(),
          fit.slope() * 1e3,
          100 * fit.share(),
          fit.worst(points));
    }
  }

  private static double median(List<TrialResult> samples, ToDoubleFunction<TrialResult> what) {
    double[] sorted = samples.stream().mapToDouble(what).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private static String spread(List<TrialResult> samples, ToDoubleFunction<TrialResult> what) {
    double[] all = samples.stream().mapToDouble(what).sorted().toArray();
    return String.format(
        Locale.ROOT, "%.1f (%.1f to %.1f)", median(samples, what), all[0], all[all.length - 1]);
  }

  private static List<Point> points(Map<String, List<TrialResult>> sets) {
    return sets.values().stream()
        .flatMap(List::stream)
        .map(sample -> new Point(sample.events() / 1e6, sample.more() / 1e9))
        .toList();
  }

  private static void panel(
      ThesisPlot plot, String title, Map<String, List<Point>> points, Map<String, String> names) {
    plot.panel(
        title,
        names.entrySet().stream()
            .filter(name -> points.containsKey(name.getKey()))
            .map(name ->
                new ThesisPlot.Series(
                    name.getValue(), points.getOrDefault(name.getKey(), List.of())))
            .toList());
  }

  /** Draws what was measured, and keeps it. */
  private void plot(Path to) throws IOException {
    Map<String, List<Point>> points = new LinkedHashMap<>();
    tables.forEach((table, sets) -> points.put(table, points(sets)));
    Map<String, String> generated = new LinkedHashMap<>();
    generated.put(TO_FILE, "ntrail, to a file");
    generated.put(THROWN_AWAY, "ntrail, thrown away");
    generated.put(PATCHABLE, "uftrace -P, the same source");
    Map<String, String> script = Map.of(SCRIPT, "ntrail, to a file");
    ThesisPlot plot = new ThesisPlot();
    String bits = isIa32 ? ", 32-bit" : "";
    panel(plot, "50,000 generated functions" + bits, points, generated);
    panel(plot, "script in Windows Script Host" + bits, points, script);
    if (isIa32) {
      Map<String, List<Point>> x64 = PlotPoints.read(to.resolve("thesis.tsv"));
      panel(plot, "50,000 generated functions, x64", x64, generated);
      panel(plot, "script in Windows Script Host, x64", x64, script);
      Map<String, String> thesis = new LinkedHashMap<>();
      thesis.put("capturing only", "NTrace, capturing only");
      thesis.put("to disk", "NTrace, to disk");
      Map<String, List<Point>> in2008 = PlotPoints.read(to.resolve("thesis-2008.tsv"));
      panel(plot, "builds of the research kernel, 2008", in2008, thesis);
    }
    String name = isIa32 ? "thesis-ia32" : "thesis";
    PlotPoints.write(
        to.resolve(name + ".tsv"),
        "Runs that %s.svg shows: what was measured, million events, seconds more than untraced."
            .formatted(name),
        points);
    Files.writeString(to.resolve(name + ".svg"), plot.svg());
  }
}
