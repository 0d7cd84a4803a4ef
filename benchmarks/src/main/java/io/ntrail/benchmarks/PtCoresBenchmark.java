package io.ntrail.benchmarks;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSettings;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.WholeFlow;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.memory.PageSpace;
import io.ntrail.programs.x86.CodeSize;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/**
 * Measures the flow of many copies of a stream in a row, on one core and on all, in turn; time that
 * passed. A process for each stream: how the JVM compiles the decoder depends on what it decoded
 * before.
 *
 * <p>Arguments: the number of rounds, the folder of the shared streams, the name of a stream and of
 * its code.
 */
public final class PtCoresBenchmark {
  /** Bytes of copies in a row, at least. */
  private static final int LONG = 96 << 20;

  private PtCoresBenchmark() {}

  /** Takes nothing. */
  private static final class Nobody implements FlowSink, WholeFlow.PacketSink {
    @Override
    public void instructions(CodeBlocks code, int block, int count, boolean isSpeculative) {}

    @Override
    public void event(FlowEvent event, long address, long value) {}

    @Override
    public void error(FlowError error, long offset, long address) {}

    @Override
    public void time(PacketType type, long value, boolean inHeader) {}

    @Override
    public void timed() {
      // Not looked at.
    }

    @Override
    public void damage(PacketError error, long offset, long length) {}
  }

  /** Runs the rounds, and prints a line. */
  public static void main(String[] args) throws IOException {
    int rounds = Integer.parseInt(args[0]);
    Path data = Path.of(args[1]);
    Set<Erratum> errata = Erratum.of(6, 94);
    FlowSettings settings = new FlowSettings(errata, FlowSettings.Resync.PSB, CodeSize.BITS64);
    int[] cores = {1, Runtime.getRuntime().availableProcessors()};
    double[] rates = new double[2];
    try (InputFile addresses = PtBenchmark.open(data, args[3] + ".addr");
        InputFile dump = PtBenchmark.open(data, args[3] + ".dump");
        InputFile input = InputFile.of(copies(data, args[2]), "copies")) {
      PageSpace code = new PageSpace(addresses, dump);
      for (int round = 0; round < 2 * rounds; round++) {
        WholeFlow flow = new WholeFlow(input, code, settings);
        Nobody nobody = new Nobody();
        long begin = System.nanoTime();
        flow.run(new WholeFlow.Wanted(false, false, cores[round % 2]), nobody, nobody);
        double rate = input.size() / 1e6 / ((System.nanoTime() - begin) * 1e-9);
        rates[round % 2] = Math.max(rates[round % 2], rate);
      }
    }
    new PrintStream(System.out, true, StandardCharsets.UTF_8)
        .printf(
            Locale.ROOT,
            "%-22s MB/s on one core %6.1f, on %d %6.1f, gain %.2f%n",
            args[2],
            rates[0],
            cores[1],
            rates[1],
            rates[1] / rates[0]);
  }

  private static byte[] copies(Path data, String name) throws IOException {
    try (InputFile stream = PtBenchmark.open(data, name + ".pt")) {
      int length = (int) stream.size();
      byte[] one = stream.window(0, length).array(0, length);
      byte[] all = new byte[length * (LONG / length + 1)];
      for (int at = 0; at < all.length; at += length) {
        System.arraycopy(one, 0, all, at, length);
      }
      return all;
    }
  }
}
