package io.ntrail.benchmarks.budgets;

import io.ntrail.benchmarks.EmptyMain;
import io.ntrail.benchmarks.EventsBenchmark;
import io.ntrail.benchmarks.ProcessRounds;
import io.ntrail.benchmarks.Times;
import io.ntrail.benchmarks.WalkBenchmark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Measures what people wait for beside its yardstick, and prints whether budgets are met.
 *
 * <p>Arguments: the number of rounds, the path of {@code ntrail}, a folder with the files that
 * {@code benchmarks/run --short} puts there. What is not there is not measured, and that is said.
 */
public final class BudgetBenchmark {
  private static final String EMPTY = "empty Java main";
  private static final int WALKS = 7;
  private static final long WARMING_NANOS = 3_000_000_000L;

  private final int rounds;
  private final String ntrail;
  private final Path folder;
  private final BudgetTable table = new BudgetTable();
  private final String java = System.getProperty("java.home") + "/bin/java";

  private BudgetBenchmark(int rounds, String ntrail, Path folder) {
    this.rounds = rounds;
    this.ntrail = ntrail;
    this.folder = folder;
  }

  /** Measures, and prints a line a figure. */
  public static void main(String[] args) throws IOException, InterruptedException {
    BudgetBenchmark budgets =
        new BudgetBenchmark(Integer.parseInt(args[0]), args[1], Path.of(args[2]));
    budgets.start();
    budgets.walks();
    budgets.recordings();
    budgets.code();
    budgets.symbols();
    budgets.calls();
    budgets.table.end();
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private boolean isThere(String name) {
    return Files.exists(folder.resolve(name));
  }

  private ProcessRounds rounds() {
    return new ProcessRounds()
        .add(
            EMPTY,
            java,
            "-Xlog:disable",
            "-cp",
            // Its own folder alone: a longer class path takes a third longer.
            EmptyMain.folder(),
            EmptyMain.class.getName());
  }

  private void start() throws IOException, InterruptedException {
    String small = file("tx-Process.etl");
    String large = file("etwanalyzer-TraceLoggingTester.etl");
    ProcessRounds runs =
        rounds()
            .add("--version", ntrail, "--version")
            .add("-h", ntrail, "-h")
            .add("info, 1.4 MB", ntrail, "info", small)
            .add("events --count, 1.4 MB", ntrail, "events", small, "--count")
            .add("profile, 1.4 MB", ntrail, "profile", file("shop.etl"))
            .add("image, 0.5 MB", ntrail, "image", file("kernel32.dll"))
            .add("symbols, 1.1 MB", ntrail, "symbols", file("softokn3.pdb"))
            .add("calls, 0.2 MB", ntrail, "calls", file("ntfs.jtrc"), "--flat")
            .add("info, 43 MB", ntrail, "info", large)
            .add("events --count, 43 MB", ntrail, "events", large, "--count")
            .run(4 * rounds);
    Times empty = runs.wall(EMPTY);
    budget(runs, "--version", empty, 0.5);
    budget(runs, "-h", empty, 0.5);
    for (String name :
        new String[] {
          "info, 1.4 MB",
          "events --count, 1.4 MB",
          "profile, 1.4 MB",
          "image, 0.5 MB",
          "symbols, 1.1 MB",
          "calls, 0.2 MB"
        }) {
      budget(runs, name, empty, 4);
    }
    budget(runs, "info, 43 MB", empty, 8);
    budget(runs, "events --count, 43 MB", empty, 6);
  }

  private void budget(ProcessRounds runs, String name, Times empty, double budget) {
    table.atMost(name, runs.wall(name), EMPTY, empty, budget);
  }

  private void walks() {
    walk("43 MB", "etwanalyzer-TraceLoggingTester.etl", 3);
    walk("big.etl", "big.etl", 6);
    try (OpenWalk walk = new OpenWalk(file("perfview-net452-x64.etl"))) {
      Times alone = times(walk.benchmark::decompressOnly);
      Times order = times(walk.benchmark::inOrder);
      table.atMost("walk of a compressed file in order", order, "decompressor", alone, 1.5);
      table.rate("the same", order, walk.records() / 1e6, "records", 5);
    }
  }

  private void walk(String name, String file, double budget) {
    try (OpenWalk walk = new OpenWalk(file(file))) {
      Times sum = times(walk.benchmark::sumOfWords);
      Times order = times(walk.benchmark::inOrder);
      table.atMost("walk in order, " + name, order, "sum of words", sum, budget);
      table.rate("the same", order, walk.records() / 1e6, "records", 10);
    }
  }

  private static Times times(Supplier<Object> work) {
    // Warm is when the compilers have come to rest, not after so many walks: short ones need more.
    long warm = System.nanoTime() + WARMING_NANOS;
    while (System.nanoTime() < warm) {
      run(work);
    }
    double[] millis = new double[WALKS];
    for (int i = 0; i < WALKS; i++) {
      long begun = System.nanoTime();
      run(work);
      millis[i] = (System.nanoTime() - begun) / 1e6;
    }
    return new Times(millis);
  }

  private static void run(Supplier<Object> work) {
    if (work.get() == null) {
      throw new AssertionError();
    }
  }

  private void recordings() throws IOException, InterruptedException {
    String big = file("big.etl");
    Times walk;
    try (OpenWalk open = new OpenWalk(big)) {
      walk = times(open.benchmark::inOrder);
    }
    ProcessRounds runs =
        new ProcessRounds()
            .onOne("info", ntrail, "info", big)
            .add("info, two", ntrail, "info", big)
            .onOne("events --count", ntrail, "events", big, "--count")
            .add("events --count, two", ntrail, "events", big, "--count")
            .onOne("profile", ntrail, "profile", big)
            .add("profile, two", ntrail, "profile", big)
            .run(rounds);
    for (String name : new String[] {"info", "events --count", "profile"}) {
      boolean isProfile = name.equals("profile");
      Times one = runs.wall(name);
      table.atMost(name + ", big.etl, one core", one, "walk in order", walk, isProfile ? 6 : 2.5);
      double gain = isProfile ? 1.6 : 1.7;
      table.atLeast(name + ", two cores", runs.wall(name + ", two"), "one core", one, gain);
    }
    ProcessRounds lines =
        new ProcessRounds()
            .onOne("lines", ntrail, "events", file("lines.etl"), "--format", "jsonl")
            .run(Math.max(1, rounds / 2));
    double millions;
    try (OpenWalk open = new OpenWalk(file("lines.etl"))) {
      millions = open.records() / 1e6;
    }
    table.rate("JSON Lines of all fields, one core", lines.wall("lines"), millions, "events", 0.8);
    EventsBenchmark events = new EventsBenchmark();
    events.file = file("lines.etl");
    Times warm = times(events::jsonLines);
    table.rate("JSON Lines of all fields, warm, one core", warm, millions, "events", 0.8);
  }

  private void code() throws IOException, InterruptedException {
    String image = file("wined3d.dll");
    if (!isThere("wined3d.dll")) {
      table.left("image --disasm all", "no wined3d.dll of Wine");
      return;
    }
    ProcessRounds runs =
        new ProcessRounds()
            .add("objdump", "objdump", "-d", "-M", "intel", image)
            .add("text", ntrail, "image", image, "--disasm", "all")
            .add("lines", ntrail, "image", image, "--disasm", "all", "--format", "jsonl")
            .run(rounds);
    Times objdump = runs.wall("objdump");
    table.atMost("image --disasm all, text", runs.wall("text"), "objdump", objdump, 1.3);
    table.atMost("image --disasm all, JSON Lines", runs.wall("lines"), "objdump", objdump, 2.5);
  }

  private void symbols() throws IOException, InterruptedException {
    symbols("softokn3.pdb", "1.1 MB", true);
    if (isThere("onnxruntime.pdb")) {
      symbols("onnxruntime.pdb", "217 MB", false);
    } else {
      table.left("symbols of 217 MB", "no onnxruntime 1.14.0 of Maven Central");
    }
  }

  private void symbols(String name, String size, boolean isSmall)
      throws IOException, InterruptedException {
    if (!isThere("llvm-pdbutil")) {
      table.left("symbols, " + size, "no llvm-pdbutil");
      return;
    }
    String pdbutil = file("llvm-pdbutil");
    String pdb = file(name);
    ProcessRounds runs =
        rounds()
            .add("llvm publics", pdbutil, "dump", "--publics", pdb)
            .add("publics", ntrail, "symbols", pdb, "--publics")
            .add("llvm lines", pdbutil, "dump", "-l", pdb)
            .add("lines", ntrail, "symbols", pdb, "--lines")
            .run(isSmall ? 2 * rounds : rounds);
    for (String what : new String[] {"publics", "lines"}) {
      Times llvm = runs.wall("llvm " + what);
      if (isSmall) {
        // The start may take four times an empty main, the rest twice llvm's time.
        Times allowed = llvm.scaled(2, 4 * runs.wall(EMPTY).median());
        table.atMost(
            "symbols --" + what + ", " + size, runs.wall(what), "start + 2 x llvm", allowed, 1);
      } else {
        table.atMost("symbols --" + what + ", " + size, runs.wall(what), "llvm", llvm, 4);
      }
    }
  }

  private void calls() throws IOException, InterruptedException {
    String calls = file("big.ntr");
    double millions = Integer.parseInt(Files.readString(folder.resolve("big.millions")).strip());
    ProcessRounds runs =
        new ProcessRounds()
            .onOne("one", ntrail, "calls", calls, "--flat")
            .add("two", ntrail, "calls", calls, "--flat")
            .run(rounds);
    Times one = runs.wall("one");
    table.rate("calls --flat, one core", one, 2 * millions, "records", 20);
    table.atLeast("calls --flat, two cores", runs.wall("two"), "one core", one, 1.7);
  }

  /** A recording that is walked over. */
  private static final class OpenWalk implements AutoCloseable {
    final WalkBenchmark benchmark = new WalkBenchmark();

    OpenWalk(String file) {
      benchmark.file = file;
      benchmark.open();
    }

    long records() {
      long records = 0;
      for (long kind : benchmark.inOrder()) {
        records += kind;
      }
      return records;
    }

    @Override
    public void close() {
      benchmark.close();
    }
  }
}
