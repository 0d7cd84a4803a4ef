package io.ntrail.benchmarks;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowDecoder;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSettings;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.programs.memory.PageSpace;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.code.Oracle;
import io.ntrail.testkit.pt.Libipt;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Measures packets and flow of streams of Intel Processor Trace beside libipt's decoders of
 * packets, instructions and blocks, in turn; processor time of one thread.
 *
 * <p>Arguments: the number of rounds, the folder of the shared streams, a folder for files, then
 * names of streams and of their code: {@code xdc/mruby xdc/mruby}.
 */
public final class PtBenchmark {
  private static final int PAGE = 4096;

  private PtBenchmark() {}

  /** Rounds at most for a small stream, which takes little of a round. */
  private static final int MOST_ROUNDS = 5000;

  /** Counts what comes. */
  private static final class Counter implements FlowSink {
    private long instructions;

    @Override
    public void instructions(CodeBlocks code, int block, int count, boolean isSpeculative) {
      instructions += count;
    }

    @Override
    public void event(FlowEvent event, long address, long value) {}

    @Override
    public void error(FlowError error, long offset, long address) {}
  }

  /** Runs the rounds, and prints a line a stream. */
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    int rounds = Integer.parseInt(args[0]);
    Path data = Path.of(args[1]);
    Path work = Path.of(args[2]);
    Path peer = Libipt.in(work).orElseThrow(() -> new IOException(Libipt.MISSING)).program();
    out.println(
        "stream, MB/s of processor time: packets libipt, ntrail; instructions libipt best;"
            + " blocks libipt first, best; flow ntrail first, best; best to best");
    for (int i = 3; i + 1 < args.length; i += 2) {
      measure(out, rounds, peer, work, open(data, args[i] + ".pt"), args[i], data, args[i + 1]);
    }
  }

  static InputFile open(Path data, String name) {
    Path packed = data.resolve(name + ".gz");
    Path file = Files.exists(packed) ? packed : data.resolve(name);
    return Archives.open(file, _ -> true, new Gaps()).getFirst();
  }

  private static void measure(
      PrintStream out,
      int rounds,
      Path peer,
      Path work,
      InputFile stream,
      String name,
      Path data,
      String codeName)
      throws IOException {
    InputFile addresses = open(data, codeName + ".addr");
    InputFile dump = open(data, codeName + ".dump");
    Path plain = copy(stream, work.resolve("stream"));
    Path code = work.resolve("code");
    Path sections = work.resolve("sections");
    sections(addresses, dump, code, sections);
    String[] peers =
        Oracle.run(
                work,
                peer.toString(),
                "time",
                plain.toString(),
                code.toString(),
                sections.toString(),
                Long.toString(Math.max(rounds, rounds * 300_000L / stream.size())))
            .strip()
            .split(" ", -1);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    Set<Erratum> errata = Erratum.of(6, 94);
    double packets = Double.MAX_VALUE;
    double first = 0;
    double best = Double.MAX_VALUE;
    Counter counter = new Counter();
    CodeBlocks blocks = new CodeBlocks(new PageSpace(addresses, dump));
    int least = (int) Math.min(MOST_ROUNDS, Math.max(rounds, rounds * 1_000_000L / stream.size()));
    for (int round = 0; round < least; round++) {
      long begin = threads.getCurrentThreadCpuTime();
      PacketCursor cursor = PacketCursor.joined(stream, errata);
      long count = 0;
      while (cursor.next()) {
        count++;
      }
      if (count == 0 || cursor.end() != stream.size()) {
        throw new IOException(name + " ends at " + cursor.end());
      }
      packets = Math.min(packets, (threads.getCurrentThreadCpuTime() - begin) * 1e-9);
      counter = new Counter();
      begin = threads.getCurrentThreadCpuTime();
      new FlowDecoder(
              PacketCursor.joined(stream, errata),
              blocks,
              new FlowSettings(errata, FlowSettings.Resync.PSB, CodeSize.BITS64),
              counter)
          .run();
      double took = (threads.getCurrentThreadCpuTime() - begin) * 1e-9;
      first = round == 0 ? took : first;
      best = Math.min(best, took);
    }
    if (counter.instructions != Long.parseLong(peers[1])) {
      out.println(name + ": libipt finds " + peers[1] + " instructions, " + counter.instructions);
    }
    double size = stream.size() / 1e6;
    double theirs = Double.parseDouble(peers[5]);
    out.printf(
        Locale.ROOT,
        "%-22s %6.0f %6.0f   %6.1f   %6.1f %6.1f   %6.1f %6.1f   %.2f (%.0f M instructions/s)%n",
        name,
        size / Double.parseDouble(peers[3]),
        size / packets,
        size / Double.parseDouble(peers[6]),
        size / Double.parseDouble(peers[4]),
        size / theirs,
        size / first,
        size / best,
        theirs / best,
        counter.instructions / best / 1e6);
    for (InputFile file : List.of(stream, addresses, dump)) {
      file.close();
    }
  }

  private static Path copy(InputFile input, Path to) throws IOException {
    return Files.write(to, input.window(0, (int) input.size()).array(0, (int) input.size()));
  }

  /** Writes the pages in order, and a line for each run of them. */
  private static void sections(InputFile addresses, InputFile dump, Path code, Path sections)
      throws IOException {
    Map<Long, Integer> pages = new TreeMap<>(Long::compareUnsigned);
    for (int i = 0; i < addresses.size() / Long.BYTES; i++) {
      long address = addresses.window((long) i * Long.BYTES, Long.BYTES).i64(0);
      if (address % PAGE == 0) {
        pages.putIfAbsent(address, i);
      }
    }
    StringBuilder lines = new StringBuilder();
    long begin = 0;
    long next = 0;
    long at = 0;
    long offset = 0;
    try (OutputStream out = Files.newOutputStream(code)) {
      for (Map.Entry<Long, Integer> page : pages.entrySet()) {
        if (page.getKey() != next || at == 0) {
          add(lines, begin, offset, at - offset);
          begin = page.getKey();
          offset = at;
        }
        out.write(dump.window((long) page.getValue() * PAGE, PAGE).array(0, PAGE));
        at += PAGE;
        next = page.getKey() + PAGE;
      }
    }
    add(lines, begin, offset, at - offset);
    Files.writeString(sections, lines);
  }

  private static void add(StringBuilder lines, long address, long offset, long length) {
    if (length > 0) {
      lines.append("%x %x %x%n".formatted(address, offset, length));
    }
  }
}
