package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallEventKind;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.merge.calls.CallsCut;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.calls.JtrcWriter;
import io.ntrail.testkit.calls.RandomCalls;
import io.ntrail.testkit.calls.RandomCalls.Rec;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A cut of random calls has the selected ones as they were. */
class CallsCutTest {
  private static final int CUTS = Slice.count(100_000, 600);
  private static final int STEPS = 150;
  private static final NtrHeader NANOS =
      new NtrHeader(
          NtrHeader.ONE_CLOCK,
          1_000_000_000,
          0,
          0,
          0x8664,
          8,
          NtrHeader.TIME_STAMP_COUNTER,
          "test");

  private static byte[] ntr(Gen gen, boolean isLossy) throws IOException {
    return ntr(gen, () -> RandomCalls.make(gen, true, isLossy, STEPS));
  }

  private static byte[] ntr(Gen gen, Supplier<RandomCalls> calls) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int chunk = 1 + gen.below(70);
    try (NtrWriter writer = new NtrWriter(out, NANOS, 1, NtrWriter.Packing.FAST, chunk)) {
      writer.process(TracedProcess.running(1, 4312, 0, "C:\\shop\\shopd.exe", ""));
      for (int thread = gen.below(3); thread >= 0; thread--) {
        writer.thread(TracedThread.running(thread + 7, 1, 100 + thread, 0, ""));
        write(writer.events(thread + 7), calls.get().records(), gen.below(30));
      }
      for (int function = 0; function < 10; function++) {
        long address = 0x401000 + 0x40L * function;
        writer.function(new TracedFunction(address, 0, address, "f" + function, List.of()));
      }
    }
    return out.toByteArray();
  }

  private static void write(ThreadEventWriter events, List<Rec> records, long delay)
      throws IOException {
    for (Rec rec : records) {
      long time = rec.time() + delay;
      long[] arguments = LongStream.range(0, time % 5).map(i -> rec.function() * i).toArray();
      switch (rec.kind()) {
        case ENTRY ->
            events.entry(
                time,
                rec.function(),
                rec.area(),
                rec.slot(),
                rec.key(),
                rec.value(),
                arguments,
                arguments.length);
        case EXIT ->
            events.exit(time, rec.function(), rec.area(), rec.slot(), rec.key(), rec.value());
        case UNWIND ->
            events.unwind(time, rec.function(), rec.area(), rec.slot(), rec.key(), rec.value());
        case LOST -> events.lost(Math.max(1, rec.value()));
        case UNWIND_TARGET ->
            events.other(
                EventKind.UNWIND_TARGET,
                time,
                rec.function(),
                rec.area(),
                rec.slot(),
                rec.key(),
                rec.value(),
                new long[] {rec.stackPointer()},
                1);
        case ENTRY_ONLY ->
            events.entryOnly(
                time,
                rec.function(),
                rec.area(),
                rec.slot(),
                rec.key(),
                rec.value(),
                arguments,
                arguments.length);
      }
    }
  }

  private static byte[] jtrc(Gen gen, boolean isLossy) {
    JtrcWriter writer = new JtrcWriter(gen.flag() ? 6 : 5);
    for (int thread = gen.below(3); thread >= 0; thread--) {
      List<Rec> records = RandomCalls.make(gen, false, isLossy, STEPS).records();
      int most = 1 + gen.below(40);
      for (int from = 0; from < records.size(); from += most) {
        writer.trace(
            4,
            100 + thread,
            records.subList(from, Math.min(records.size(), from + most)).stream()
                .map(rec ->
                    new long[] {
                      switch (rec.kind()) {
                        case ENTRY -> 0;
                        case EXIT -> 1;
                        default -> 2;
                      },
                      rec.time(),
                      rec.function(),
                      rec.value()
                    })
                .toArray(long[][]::new));
      }
    }
    return writer.toByteArray();
  }

  /** Cuts a recording anyhow, and compares what is selected. */
  private static void check(Gen gen, byte[] file, String name) throws IOException {
    try (CallRecording whole = SelectedCalls.open(file, name)) {
      int count = whole.threads().size();
      List<Integer> threads =
          IntStream.range(0, count).filter(_ -> gen.below(4) != 0).boxed().toList();
      long end = gen.between(1_000, 1_400);
      long from = gen.below(4) == 0 ? Long.MIN_VALUE : gen.between(990, end + 10);
      long to =
          gen.below(4) == 0 ? Long.MAX_VALUE : Math.max(990, from) + gen.between(0, gen.below(400));
      boolean named = name.endsWith(".ntr");
      String[] functions =
          gen.below(2) == 0
              ? new String[0]
              : new String[] {
                "(unknown)!"
                    + (named
                        ? "f" + gen.below(9)
                        : "0x" + Integer.toHexString(0x401000 + 0x40 * gen.below(9)))
              };
      List<CallsCut.Written> told = new ArrayList<>();
      byte[] cut =
          SelectedCalls.cut(file, name, SelectedCalls.choice(threads, from, to, functions), told);
      compare(whole, cut, threads, from, to, functions);
      assertEquals(List.of(), ReferenceNtrReader.read(cut).holes());
      CallsCut.Written written = told.getFirst();
      assertEquals(cut.length, written.bytes());
      assertEquals(
          written.read(),
          written.records()
              + written.outsideTime()
              + written.ofOtherThreads()
              + written.ofOtherFunctions());
    }
  }

  /** Compares the selected calls of a recording with those of its cut. */
  static void compare(
      CallRecording whole,
      byte[] bytes,
      List<Integer> threads,
      long from,
      long to,
      String... functions) {
    try (CallRecording cut = SelectedCalls.open(bytes, "cut.ntr")) {
      assertEquals(
          threads.stream().map(i -> identity(whole.threads().get(i))).toList(),
          cut.threads().stream().map(CallsCutTest::identity).toList());
      for (int i = 0; i < threads.size(); i++) {
        List<SelectedCalls.Call> before = SelectedCalls.all(whole, threads.get(i));
        List<SelectedCalls.Call> after = SelectedCalls.all(cut, i);
        assertTrue(SelectedCalls.isBalanced(cut.counts(i)));
        if (!isRising(whole, threads.get(i))) {
          // Damage that no checksum shows: commands do not find times in such a thread.
          continue;
        }
        assertEquals(
            text(SelectedCalls.selected(before, from, to, functions)),
            text(SelectedCalls.selected(after, from, to, functions)));
        if (whole.gaps().isEmpty()) {
          assertEquals(lost(whole, threads.get(i)), lost(cut, i));
        }
        if (functions.length == 0) {
          assertEquals(
              text(SelectedCalls.active(before, from, to)),
              text(SelectedCalls.active(after, from, to)));
          assertEquals(
              SelectedCalls.selves(before, from, to), SelectedCalls.selves(after, from, to));
        }
        assertEquals(whole.source().lost(threads.get(i)), cut.source().lost(i));
      }
      if (threads.size() == whole.threads().size()) {
        assertEquals(whole.source().lost(), cut.source().lost());
      }
      List<Gap> gaps = whole.gaps();
      assertEquals(gaps, cut.gaps());
    }
  }

  /** Returns how many records the losses of a thread tell together. */
  private static long lost(CallRecording recording, int thread) {
    long lost = 0;
    try (CallCursor cursor = recording.source().cursor(thread)) {
      while (cursor.next()) {
        lost += cursor.event() == CallEventKind.LOST ? cursor.value() : 0;
      }
    }
    return lost;
  }

  private static boolean isRising(CallRecording recording, int thread) {
    long last = Long.MIN_VALUE;
    try (CallCursor cursor = recording.source().cursor(thread)) {
      while (cursor.next()) {
        if (cursor.time() < last) {
          return false;
        }
        last = cursor.time();
      }
    }
    return true;
  }

  private static CallThread identity(CallThread thread) {
    return new CallThread(
        thread.pid(), thread.tid(), thread.process(), thread.name(), 0, thread.firstTime());
  }

  private static String text(List<SelectedCalls.Call> calls) {
    StringBuilder text = new StringBuilder();
    for (SelectedCalls.Call call : calls) {
      text.append(
          new SelectedCalls.Call(
              0,
              call.area(),
              call.depth(),
              call.function(),
              call.entry(),
              call.exit(),
              call.value(),
              call.caller(),
              call.children(),
              call.end(),
              call.isEntryLost(),
              call.arguments()));
      text.append('\n');
    }
    return text.toString();
  }

  @Test
  void aCutHasTheSelectedCallsAsTheyWere() {
    Property.check(CUTS, gen -> check(gen, ntr(gen, false), "whole.ntr"));
  }

  @Test
  void aCutOfARecordingWithLossesHasTheSelectedCallsAsTheyWere() {
    Property.check(CUTS, gen -> check(gen, ntr(gen, true), "whole.ntr"));
  }

  @Test
  void aCutOfARecordingOfUnwindersHasTheSelectedCallsAsTheyWere() {
    Property.check(
        CUTS, gen -> check(gen, ntr(gen, () -> RandomCalls.withTargets(gen, STEPS)), "whole.ntr"));
  }

  @Test
  void aCutOfAFileOfNTraceHasTheSelectedCallsAsTheyWere() {
    Property.check(CUTS, gen -> check(gen, jtrc(gen, gen.flag()), "whole.jtrc"));
  }

  @Test
  void aCutOfADamagedFileOfNTraceTellsItsGaps() {
    Property.check(
        CUTS,
        gen -> {
          byte[] file = jtrc(gen, gen.flag());
          if (gen.flag()) {
            file = Arrays.copyOf(file, 17 + gen.below(Math.max(1, file.length - 17)));
          }
          // Behind the header, without which it is no such file.
          for (int flips = gen.below(4); flips > 0 && file.length > 16; flips--) {
            file[16 + gen.below(file.length - 16)] ^= (byte) (1 << gen.below(8));
          }
          check(gen, file, "whole.jtrc");
        });
  }

  @Test
  void aCutOfADamagedRecordingTellsItsGaps() {
    Property.check(
        CUTS,
        gen -> {
          byte[] file = ntr(gen, gen.flag());
          if (gen.flag()) {
            file = Arrays.copyOf(file, 201 + gen.below(Math.max(1, file.length - 201)));
          }
          for (int flips = gen.below(4); flips > 0; flips--) {
            file[200 + gen.below(file.length - 200)] ^= (byte) (1 << gen.below(8));
          }
          check(gen, file, "whole.ntr");
        });
  }
}
