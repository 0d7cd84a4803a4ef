package io.ntrail.benchmarks;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.dumps.DumpView;
import io.ntrail.analysis.dumps.DumpedThread;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.x64.StackWalker;
import io.ntrail.programs.unwind.x64.VirtualUnwinder;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures stacks of a large dump: whole processes up to the stack of the first thread beside LLDB,
 * then frames a second of all threads, warm.
 *
 * <p>Arguments: the number of rounds, the path of {@code ntrail}, that of lldb, the dump, and the
 * folder with the images that are named in it.
 */
public final class DumpBenchmark {
  private static final long ROUND_NANOS = 500_000_000L;

  private DumpBenchmark() {}

  /** Runs the rounds and prints a line a command, then one about frames. */
  public static void main(String[] args) throws IOException, InterruptedException {
    int rounds = Integer.parseInt(args[0]);
    String dump = args[3];
    if (!args[1].isEmpty()) {
      new ProcessTimer()
          .add(
              "lldb, bt",
              args[2],
              "--batch",
              "--no-lldbinit",
              "-o",
              "settings set target.exec-search-paths " + args[4],
              "-o",
              "target create --core " + dump,
              "-o",
              "bt")
          .add("ntrail stacks", args[1], "stacks", "-q", dump)
          .run(rounds);
    }
    frames(Path.of(dump), rounds);
  }

  /** Walks all threads again and again, with rules that are known. */
  private static void frames(Path file, int rounds) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try (DumpRecording dump = DumpRecording.open(InputFile.map(file, "dump"), new Gaps())) {
      DumpView view = dump.view();
      StackWalker walker = new StackWalker(new VirtualUnwinder(view.memory(), view.modules()));
      List<FrameRegisters> starts = new ArrayList<>();
      for (DumpedThread thread : dump.threads()) {
        view.registers(thread).ifPresent(starts::add);
      }
      // Time of the processor: what else the machine does counts for nothing.
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      double best = 0;
      for (int round = 0; round <= rounds; round++) {
        long begin = threads.getCurrentThreadCpuTime();
        long frames = 0;
        while (threads.getCurrentThreadCpuTime() - begin < ROUND_NANOS) {
          for (FrameRegisters start : starts) {
            frames += walker.walk(start, view.memory()).frames().size();
          }
        }
        best = Math.max(best, frames * 1e9 / (threads.getCurrentThreadCpuTime() - begin));
      }
      out.printf(Locale.ROOT, "%.2f M frames/s a core, warm%n", best / 1e6);
    }
  }
}
