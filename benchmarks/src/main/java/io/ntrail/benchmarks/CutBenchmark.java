package io.ntrail.benchmarks;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.compression.XpressCompressor;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.EtlFileWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Measures merging and cutting a recording beside a copy of the file, as whole processes, then the
 * compressor alone over the buffers of a cut.
 *
 * <p>Arguments: the number of rounds, the path of {@code ntrail}, the recording, and a folder with
 * room for a copy of it and one of its samples.
 */
public final class CutBenchmark {
  /** Offset of the end of the records in the header of a buffer, WMI_BUFFER_HEADER. */
  private static final int SAVED_OFFSET = 4;

  private CutBenchmark() {}

  /** Runs the rounds and prints a line a command, then one about the compressor. */
  public static void main(String[] args) throws IOException, InterruptedException {
    String ntrail = args[1];
    String file = args[2];
    String out = Path.of(args[3], "out.etl").toString();
    String samples = Path.of(args[3], "samples.etl").toString();
    new ProcessTimer()
        .add("cp", "cp", file, out)
        .add("merge", ntrail, "merge", "-q", file, "-o", out)
        .add("cut -e SampleProf", ntrail, "cut", "-q", file, "-e", "SampleProf", "-o", samples)
        .add(
            "cut -e SampleProf --compress xpress",
            ntrail,
            "cut",
            "-q",
            file,
            "-e",
            "SampleProf",
            "--compress",
            "xpress",
            "-o",
            out)
        .add("cut -p shopd.exe", ntrail, "cut", "-q", file, "-p", "shopd.exe", "-o", out)
        .add("cut --every 10", ntrail, "cut", "-q", file, "--every", "10", "-o", out)
        .run(Integer.parseInt(args[0]));
    compress(Path.of(samples));
  }

  /** Compresses the buffers of a recording in one thread. */
  private static void compress(Path recording) throws IOException {
    XpressCompressor compressor = new XpressCompressor();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long from = 0;
    long to = 0;
    long nanos = 0;
    try (EtlFile file = EtlFile.open(InputFile.map(recording, "samples"), new Gaps())) {
      for (int buffer = 1; buffer < file.buffers().count(); buffer++) {
        Bytes bytes =
            file.window(file.buffers().fileOffset(buffer), file.buffers().fileBytes(buffer));
        int length = bytes.i32(SAVED_OFFSET) - EtlFileWriter.BUFFER_HEADER;
        byte[] data = bytes.array(EtlFileWriter.BUFFER_HEADER, length);
        long begin = threads.getCurrentThreadCpuTime();
        int packed = compressor.compress(data, 0, length);
        nanos += threads.getCurrentThreadCpuTime() - begin;
        from += length;
        to += packed < 0 ? length : packed;
      }
    }
    new PrintStream(System.out, true, StandardCharsets.UTF_8)
        .printf(
            Locale.ROOT,
            "the compressor alone: %.1f s of one thread, %.0f MB to %.0f MB, %.0f MB/s%n",
            nanos / 1e9,
            from / 1e6,
            to / 1e6,
            from / 1e-3 / nanos);
  }
}
