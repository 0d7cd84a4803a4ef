package io.ntrail.benchmarks;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.testkit.ntr.SyntheticProgram;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures a recorder's work on the records of traced programs: from chunks of 2,047 records of 32
 * bytes in memory, as the target leaves them, to {@code .ntr}, beside a copy of the same bytes; and
 * reading it again. Processor time of one thread, rounds in turn; for programs with none, some and
 * nothing but calls that cannot be foreseen.
 *
 * <p>Arguments: the number of rounds, millions of events, an empty folder to work in.
 */
public final class NtrBenchmark {
  private static final int THREADS = 8;
  private static final int RECORDS = 2047;
  private static final int ENTRY = 2;
  private static final int EXIT = 3;
  private static final int UNWIND = 4;

  private final List<long[]> chunks = new ArrayList<>();
  private final long[] copy = new long[4 * RECORDS * 64];
  private final int disorder;
  private final int[] addresses = new int[1 << 12];
  private final int[] numbers = new int[1 << 12];
  private long events;

  private NtrBenchmark(int disorder) {
    this.disorder = disorder;
  }

  /** Jobs that are measured. */
  private enum Job {
    COPY("copy of the records"),
    NONE("to .ntr, thrown away, columns as they are"),
    FAST("to .ntr, thrown away"),
    SMALL("to .ntr, thrown away, all columns packed"),
    FILE("to .ntr, into a file"),
    READ("reading all events again");

    private final String name;

    Job(String name) {
      this.name = name;
    }
  }

  /** Runs the rounds and prints a line for each job. */
  public static void main(String[] args) throws IOException {
    for (int disorder : new int[] {0, 25, 100}) {
      new NtrBenchmark(disorder)
          .run(Integer.parseInt(args[0]), 1_000_000L * Integer.parseInt(args[1]), Path.of(args[2]));
    }
  }

  private void run(int rounds, long wanted, Path folder) throws IOException {
    record(wanted);
    Path file = folder.resolve("calls.ntr");
    write(Files.newOutputStream(file), NtrWriter.Packing.FAST);
    Map<Job, List<Double>> times = new EnumMap<>(Job.class);
    Map<Job, Long> sizes = new EnumMap<>(Job.class);
    for (int round = 0; round < rounds; round++) {
      for (Job job : Job.values()) {
        long begun = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long bytes =
            switch (job) {
              case COPY -> copyAll();
              case NONE -> write(OutputStream.nullOutputStream(), NtrWriter.Packing.NONE);
              case FAST -> write(OutputStream.nullOutputStream(), NtrWriter.Packing.FAST);
              case SMALL -> write(OutputStream.nullOutputStream(), NtrWriter.Packing.SMALL);
              case FILE -> write(Files.newOutputStream(file), NtrWriter.Packing.FAST);
              case READ -> read(file);
            };
        long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begun;
        times.computeIfAbsent(job, _ -> new ArrayList<>()).add(nanos / 1e6);
        sizes.put(job, bytes);
      }
    }
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    out.printf(
        "%d events of %d threads, %d functions, disorder %d %%%n",
        events, THREADS, SyntheticCalls.FUNCTIONS, disorder);
    out.printf(
        "%-44s %10s %10s %12s %8s %10s%n",
        "ms of processor time", "median", "best", "M events/s", "ratio", "bytes each");
    double yardstick = median(times.getOrDefault(Job.COPY, List.of()));
    for (Job job : Job.values()) {
      List<Double> of = times.getOrDefault(job, List.of());
      double median = median(of);
      out.printf(
          Locale.ROOT,
          "%-44s %10.1f %10.1f %12.1f %8.2f %10.2f%n",
          job.name,
          median,
          of.stream().mapToDouble(m -> m).min().orElseThrow(),
          events / median / 1e3,
          median / yardstick,
          (double) sizes.getOrDefault(job, 0L) / events);
    }
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
  }

  /** Records of a thread: time, function and meta, value, key; as a target writes them. */
  private final class Filling implements SyntheticProgram.Recorder {
    private final SyntheticProgram program;
    private final int thread;
    private long[] chunk = {};
    private int used = RECORDS;

