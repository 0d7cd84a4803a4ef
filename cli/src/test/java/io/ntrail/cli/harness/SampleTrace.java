package io.ntrail.cli.harness;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.ntr.ClockCalibration;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.formats.ntr.UntracedModule;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A small recording of ntrail itself: the invented shop, whose key is parsed, with an exception, a
 * fiber, records that the recorder lost and a call that was still open.
 *
 * <p>It is {@code samples/shop.ntr}; {@code TraceCallsTest} compares the two. After a change here
 * run {@link #main} with that path.
 */
public final class SampleTrace {
  private static final long OPEN_KEY = 1;
  private static final long CURRENT = 2;
  private static final long CREATE = 3;
  private static final long PARSE = 4;
  private static final long CALLED = 5;
  private static final long LOOKUP = 6;
  private static final long STACK = 0x14F000;

  private static final Map<RecorderCounter, Long> STATISTICS =
      Map.of(
          RecorderCounter.FUNCTIONS_TRACED,
          6L,
          RecorderCounter.DROPPED,
          3L,
          RecorderCounter.OPEN_AT_END,
          1L);

  private final ThreadEventWriter events;
  private long micros;
  private int depth;

  private SampleTrace(ThreadEventWriter events, long micros) {
    this.events = events;
    this.micros = micros;
  }

  /** Writes it. */
  public static void main(String[] args) throws IOException {
    Files.write(Path.of(args[0]), make());
  }

  public static byte[] make(UntracedModule... untraced) throws IOException {
    return make(STATISTICS, untraced);
  }

  /** Makes it with times in which the process was held. */
  public static byte[] make(List<TracedProcess.Hold> holds) throws IOException {
    return make(STATISTICS, holds, List.of());
  }

  /** Makes it with callers of calls. */
  public static byte[] withCallers(List<TracedThread.Callers> callers) throws IOException {
    return make(STATISTICS, List.of(), callers);
  }

  /** Makes it with other counters of the recorder. */
  public static byte[] make(Map<RecorderCounter, Long> statistics, UntracedModule... untraced)
      throws IOException {
    return make(statistics, List.of(), List.of(), untraced);
  }

  private static byte[] make(
      Map<RecorderCounter, Long> statistics,
      List<TracedProcess.Hold> holds,
      List<TracedThread.Callers> callers,
      UntracedModule... untraced)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    NtrHeader header =
        new NtrHeader(
            NtrHeader.ONE_CLOCK,
            2_400_000_000L,
            7_000_000_000L,
            134_000_000_000_000_000L,
            0x8664,
            8,
            NtrHeader.TIME_STAMP_COUNTER,
            "ntrail sample");
    try (NtrWriter writer = new NtrWriter(out, header, 0x5A5A5A5A)) {
      writer.process(TracedProcess.running(1, 4312, 7_000_000_000L, "C:\\shop\\shopd.exe", ""));
      writer.thread(TracedThread.running(1, 1, 4316, 7_000_000_000L, "main"));
      writer.thread(TracedThread.running(2, 1, 5020, 7_000_000_000L, ""));
      writer.module(
          new TracedModule(
              1,
              1,
              0x7FFB_2D00_0000L,
              new ImageId(0x5E1C7A90L, 0x2F6000),
              0,
              0,
              "C:\\Windows\\System32\\kernelbase.dll",
              null,
              ""));
      writer.module(
          new TracedModule(
              2,
              1,
              0x1_8000_0000L,
              new ImageId(1_770_768_000L, 0x7000),
              0,
              0,
              "C:\\shop\\shopcore.dll",
              new PdbId(Guid.parse("5e1c7a90-44b2-4c0f-a1d2-b3c4d5e6f708"), 2),
              "shopcore.pdb"));
      writer.function(new TracedFunction(OPEN_KEY, 1, 0x2D450, "RegOpenKeyExInternalW", List.of()));
      writer.function(new TracedFunction(CURRENT, 2, 0x1010, "Tx::Current", List.of()));
      writer.function(new TracedFunction(CREATE, 2, 0x1020, "Access::Create", List.of()));
      writer.function(new TracedFunction(PARSE, 2, 0x1040, "Key::Parse", List.of()));
      writer.function(new TracedFunction(CALLED, 2, 0x1070, "Hook::Called", List.of()));
      writer.function(new TracedFunction(LOOKUP, 2, 0x10B0, "", List.of()));
      writer.calibration(new ClockCalibration(7_000_000_000L, 0, 134_000_000_000_000_000L));
      for (UntracedModule one : untraced) {
        writer.untraced(one);
      }
      for (TracedProcess.Hold one : holds) {
        writer.hold(one);
      }
      for (TracedThread.Callers one : callers) {
        writer.callers(one);
      }
      main(new SampleTrace(writer.events(1), 3_911));
      other(new SampleTrace(writer.events(2), 5_000));
      writer.statistics(statistics);
    }
    return out.toByteArray();
  }

  private long ticks() {
    return 7_000_000_000L + micros * 2_400;
  }

  private SampleTrace enter(long function, long after) throws IOException {
    micros += after;
    events.entry(ticks(), function, 0, depth, STACK - 0x80L * depth, 0x1_8000_2000L + function);
    depth++;
    return this;
  }

  private SampleTrace leave(long function, long after, long value) throws IOException {
    micros += after;
    depth--;
    events.exit(ticks(), function, 0, depth, STACK - 0x80L * depth, value);
    return this;
  }

  private static void main(SampleTrace t) throws IOException {
    t.enter(OPEN_KEY, 0).enter(CURRENT, 64).leave(CURRENT, 65, 0);
    t.enter(CREATE, 68);
    for (int i = 0; i < 4; i++) {
      t.enter(LOOKUP, 20).leave(LOOKUP, 110, i);
    }
    t.leave(CREATE, 82, 0);
    t.enter(PARSE, 66).enter(CALLED, 67).leave(CALLED, 710, 0x83067800L);
    t.enter(LOOKUP, 452).enter(CALLED, 900);
    // An exception leaves both.
    t.micros += 1_279;
    t.events.unwind(t.ticks(), CALLED, 0, t.depth - 1, STACK - 0x80L * (t.depth - 1), 0xE06D7363L);
    t.events.unwind(t.ticks(), LOOKUP, 0, t.depth - 2, STACK - 0x80L * (t.depth - 2), 0xE06D7363L);
    t.depth -= 2;
    t.enter(CURRENT, 63).leave(CURRENT, 248, 0x946A3801L);
    t.leave(PARSE, 10_396, 0xC0000034L).leave(OPEN_KEY, 300, 0xC0000034L);
  }

  private static void other(SampleTrace t) throws IOException {
    t.enter(PARSE, 0).enter(LOOKUP, 5);
    // The recorder lost the exit, and a call.
    t.events.lost(3);
    t.depth--;
    t.enter(CALLED, 400).leave(CALLED, 25, 1);
    // A fiber has a stack and slots of its own.
    t.micros += 10;
    t.events.entry(t.ticks(), CREATE, 1, 0, 0x20_1000L, 0x1_8000_2000L);
    t.micros += 40;
    t.events.exit(t.ticks(), CREATE, 1, 0, 0x20_1000L, 0);
  }
}
