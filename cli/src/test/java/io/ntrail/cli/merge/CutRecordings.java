package io.ntrail.cli.merge;

import io.ntrail.cli.harness.SampleCalls;
import io.ntrail.cli.harness.SampleTrace;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.ntr.CallTotals;
import io.ntrail.formats.ntr.ClockCalibration;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrRing;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.formats.ntr.UntracedModule;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.ntr.SyntheticProgram;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Recordings of calls that cuts are made of, each with something that a cut has to keep. */
final class CutRecordings {
  private static final int FUNCTIONS = 40;
  private static final long BEGAN = 1_000_000_000_000L;

  private CutRecordings() {}

  /** Writes all of them into a folder. */
  static List<Path> write(Path folder) throws IOException {
    byte[] shop =
        SampleTrace.make(
            new UntracedModule(
                1, 1, 7_000_100_000L, 7_009_000_000L, "C:\\shop\\plug.dll", "it was late"));
    byte[] damaged = several(3_000);
    for (int at = damaged.length / 5; at < damaged.length; at += damaged.length / 5) {
      damaged[at] ^= 0x10;
    }
    byte[] all = several(3_000);
    return List.of(
        Files.write(folder.resolve("shop.ntr"), shop),
        Files.write(folder.resolve("held.ntr"), withCallers()),
        Files.write(folder.resolve("several.ntr"), all),
        Files.write(folder.resolve("damaged.ntr"), damaged),
        Files.write(folder.resolve("cut.ntr"), Arrays.copyOf(all, all.length * 2 / 3)),
        ring(folder.resolve("ring.ntr")),
        Files.write(folder.resolve("shop.jtrc"), SampleCalls.make()),
        TestData.available()
            ? Files.copy(TestData.file("ntrace/ntfs.jtrc"), folder.resolve("ntfs.jtrc"))
            : Files.write(folder.resolve("ntfs.jtrc"), SampleCalls.make()));
  }

  private static byte[] withCallers() throws IOException {
    long entry = 7_000_000_000L + 3_911 * 2_400;
    return SampleTrace.withCallers(
        List.of(
            new TracedThread.Callers(
                1,
                1,
                4316,
                entry,
                0x14F000,
                0,
                "",
                List.of(
                    new TracedThread.Frame(0x1_8000_1047L, TracedThread.Frame.RETURN, 7),
                    new TracedThread.Frame(0x7777, TracedThread.Frame.SCAN, 0))),
            new TracedThread.Callers(
                2, 1, 4316, entry + 64 * 2_400, 0x14EF80, 1, "it was not copied", List.of())));
  }

  private static NtrHeader header() {
    return new NtrHeader(
        NtrHeader.ONE_CLOCK,
        2_500_000_000L,
        BEGAN,
        134_000_000_000_000_000L,
        0x8664,
        8,
        NtrHeader.TIME_STAMP_COUNTER,
        "test");
  }

  /** Two processes of two threads, with losses, memory of arguments, and sums. */
  static byte[] several(int events) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header(), 7, NtrWriter.Packing.FAST, 700)) {
      define(writer);
      for (int thread = 1; thread <= 4; thread++) {
        new Running(writer.events(thread), thread).run(events);
      }
      CallTotals.Times times =
          new CallTotals.Times(true, 0, 5, 1, 0, 5_000, 3_000, 100, 2_000, List.of(6L));
      writer.totals(new CallTotals(1, 3, 2, BEGAN, BEGAN + 9_000, CallTotals.ASKED, 6, times));
      writer.totals(
          new CallTotals(
              2, 4, 0, BEGAN, BEGAN + 9_000, CallTotals.THROTTLED, 9, CallTotals.Times.NONE));
      writer.statistics(
          Map.of(RecorderCounter.FUNCTIONS_TRACED, 40L, RecorderCounter.DROPPED, 30L));
    }
    return out.toByteArray();
  }

  private static Path ring(Path file) throws IOException {
    try (NtrRing ring = new NtrRing(file, NtrRing.LEAST, header(), 9)) {
      define(ring.writer());
      List<Running> threads =
          List.of(new Running(ring.writer().events(1), 1), new Running(ring.writer().events(2), 2));
      for (int part = 0; part < 30; part++) {
        threads.forEach(thread -> thread.run(2_000));
        ring.turn();
      }
      ring.writer().statistics(Map.of(RecorderCounter.DISCARDED, 20_000L));
      ring.trim();
    }
    return file;
  }

  private static void define(NtrWriter writer) throws IOException {
    writer.process(TracedProcess.running(1, 4312, BEGAN, "C:\\shop\\shopd.exe", "shopd -a"));
    writer.process(TracedProcess.running(2, 4400, BEGAN, "C:\\shop\\till.exe", ""));
    for (int module = 1; module <= 2; module++) {
      writer.module(
          new TracedModule(
              module,
              module,
              0x18000000L * module,
              new ImageId(0x5E1C7A90L, 0x7000),
              0,
              0,
              "C:\\shop\\core" + module + ".dll",
              null,
              ""));
    }
    for (int thread = 1; thread <= 4; thread++) {
      String name = thread == 1 ? "main" : "";
      writer.thread(TracedThread.running(thread, 1 + thread / 3, 100 + thread, BEGAN, name));
    }
    for (int function = 1; function <= FUNCTIONS; function++) {
      writer.function(
          new TracedFunction(
              function, 1 + function % 2, 0x1000L + 16L * function, "f" + function, List.of()));
    }
    writer.calibration(new ClockCalibration(BEGAN, 0, 134_000_000_000_000_000L));
    writer.calibration(new ClockCalibration(BEGAN + 3_000_000, 1_200_007, 0));
  }

  /** A thread that runs the program. */
  private static final class Running implements SyntheticProgram.Recorder {
    private final ThreadEventWriter events;
    private final int thread;
    private final SyntheticProgram program;
    private long first;
    private long number;

    Running(ThreadEventWriter events, int thread) {
      this.events = events;
      this.thread = thread;
      this.program = new SyntheticProgram(thread, FUNCTIONS, 5);
    }

    private interface Writing {
      void run() throws IOException;
    }

    private static void write(Writing writing) {
      try {
        writing.run();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void run(int count) {
      program.run(count, this);
    }

    private long time(long ticks) {
      first = first == 0 ? ticks : first;
      return BEGAN + 10_000L * thread + ticks - first;
    }

    @Override
    public void entry(long ticks, int function, int slot, long key, long address) {
      long time = time(ticks);
      long[] arguments = {0x5000, ++number};
      write(() -> {
        if (number % 997 == 0) {
          events.lost(3);
        }
        if (number % 71 == 0) {
          events.entryOnly(time, function, 0, slot, key, address, arguments, 2);
        }
        if (number % 50 == 0) {
          long[] memory = {2, 0x4241};
          events.other(EventKind.MEMORY, time, function, 0, 0, key, 0x5000, memory, 2);
        }
        events.entry(time, function, 0, slot, key, address, arguments, 2);
      });
    }

    @Override
    public void exit(long ticks, int function, int slot, long key, long value) {
      write(() -> events.exit(time(ticks), function, 0, slot, key, value));
    }

    @Override
    public void unwind(long ticks, int function, int slot, long key, long code) {
      write(() -> events.unwind(time(ticks), function, 0, slot, key, code));
    }
  }
}
