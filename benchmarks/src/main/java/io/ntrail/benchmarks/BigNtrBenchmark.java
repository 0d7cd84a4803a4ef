package io.ntrail.benchmarks;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventCursor;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.testkit.ntr.SyntheticProgram;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Writes a recording of many calls of four threads, reads it whole, and reads a single event in its
 * middle. To be run with a small heap.
 *
 * <p>Arguments: the file, millions of calls.
 */
public final class BigNtrBenchmark {
  private static final int THREADS = 4;
  private static final int TURN = 20_000;

  private BigNtrBenchmark() {}

  /** Writes, reads, and prints a line for each. */
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Path file = Path.of(args[0]);
    long begun = System.nanoTime();
    write(file, 1_000_000L * Integer.parseInt(args[1]));
    double seconds = (System.nanoTime() - begun) / 1e9;
    long size = Files.size(file);
    out.printf(Locale.ROOT, "written in %.1f s, the program included: %d bytes%n", seconds, size);
    begun = System.nanoTime();
    Gaps gaps = new Gaps();
    try (NtrFile ntr = NtrFile.open(InputFile.map(file, "calls"), gaps)) {
      double opened = (System.nanoTime() - begun) / 1e6;
      SyntheticCalls.Read read = SyntheticCalls.all(ntr, gaps);
      seconds = (System.nanoTime() - begun) / 1e9;
      out.printf(
          Locale.ROOT,
          "opened in %.1f ms, read in %.1f s: %d events, %d calls, %.2f bytes an event, gaps %d%n",
          opened,
          seconds,
          read.events(),
          read.calls(),
          (double) size / read.events(),
          gaps.list().size());
      begun = System.nanoTime();
      try (ThreadEventCursor cursor = ntr.cursor(1, gaps)) {
        cursor.seek(ntr.chunks(1).size() / 2);
        cursor.next();
        out.printf(
            Locale.ROOT,
            "event %d of thread 1, %d frames open, after %.2f ms%n",
            cursor.event(),
            cursor.openFrames().size(),
            (System.nanoTime() - begun) / 1e6);
      }
    }
  }

  private static void write(Path file, long calls) throws IOException {
    try (NtrWriter writer =
        new NtrWriter(Files.newOutputStream(file), SyntheticCalls.header(), 1)) {
      Counting[] threads = new Counting[THREADS];
      SyntheticProgram[] programs = new SyntheticProgram[THREADS];
      for (int i = 0; i < THREADS; i++) {
        programs[i] = new SyntheticProgram(i, SyntheticCalls.FUNCTIONS, 10);
        threads[i] = new Counting(writer.events(i + 1));
        writer.thread(TracedThread.running(i + 1, 1, 100 + i, 0, "thread " + i));
      }
      for (int f = 1; f <= SyntheticCalls.FUNCTIONS; f++) {
        long address = programs[0].address(f);
        writer.function(new TracedFunction(f, 0, address, "f" + f, List.of()));
      }
      long made = 0;
      while (made < calls) {
        made = 0;
        for (int i = 0; i < THREADS; i++) {
          programs[i].run(TURN, threads[i]);
          made += threads[i].calls;
        }
      }
      for (int i = 0; i < THREADS; i++) {
        programs[i].finish(threads[i]);
      }
    }
  }

  private static final class Counting implements SyntheticProgram.Recorder {
    private final ThreadEventWriter to;
    private long calls;

    Counting(ThreadEventWriter to) {
      this.to = to;
    }

    @Override
    public void entry(long ticks, int function, int slot, long key, long returnAddress) {
      calls++;
      try {
        to.entry(ticks, function, 0, slot, key, returnAddress);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void exit(long ticks, int function, int slot, long key, long value) {
      try {
        to.exit(ticks, function, 0, slot, key, value);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void unwind(long ticks, int function, int slot, long key, long code) {
      try {
        to.unwind(ticks, function, 0, slot, key, code);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
