package io.ntrail.formats.ntr;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import io.ntrail.testkit.ntr.SyntheticProgram;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes recordings in memory and remembers the events it was given. */
final class RecordingInMemory {
  static final NtrHeader HEADER =
      new NtrHeader(
          NtrHeader.ONE_CLOCK,
          2_500_000_000L,
          1_000,
          133_000_000_000_000_000L,
          0x8664,
          8,
          NtrHeader.TIME_STAMP_COUNTER,
          "test");

  final Map<Long, List<ReferenceNtrReader.Event>> events = new TreeMap<>();
  final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final NtrWriter writer;

  RecordingInMemory() {
    this(NtrWriter.Packing.FAST, NtrWriter.CHUNK_EVENTS);
  }

  RecordingInMemory(NtrWriter.Packing packing, int chunkEvents) {
    try {
      writer = new NtrWriter(out, HEADER, 0x1234_5678, packing, chunkEvents);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the file as a killed writer leaves it. */
  byte[] killed() {
    return out.toByteArray();
  }

  /** The complete file. */
  byte[] closed() {
    try {
      writer.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  /** Gives an event to the writer, by the method for its kind. */
  void add(
      long thread,
      int kind,
      long ticks,
      long function,
      int area,
      int slot,
      long key,
      long value,
      long... more) {
    List<ReferenceNtrReader.Event> of = events.computeIfAbsent(thread, n -> new ArrayList<>());
    List<Long> values = new ArrayList<>();
    for (long one : more) {
      values.add(one);
    }
    of.add(
        new ReferenceNtrReader.Event(
            of.size(), kind, ticks, function, area, slot, key, value, values));
    ThreadEventWriter to = writer.events(thread);
    int n = more.length;
    try {
      switch (kind) {
        case EventKind.ENTRY -> {
          if (n == 0) {
            to.entry(ticks, function, area, slot, key, value);
          } else {
            to.entry(ticks, function, area, slot, key, value, more, n);
          }
        }
        case EventKind.ENTRY_ONLY -> to.entryOnly(ticks, function, area, slot, key, value, more, n);
        case EventKind.EXIT -> to.exit(ticks, function, area, slot, key, value, more, n);
        case EventKind.UNWIND -> {
          if (n == 0) {
            to.unwind(ticks, function, area, slot, key, value);
          } else {
            to.other(kind, ticks, function, area, slot, key, value, more, n);
          }
        }
        default -> to.other(kind, ticks, function, area, slot, key, value, more, n);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a made-up program on a thread. */
  void run(long thread, SyntheticProgram program, int count) {
    program.run(
        count,
        new SyntheticProgram.Recorder() {
          @Override
          public void entry(long ticks, int function, int slot, long key, long returnAddress) {
            add(thread, EventKind.ENTRY, ticks, function, 3, slot, key, returnAddress);
          }

          @Override
          public void exit(long ticks, int function, int slot, long key, long value) {
            add(thread, EventKind.EXIT, ticks, function, 3, slot, key, value);
          }

          @Override
          public void unwind(long ticks, int function, int slot, long key, long code) {
            add(thread, EventKind.UNWIND, ticks, function, 3, slot, key, code);
          }
        });
  }

  /** One of each definition, and statistics. */
  void define() {
    Guid guid = Guid.parse("12345678-9abc-def0-1122-334455667788");
    try {
      writer.process(TracedProcess.running(1, 4312, 5, "shopd.exe", "shopd.exe -x"));
      writer.thread(TracedThread.running(1, 1, 4316, 6, "main"));
      writer.thread(new TracedThread(2, 1, 4320, 7, 9_000, ""));
      writer.module(
          new TracedModule(
              1,
              1,
              0x7FF6_1234_0000L,
              new ImageId(0x6543_2100L, 0x95000),
              0,
              0,
              "C:\\shop\\shopd.exe",
              new PdbId(guid, 2),
              "shopd.pdb"));
      writer.module(
          new TracedModule(
              2, 1, 0x7FF8_0000_0000L, new ImageId(1, 4096), 77, 8_000, "plug.dll", null, ""));
      writer.function(new TracedFunction(1, 1, 0x1040, "Key::Parse", List.of(1, 2)));
      writer.function(new TracedFunction(2, 2, 0x2000, "", List.of()));
      writer.untraced(new UntracedModule(1, 1, 80, 0, "plug.dll", "its loading did not wait"));
      writer.callers(
          new TracedThread.Callers(
              1,
              1,
              7,
              78,
              0x7000,
              2,
              "0x10 is in no function",
              List.of(
                  new TracedThread.Frame(0x1_4000_1234L, TracedThread.Frame.RETURN, 0x34),
                  new TracedThread.Frame(0x7FFF_1234_5678L, TracedThread.Frame.UNWIND, 0x5678),
                  new TracedThread.Frame(0x10, TracedThread.Frame.SCAN, 0))));
      writer.hold(new TracedProcess.Hold(1, 1, 77, 79, "plug.dll was loaded"));
      writer.totals(new CallTotals(1, 2, 1, 10, 20, CallTotals.ASKED, 7, CallTotals.Times.NONE));
      writer.totals(
          new CallTotals(
              2,
              1,
              0,
              10,
              30,
              CallTotals.ASKED,
              900,
              new CallTotals.Times(true, 1, 895, 2, 1, 10_000, 8_000, 3, 250, List.of(0L, 5L))));
      writer.calibration(new ClockCalibration(1_000, 0, 133_000_000_000_000_000L));
      writer.statistics(Map.of(RecorderCounter.EVENTS, 12L, RecorderCounter.REENTRANT, 3L));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Any events at all: related to each other sometimes, in any order, with any numbers. */
  static RecordingInMemory anything(Gen g) {
    RecordingInMemory recorded =
        new RecordingInMemory(g.oneOf(NtrWriter.Packing.values()), 1 + g.below(1 + g.below(300)));
    int threads = 1 + g.below(4);
    long[] key = {0x1000};
    int[] slot = {0};
    long ticks = g.scaled();
    for (int i = g.length(400); i > 0; i--) {
      long thread = g.below(threads) == 0 ? 1 : g.below(threads) + 1;
      ticks += g.below(8) == 0 ? g.scaled() : g.below(300);
      int area = g.below(6) == 0 ? (g.below(8) == 0 ? (int) g.bits() : g.below(4)) : 0;
      boolean wild = g.below(10) == 0;
      long function = wild ? g.scaled() : 1 + g.below(5);
      long value = g.below(3) == 0 ? g.scaled() : g.below(4);
      long[] more = new long[g.below(5) == 0 ? g.below(4) : 0];
      for (int k = 0; k < more.length; k++) {
        more[k] = g.scaled();
      }
      switch (g.below(8)) {
        case 0, 1, 2 -> {
          key[0] = wild ? g.scaled() : key[0] - 8L * (1 + g.below(3));
          slot[0] = wild ? (int) g.scaled() : slot[0] + 1;
          recorded.add(
              thread, EventKind.ENTRY, ticks, function, area, slot[0], key[0], value, more);
        }
        case 3, 4, 5 -> {
          List<ReferenceNtrReader.Event> before = recorded.events.getOrDefault(thread, List.of());
          int back = g.below(4) + 1;
          if (!wild && before.size() >= back) {
            ReferenceNtrReader.Event of = before.get(before.size() - back);
            recorded.add(
                thread,
                g.below(8) == 0 ? EventKind.UNWIND : EventKind.EXIT,
                ticks,
                of.function(),
                of.area(),
                of.slot(),
                of.key(),
                value,
                more);
            key[0] = of.key() + 8;
            slot[0] = of.slot() - 1;
          } else {
            recorded.add(
                thread, EventKind.EXIT, ticks, function, area, slot[0], key[0], value, more);
          }
        }
        case 6 ->
            recorded.add(
                thread,
                g.oneOf(EventKind.ENTRY_ONLY, EventKind.UNWIND, EventKind.UNWIND_TARGET),
                ticks,
                function,
                area,
                slot[0],
                key[0],
                value,
                more);
        default ->
            recorded.add(
                thread,
                wild ? (int) g.scaled() & 0x7FFF_FFFF : 2 + g.below(10),
                ticks,
                function,
                area,
                slot[0],
                key[0],
                value,
                more);
      }
    }
    return recorded;
  }
}
