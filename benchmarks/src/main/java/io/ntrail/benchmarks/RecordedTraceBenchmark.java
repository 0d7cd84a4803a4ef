package io.ntrail.benchmarks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSettings;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.recorded.PieceSettings;
import io.ntrail.analysis.flow.recorded.PieceWalk;
import io.ntrail.analysis.flow.recorded.RecordedProfile;
import io.ntrail.analysis.flow.recorded.RecordedTrace;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pt.ClockSettings;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketClock.Rounding;
import io.ntrail.formats.pt.PsbSearch;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.SymbolPath;
import io.ntrail.programs.symbols.SymbolStores;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.TraceRecording;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures the profile of a large recording with Processor Trace on 16 CPUs beside the flow alone:
 * pieces of a shared stream, over and over, and its code as an image. Two rounds, in turn.
 *
 * <p>Arguments: the folder of the shared streams, the megabytes of trace, a folder for the
 * recording, which is written if it is not there.
 */
public final class RecordedTraceBenchmark {
  private static final int CPUS = 16;
  private static final int PIECE = 30 << 10;
  private static final int PID = 4000;
  private static final long BASE = 0x3F_F000L;
  private static final int STAMP = 0x5A5A_0002;

  /** Option word: version 1, user code, MTC, ring of 32 KiB. */
  private static final long OPTIONS = 0x3_0311L;

  private RecordedTraceBenchmark() {}

  /** Takes nothing. */
  private static final class Nobody implements FlowSink {
    @Override
    public void instructions(CodeBlocks code, int block, int count, boolean isSpeculative) {}

    @Override
    public void event(FlowEvent event, long address, long value) {}

    @Override
    public void error(FlowError error, long offset, long address) {}
  }

  private static List<byte[]> pieces(Path data) throws IOException {
    List<byte[]> pieces = new ArrayList<>();
    try (InputFile stream = PtBenchmark.open(data, "mruby.pt")) {
      long from = PsbSearch.next(stream, 0);
      while (from >= 0) {
        long to = from;
        long next = PsbSearch.next(stream, from + 1);
        while (next >= 0 && next - from <= PIECE) {
          to = next;
          next = PsbSearch.next(stream, next + 1);
        }
        if (to == from) {
          break;
        }
        pieces.add(stream.window(from, (int) (to - from)).array(0, (int) (to - from)));
        from = to;
      }
    }
    return pieces;
  }

  private static byte[] image(Path data) throws IOException {
    PeBuilder image = PeBuilder.library(MachineType.AMD64).name("mruby.dll").timestamp(STAMP);
    try (InputFile dump = PtBenchmark.open(data, "mruby.dump")) {
      image.code().bytes(dump.window(0, (int) dump.size()).array(0, (int) dump.size()));
    }
    return image.build().file();
  }

  private static void write(Path file, List<byte[]> pieces, byte[] image, long bytes)
      throws IOException {
    long size = PeImage.ofFile(InputFile.of(image, "mruby.dll")).headers().sizeOfImage();
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      long written = 0;
      long ticks = 1000;
      for (int chunk = 0; written < bytes; chunk++) {
        TraceRecording part = new TraceRecording().nextSequence(1 + 1000L * chunk);
        if (chunk == 0) {
          part.process(PID, 8, "mruby.exe");
          part.found(PID, BASE, size, STAMP, TraceRecording.systemPath("mruby.dll"));
        }
        for (byte[] piece : pieces) {
          for (int cpu = 0; cpu < CPUS; cpu++) {
            part.traced(ticks++, cpu, PID, 8 + 4 * cpu, OPTIONS, piece);
            written += piece.length;
          }
        }
        byte[] whole = part.toByteArray();
        int data = chunk == 0 ? 0 : Damage.bufferOffsets(whole).get(1);
        out.write(whole, data, whole.length - data);
      }
    }
  }

  /** Writes the recording if it is needed, runs the rounds, and prints a line. */
  public static void main(String[] args) throws IOException {
    Path data = Path.of(args[0]);
    Path folder = Files.createDirectories(Path.of(args[2]));
    Path file = folder.resolve("trace-" + args[1] + ".etl");
    byte[] image = image(data);
    Files.write(folder.resolve("mruby.dll"), image);
    if (!Files.exists(file)) {
      write(file, pieces(data), image, Long.parseLong(args[1]) << 20);
    }
    PieceSettings settings =
        new PieceSettings(
                new FlowSettings(Erratum.of(6, 94), FlowSettings.Resync.EVENT, CodeSize.BITS64),
                ClockSettings.UNKNOWN,
                Rounding.EXACT)
            .withoutTimes();
    SymbolStores stores =
        SymbolStores.of(
            new SymbolPath(List.of(new SymbolPath.Folder(folder)), List.of(), folder),
            SymbolPath.Host.here());
    long begin = System.nanoTime();
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.map(file, file.toString())));
        RecordedTrace trace =
            RecordedTrace.of(recording, 2, List.of(stores), new PdbSearch(List.of()))) {
      double survey = (System.nanoTime() - begin) * 1e-9;
      double[] seconds = {Double.MAX_VALUE, Double.MAX_VALUE};
      long[] instructions = new long[2];
      long errors = 0;
      for (int round = 0; round < 4; round++) {
        int which = round % 2;
        RecordedProfile profile = new RecordedProfile();
        long started = System.nanoTime();
        long counted = 0;
        try (PieceWalk walk = trace.walk(settings)) {
          for (int i = 0; i < trace.pieces().listed(); i++) {
            var result = walk.walk(i, piece -> which == 0 ? new Nobody() : profile.begin(piece));
            if (which == 1) {
              profile.end();
            }
            counted += result.totals().instructions();
            errors += result.errors();
          }
        }
        seconds[which] = Math.min(seconds[which], (System.nanoTime() - started) * 1e-9);
        instructions[which] = counted;
        if (which == 1) {
          long own = profile.rows().stream().mapToLong(RecordedProfile.Row::self).sum();
          instructions[which] = own;
        }
      }
      new PrintStream(System.out, true, StandardCharsets.UTF_8)
          .printf(
              Locale.ROOT,
              "%d pieces, %.2f GB, %d MB heap: survey %.1f s, flow %.1f s, profile %.1f s (%.2f x),"
                  + " %d and %d instructions, %d errors%n",
              trace.pieces().listed(),
              trace.pieces().bytes() * 1e-9,
              Runtime.getRuntime().maxMemory() >> 20,
              survey,
              seconds[0],
              seconds[1],
              seconds[1] / seconds[0],
              instructions[0],
              instructions[1],
              errors);
    }
  }
}