    Filling(int thread) {
      this.thread = thread;
      this.program = new SyntheticProgram(17, SyntheticCalls.FUNCTIONS, disorder);
      for (int skipped = 0; skipped < thread; skipped++) {
        program.run(1000, new Ignoring());
      }
    }

    @Override
    public void entry(long ticks, int function, int slot, long key, long returnAddress) {
      add(ticks, function, slot, key, returnAddress, ENTRY);
    }

    @Override
    public void exit(long ticks, int function, int slot, long key, long value) {
      add(ticks, function, slot, key, value, EXIT);
    }

    @Override
    public void unwind(long ticks, int function, int slot, long key, long code) {
      add(ticks, function, slot, key, code, UNWIND);
    }

    private void add(long ticks, int function, int slot, long key, long value, int kind) {
      if (used == RECORDS) {
        chunk = new long[4 * (RECORDS + 1)];
        chunk[0] = thread;
        chunks.add(chunk);
        used = 0;
      }
      int at = 4 * ++used;
      chunk[at] = ticks;
      chunk[at + 1] = program.address(function) & 0xFFFF_FFFFL | (long) (slot << 8 | kind) << 32;
      chunk[at + 2] = value;
      chunk[at + 3] = key;
      events++;
    }
  }

  /** Lets calls go by. */
  private static final class Ignoring implements SyntheticProgram.Recorder {
    @Override
    public void entry(long ticks, int function, int slot, long key, long returnAddress) {}

    @Override
    public void exit(long ticks, int function, int slot, long key, long value) {}

    @Override
    public void unwind(long ticks, int function, int slot, long key, long code) {}
  }

  private void record(long wanted) {
    Filling[] threads = new Filling[THREADS];
    for (int i = 0; i < THREADS; i++) {
      threads[i] = new Filling(i);
    }
    while (events < wanted) {
      for (Filling thread : threads) {
        thread.program.run(RECORDS, thread);
      }
    }
    for (int f = 1; f <= SyntheticCalls.FUNCTIONS; f++) {
      int address = (int) threads[0].program.address(f);
      int at = place(address);
      addresses[at] = address;
      numbers[at] = f;
    }
  }

  private int place(int address) {
    int at = address * 0x9E37_79B1 >>> 20;
    while (addresses[at] != address && addresses[at] != 0) {
      at = at + 1 & addresses.length - 1;
    }
    return at;
  }

  private long copyAll() {
    int at = 0;
    long sum = 0;
    for (long[] chunk : chunks) {
      if (at + chunk.length > copy.length) {
        at = 0;
      }
      System.arraycopy(chunk, 0, copy, at, chunk.length);
      at += chunk.length;
      sum += 8L * chunk.length;
    }
    return sum;
  }

  private long write(OutputStream to, NtrWriter.Packing packing) throws IOException {
    NtrWriter writer =
        new NtrWriter(to, SyntheticCalls.header(), 1, packing, NtrWriter.CHUNK_EVENTS);
    try (writer) {
      for (long[] chunk : chunks) {
        drain(chunk, writer.events(chunk[0] + 1));
      }
    }
    return writer.position();
  }

  private void drain(long[] chunk, ThreadEventWriter to) throws IOException {
    for (int at = 4; at < chunk.length; at += 4) {
      long ticks = chunk[at];
      int meta = (int) (chunk[at + 1] >>> 32);
      if (meta == 0) {
        return;
      }
      int function = numbers[place((int) chunk[at + 1])];
      int slot = meta >>> 8 & 0xFFF;
      int area = meta >>> 20;
      long value = chunk[at + 2];
      long key = chunk[at + 3];
      switch (meta & 0xFF) {
        case ENTRY -> to.entry(ticks, function, area, slot, key, value);
        case EXIT -> to.exit(ticks, function, area, slot, key, value);
        default -> to.unwind(ticks, function, area, slot, key, value);
      }
    }
  }

  private long read(Path path) throws IOException {
    Gaps gaps = new Gaps();
    try (NtrFile file = NtrFile.open(InputFile.map(path, "calls.ntr"), gaps)) {
      if (SyntheticCalls.all(file, gaps).events() != events || !gaps.isEmpty()) {
        throw new IOException("cannot be read: " + gaps.list());
      }
      return file.size();
    }
  }
}
