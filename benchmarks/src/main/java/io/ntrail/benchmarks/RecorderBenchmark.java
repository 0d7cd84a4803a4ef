package io.ntrail.benchmarks;

import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.live.session.Recorder;
import io.ntrail.live.session.RecorderSettings;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.session.RecorderThread;
import io.ntrail.live.session.SessionFile;
import io.ntrail.testkit.live.SimulatedTarget;
import io.ntrail.testkit.live.SimulatedThread;
import io.ntrail.testkit.ntr.SyntheticProgram;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The recorder of live tracing: from chunks of a session file, as simulated threads fill them, to a
 * {@code .ntr} file, chunks made zero and offered again; beside a copy of the same bytes. Processor
 * time of the recorder alone. Then what a recorder takes that has nothing to do.
 *
 * <p>Arguments: the number of rounds, millions of events, an empty folder to work in.
 */
public final class RecorderBenchmark {
  private static final int THREADS = 8;
  private static final int FUNCTIONS = 1500;
  private static final int CHUNKS = 512;
  private static final int RECORDS = 2047;
  private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

  private final int disorder;
  private final SessionFile session;
  private final SimulatedTarget target;
  private final long[] copy = new long[1 << 20];
  private final List<Filling> threads = new ArrayList<>();
  private long nanos;
  private long copyNanos;
  private long bytes;

  private RecorderBenchmark(int disorder) throws IOException {
    this.disorder = disorder;
    session = SessionFile.create(32, CHUNKS);
    target = SimulatedTarget.map(session.path());
  }

  /** Runs the rounds and prints a line for each program. */
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Path folder = Path.of(args[2]);
    out.printf("%-36s %12s %12s %8s%n", "median of processor time", "M events/s", "copy", "ratio");
    for (int disorder : new int[] {0, 25, 100}) {
      List<double[]> rounds = new ArrayList<>();
      for (int round = 0; round < Integer.parseInt(args[0]); round++) {
        rounds.add(
            new RecorderBenchmark(disorder)
                .round(1_000_000L * Integer.parseInt(args[1]), folder.resolve("calls.ntr")));
      }
      double speed = median(rounds.stream().map(r -> r[0]));
      double yardstick = median(rounds.stream().map(r -> r[1]));
      out.printf(
          Locale.ROOT,
          "%-36s %12.1f %12.1f %8.1f%n",
          "disorder " + disorder + " %",
          speed,
          yardstick,
          yardstick / speed);
    }
    idle(out);
  }

  private static double median(Stream<Double> values) {
    List<Double> sorted = values.sorted().toList();
    return sorted.get(sorted.size() / 2);
  }

  private final class Filling implements SyntheticProgram.Recorder {
    private final SyntheticProgram program = new SyntheticProgram(17, FUNCTIONS, disorder);
    private final SimulatedThread thread;

    Filling(int place) {
      thread = target.thread(100 + place, 1 + place);
    }

    @Override
    public void entry(long ticks, int function, int slot, long key, long returnAddress) {
      thread.record(ticks, (int) program.address(function), 2 | slot << 8, returnAddress, key);
    }

    @Override
    public void exit(long ticks, int function, int slot, long key, long value) {
      thread.record(ticks, (int) program.address(function), 3 | slot << 8, value, key);
    }

    @Override
    public void unwind(long ticks, int function, int slot, long key, long code) {
      thread.record(ticks, (int) program.address(function), 4 | slot << 8, code, key);
    }
  }

  /** Millions of events a second, of the recorder and of the copy. */
  private double[] round(long wanted, Path file) throws IOException {
    RecorderStatistics counted;
    try (session;
        target) {
      NtrWriter writer = writer(Files.newOutputStream(file));
      Recorder recorder = Recorder.appending(session, writer, new RecorderSettings(1, 1, 0));
      for (int i = 0; i < THREADS; i++) {
        threads.add(new Filling(i));
      }
      SyntheticProgram program = threads.getFirst().program;
      for (int f = 1; f <= FUNCTIONS; f++) {
        recorder.function(
            (int) program.address(f),
            0,
            new TracedFunction(f, 0, program.address(f), "", List.of()));
      }
      // Half of the chunks are full at a time, of all threads by turns.
      while (recorder.statistics().captured().events() < wanted) {
        for (int turn = 0; turn < CHUNKS / 2 / THREADS; turn++) {
          for (Filling thread : threads) {
            thread.program.run(RECORDS, thread);
          }
        }
        copyAll();
        long begun = CPU.getCurrentThreadCpuTime();
        while (recorder.poll() > 0) {
          // Until all are read.
        }
        recorder.flush();
        nanos += CPU.getCurrentThreadCpuTime() - begun;
      }
      recorder.close();
      counted = recorder.statistics();
    }
    if (counted.allDropped() != 0 || counted.damaged() != 0) {
      throw new IOException("lost records: " + counted);
    }
    double events = counted.captured().events();
    return new double[] {events * 1e3 / nanos, bytes / 32.0 * 1e3 / copyNanos};
  }

  /** The yardstick: the bytes of as many chunks, from memory to memory. */
  private void copyAll() {
    long begun = CPU.getCurrentThreadCpuTime();
    int half = copy.length / 2;
    for (int i = 0; i < CHUNKS / 2 * 8192 / half; i++) {
      System.arraycopy(copy, i % 2 * half, copy, (i + 1) % 2 * half, half);
      bytes += 8L * half;
    }
    copyNanos += CPU.getCurrentThreadCpuTime() - begun;
  }

  private static NtrWriter writer(OutputStream to) throws IOException {
    NtrHeader header =
        new NtrHeader(
            NtrHeader.ONE_CLOCK,
            2_500_000_000L,
            1,
            0,
            0x8664,
            8,
            NtrHeader.TIME_STAMP_COUNTER,
            "benchmark");
    return new NtrWriter(to, header, 1);
  }

  /** Share of a core that a recorder takes with 16 threads that hold chunks and do nothing. */
  private static void idle(PrintStream out) throws Exception {
    try (SessionFile session = SessionFile.create(32, CHUNKS);
        SimulatedTarget target = SimulatedTarget.map(session.path());
        Recorder recorder =
            Recorder.appending(
                session, writer(OutputStream.nullOutputStream()), new RecorderSettings(1, 1, 0));
        RecorderThread polling = RecorderThread.start(recorder)) {
      for (int i = 0; i < 16; i++) {
        target.thread(i, 1).record(2, 1, 2, 3, 4);
      }
      Thread.sleep(2_000);
      long id = 0;
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread.getName().equals("recorder")) {
          id = thread.threadId();
        }
      }
      long begun = CPU.getThreadCpuTime(id);
      long wall = System.nanoTime();
      Thread.sleep(10_000);
      long used = CPU.getThreadCpuTime(id) - begun;
      out.printf(
          Locale.ROOT, "idle: %.2f %% of a core%n", 100.0 * used / (System.nanoTime() - wall));
      if (polling.failure().isPresent()) {
        throw new IOException(polling.failure().get());
      }
    }
  }
}
