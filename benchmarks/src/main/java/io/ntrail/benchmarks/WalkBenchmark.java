package io.ntrail.benchmarks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.NativeBuffer;
import io.ntrail.formats.compression.WorkArrays;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Walking all records of a recording, beside the yardsticks: adding up all bytes of the same
 * mapping as 64-bit words, and, for compressed files, the decompressor alone.
 *
 * <p>The file is given as {@code -p file=PATH}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 2,
    jvmArgs = {"-Xmx256m", "-Xlog:disable", "-Xlog:all=error:stderr"})
public class WalkBenchmark {
  private static final int KINDS = RecordKind.values().length;
  private static final int WINDOW = 1 << 30;

  /** The recording. */
  @Param({""})
  public String file = "";

  // Set by open() before anything is measured.
  @SuppressWarnings("NullAway.Init")
  private EtwRecording recording;

  @SuppressWarnings("NullAway.Init")
  private EtlFile etl;

  /** Opens the recording. */
  @Setup
  public void open() {
    recording = RecordingInput.openEtw(List.of(Path.of(file)));
    etl = recording.files().getFirst();
  }

  /** Closes it. */
  @TearDown
  public void close() {
    recording.close();
  }

  /** Yardstick: all bytes of the mapping as 64-bit words. */
  @Benchmark
  public long sumOfWords() {
    long sum = 0;
    for (long at = 0; at < etl.size(); at += WINDOW) {
      sum += etl.window(at, (int) Math.min(WINDOW, etl.size() - at)).sumOfWords();
    }
    return sum;
  }

  /** Yardstick for compressed files: every buffer decompressed, nothing looked at. */
  @Benchmark
  public long decompressOnly() {
    BufferIndex buffers = etl.buffers();
    WorkArrays arrays = new WorkArrays();
    long total = 0;
    try (NativeBuffer memory = new NativeBuffer((int) etl.sessionBufferSize())) {
      for (int b = 0; b < buffers.count(); b++) {
        if (buffers.compressed(b)) {
          Bytes packed = etl.window(buffers.fileOffset(b), buffers.fileBytes(b));
          total +=
              etl.compression()
                  .decompress(
                      packed, 72, packed.length(), memory, buffers.inflatedBytes(b), arrays);
        }
      }
    }
    return total;
  }

  /** All records in time order, counted by kind, one core. */
  @Benchmark
  public long[] inOrder() {
    long[] counts = new long[KINDS];
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        counts[cursor.record().kindOrdinal()]++;
      }
    }
    return counts;
  }

  /** All records, buffer by buffer, counted by kind, one core. */
  @Benchmark
  public long[] unordered() {
    return scan(1);
  }

  /** Measures the walk on two cores. */
  @Benchmark
  public long[] unorderedTwoCores() {
    return scan(2);
  }

  private long[] scan(int cores) {
    return recording.scan(
        cores,
        () -> new long[KINDS],
        (counts, cursor) -> {
          while (cursor.next()) {
            counts[cursor.kindOrdinal()]++;
          }
        },
        (a, b) -> {
          for (int k = 0; k < KINDS; k++) {
            a[k] += b[k];
          }
          return a;
        });
  }

  /** All records in time order, each core half of the time span; after a survey. */
  @Benchmark
  public long inOrderTwoCores() throws Exception {
    recording.survey(2);
    long middle = middleNanos();
    try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
      List<Future<Long>> halves = new ArrayList<>();
      halves.add(executor.submit(() -> count(Long.MIN_VALUE, middle)));
      halves.add(executor.submit(() -> count(middle, Long.MAX_VALUE)));
      return halves.get(0).get() + halves.get(1).get();
    }
  }

  private long count(long from, long to) {
    long count = 0;
    try (OrderedCursor cursor = recording.inOrder(from, to)) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
  }

  private long middleNanos() {
    BufferIndex buffers = etl.buffers();
    long[] times = new long[buffers.count()];
    for (int b = 0; b < times.length; b++) {
      times[b] = buffers.firstTicks(b);
    }
    java.util.Arrays.sort(times);
    return etl.clock().nanos(times[times.length / 2]);
  }
}
