package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallEventKind;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.NtrCalls;
import io.ntrail.analysis.merge.calls.CallsCut;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.testkit.MemoryChannel;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Records that cuts keep of recordings that were worked out by hand. */
class CutVectorsTest {
  private static final int EXIT = EventKind.EXIT;
  private static final int ENTRY = EventKind.ENTRY;
  private static final int UNWIND = EventKind.UNWIND;
  private static final int LEFT_OUT = EventKind.LEFT_OUT;

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

  private final List<CallsCut.Written> told = new ArrayList<>();

  private interface Events {
    void write(ThreadEventWriter events) throws IOException;
  }

  private static byte[] recording(Events... threads) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, NANOS, 1)) {
      writer.process(TracedProcess.running(1, 4312, 0, "shopd.exe", ""));
      for (int function = 1; function < 5; function++) {
        writer.function(new TracedFunction(function, 0, function, "f" + function, List.of()));
      }
      for (int thread = 1; thread <= threads.length; thread++) {
        writer.thread(TracedThread.running(thread, 1, 100 + thread, 0, ""));
        threads[thread - 1].write(writer.events(thread));
      }
    }
    return out.toByteArray();
  }

  private static void enter(ThreadEventWriter events, long time, int function, int slot)
      throws IOException {
    events.entry(time, function, 0, slot, 1000 - 8L * slot, 7);
  }

  private static void leave(ThreadEventWriter events, long time, int function, int slot)
      throws IOException {
    events.exit(time, function, 0, slot, 1000 - 8L * slot, 0);
  }

  private static void unwind(ThreadEventWriter events, long time, int function, int slot)
      throws IOException {
    events.unwind(time, function, 0, slot, 1000 - 8L * slot, 0xC0000005L);
  }

  private byte[] cut(byte[] file, CallsCut.Choice choice) throws IOException {
    return SelectedCalls.cut(file, "whole.ntr", choice, told);
  }

  /** Returns kind, time, function and value of the events of the first thread, in words. */
  private static List<String> events(byte[] file) {
    return ReferenceNtrReader.read(file).events().values().iterator().next().stream()
        .map(event ->
            switch (event.kind()) {
              case ENTRY -> "entry " + event.ticks() + " f" + event.function();
              case EXIT -> "exit " + event.ticks() + " f" + event.function();
              case UNWIND -> "unwind " + event.ticks() + " f" + event.function();
              case LEFT_OUT ->
                  "left out " + event.ticks() + " slot " + event.slot() + ": " + event.value();
              default -> "kind " + event.kind();
            })
        .toList();
  }

  /** Returns where a chunk of events of the first thread begins. */
  private static long chunkOf(byte[] file, int number) {
    try (CallRecording recording = SelectedCalls.open(file, "whole.ntr")) {
      NtrCalls source = (NtrCalls) recording.source();
      return source.file().chunks(source.number(0)).get(number).offset();
    }
  }

  private static CallsCut.Choice time(long from, long to) {
    return SelectedCalls.choice(List.of(0), from, to);
  }

  @Test
  void callsAroundTheTimeKeepTheirEntriesAndEndsAndTheNumberOfCallsInThem() throws IOException {
    byte[] file =
        recording(events -> {
          enter(events, 10, 1, 0);
          enter(events, 20, 2, 1);
          leave(events, 30, 2, 1);
          enter(events, 100, 3, 1);
          enter(events, 200, 2, 2);
          leave(events, 210, 2, 2);
          leave(events, 220, 3, 1);
          enter(events, 230, 4, 1);
          leave(events, 240, 4, 1);
          leave(events, 250, 1, 0);
        });
    assertEquals(
        List.of(
            "entry 10 f1",
            "entry 100 f3",
            "left out 220 slot 1: 1",
            "exit 220 f3",
            "left out 250 slot 0: 2",
            "exit 250 f1"),
        events(cut(file, time(90, 150))));
    assertEquals(
        new CallsCut.Written(told.getFirst().bytes(), 10, 4, 6, 0, 0, 0, List.of(), List.of()),
        told.getFirst());
  }

  @Test
  void anEntryThatShowsThatAKeptCallIsOverIsKept() throws IOException {
    byte[] file =
        recording(events -> {
          enter(events, 10, 1, 0);
          enter(events, 20, 2, 1);
          enter(events, 30, 3, 2);
          // The exits of f3 and f2 are not there.
          enter(events, 100, 4, 1);
          leave(events, 110, 4, 1);
          leave(events, 120, 1, 0);
        });
    assertEquals(
        List.of(
            "entry 10 f1",
            "entry 20 f2",
            "left out 100 slot 1: 1",
            "entry 100 f4",
            "exit 110 f4",
            "exit 120 f1"),
        events(cut(file, time(15, 25))));
  }

  @Test
  void aTailCallOfAKeptCallIsKeptAsItsUnwindIsThatOfBoth() throws IOException {
    byte[] file =
        recording(events -> {
          events.entry(10, 1, 0, 0, 1000, 7);
          events.entry(50, 2, 0, 1, 1000, 7);
          events.unwind(60, 2, 0, 1, 1000, 0xC0000005L);
        });
    byte[] cut = cut(file, time(5, 15));
    assertEquals(List.of("entry 10 f1", "entry 50 f2", "unwind 60 f2"), events(cut));
    try (CallRecording whole = SelectedCalls.open(file, "whole.ntr");
        CallRecording small = SelectedCalls.open(cut, "cut.ntr")) {
      assertEquals(SelectedCalls.all(whole, 0), SelectedCalls.all(small, 0));
      assertEquals("LEFT", SelectedCalls.all(small, 0).getFirst().end());
    }
  }

  @Test
  void aLossStaysBetweenTheRecordsThatItIsBetween() throws IOException {
    byte[] file =
        recording(events -> {
          enter(events, 10, 1, 0);
          enter(events, 20, 2, 1);
          unwind(events, 30, 2, 1);
          events.lost(4);
          // Another call in the place of the one that was left.
          leave(events, 60, 2, 1);
          leave(events, 70, 1, 0);
        });
    for (long from : new long[] {0, 25, 40, 65}) {
      byte[] cut = cut(file, time(from, 65));
      try (CallRecording whole = SelectedCalls.open(file, "whole.ntr");
          CallRecording small = SelectedCalls.open(cut, "cut.ntr")) {
        assertEquals(
            SelectedCalls.selected(SelectedCalls.all(whole, 0), from, 65),
            SelectedCalls.selected(SelectedCalls.all(small, 0), from, 65));
        assertEquals(4, small.source().lost().orElseThrow());
        assertEquals(4, small.source().lost(0));
      }
    }
    assertTrue(
        SelectedCalls.selected(SelectedCalls.all(SelectedCalls.open(file, "whole.ntr"), 0), 40, 65)
            .getFirst()
            .isEntryLost());
  }

  @Test
  void aFrameThatATailCallWhichIsLeftOutMovedLiesWhereItWasMovedTo() throws IOException {
    byte[] file =
        recording(events -> {
          events.entry(10, 1, 0, 0, 1000, 7);
          // Its tail call has its frame higher up.
          events.entry(20, 2, 0, 1, 1040, 7);
          events.exit(30, 2, 0, 1, 1040, 0);
          events.lost(1);
          // The entry in slot 1 is lost. This one lies above where f1 began, not above where it is.
          events.entry(40, 3, 0, 2, 1016, 7);
          events.exit(60, 1, 0, 0, 1040, 0);
        });
    for (String[] functions : new String[][] {{}, {"f3"}}) {
      byte[] cut = cut(file, SelectedCalls.choice(List.of(0), 35, 55, functions));
      assertEquals(
          List.of(
              "entry 10 f1",
              "left out 30 slot 0: 0",
              "entry 40 f3",
              "left out 60 slot 0: 1",
              "exit 60 f1"),
          events(cut));
      try (CallRecording small = SelectedCalls.open(cut, "cut.ntr")) {
        assertEquals(
            List.of("(unknown)!f1 RETURN 2", "(unknown)!f3 INFERRED 0"),
            SelectedCalls.all(small, 0).stream()
                .map(call -> call.function() + " " + call.end() + " " + call.children())
                .toList());
      }
    }
  }

  @Test
  void aFunctionIsKeptWithWhatItCallsAndTheCallsAroundIt() throws IOException {
    byte[] file =
        recording(events -> {
          enter(events, 10, 1, 0);
          enter(events, 20, 4, 1);
          leave(events, 30, 4, 1);
          enter(events, 40, 2, 1);
          enter(events, 50, 3, 2);
          leave(events, 60, 3, 2);
          leave(events, 70, 2, 1);
          leave(events, 80, 1, 0);
          enter(events, 90, 4, 0);
          leave(events, 95, 4, 0);
        });
    assertEquals(
        List.of(
            "entry 10 f1",
            "entry 40 f2",
            "entry 50 f3",
            "exit 60 f3",
            "exit 70 f2",
            "left out 80 slot 0: 1",
            "exit 80 f1"),
        events(cut(file, SelectedCalls.choice(List.of(0), Long.MIN_VALUE, Long.MAX_VALUE, "f2"))));
    assertEquals(4, told.getFirst().ofOtherFunctions());
  }

  @Test
  void theFileTellsWhatIsLeftOutByTheReason() throws IOException {
    Events one =
        events -> {
          enter(events, 10, 1, 0);
          leave(events, 20, 1, 0);
          enter(events, 30, 2, 0);
          leave(events, 40, 2, 0);
          enter(events, 50, 2, 0);
          leave(events, 60, 2, 0);
        };
    byte[] first = cut(recording(one, one, one), SelectedCalls.choice(List.of(0, 2), 25, 1000));
    try (CallRecording cut = SelectedCalls.open(first, "cut.ntr")) {
      assertEquals(
          List.of(
              new Omission("records outside 25 .. 1000", 4),
              new Omission("records of other threads", 6)),
          cut.omissions());
    }
    byte[] second =
        SelectedCalls.cut(first, "first.ntr", SelectedCalls.choice(List.of(1), 0, 45, "f1"), told);
    try (CallRecording cut = SelectedCalls.open(second, "cut.ntr")) {
      assertEquals(
          List.of(
              new Omission("records outside 25 .. 1000", 4),
              new Omission("records of other threads", 6),
              new Omission("records outside 0 .. 45", 2),
              new Omission("records of other threads", 4),
              new Omission("records outside calls of f1", 2)),
          cut.omissions());
      assertEquals(List.of(103L), cut.threads().stream().map(thread -> thread.tid()).toList());
    }
  }

  @Test
  void aCutOfEverythingSaysThatNothingIsLeftOut() throws IOException {
    byte[] file = recording(events -> enter(events, 10, 1, 0));
    byte[] cut = cut(file, SelectedCalls.choice(List.of(0), Long.MIN_VALUE, Long.MAX_VALUE));
    assertEquals(events(file), events(cut));
    try (CallRecording small = SelectedCalls.open(cut, "cut.ntr")) {
      assertEquals(List.of(), small.omissions());
    }
  }

  @Test
  void aThreadWithMoreOpenCallsThanReadersKeepIsCopiedWhole() throws IOException {
    byte[] file =
        recording(events -> {
          for (int depth = 0; depth < 9_000; depth++) {
            enter(events, 10 + depth, 1, depth);
          }
        });
    byte[] cut = cut(file, time(20, 30));
    assertEquals(1, told.getFirst().wholeThreads());
    assertEquals(9_000, told.getFirst().records());
    try (CallRecording small = SelectedCalls.open(cut, "cut.ntr")) {
      assertEquals(9_000 - 8_192, small.counts(0).beyond());
    }
  }

  @Test
  void aLongRecordingIsCutToItsPart() throws IOException {
    byte[] file =
        recording(events -> {
          enter(events, 1, 1, 0);
          for (int i = 0; i < 100_000; i++) {
            enter(events, 10 + 10L * i, 2, 1);
            leave(events, 15 + 10L * i, 2, 1);
          }
          leave(events, 2_000_000, 1, 0);
        });
    byte[] cut = cut(file, time(500_000, 510_000));
    assertTrue(cut.length < file.length / 50, cut.length + " of " + file.length);
    try (CallRecording small = SelectedCalls.open(cut, "cut.ntr")) {
      assertEquals(1_000 + 1, SelectedCalls.all(small, 0).size());
      assertEquals(100_000, SelectedCalls.all(small, 0).getFirst().children());
    }
  }

  @Test
  void theSameCutHasTheSameBytes() throws IOException {
    byte[] file = recording(events -> enter(events, 10, 1, 0));
    assertArrayEquals(cut(file, time(0, 50)), cut(file, time(0, 50)));
  }

  @Test
  void recordsThatCannotBeReadAreMissingInTheCutToo() throws IOException {
    byte[] file =
        recording(events -> {
          enter(events, 10, 1, 0);
          events.flush();
          enter(events, 20, 2, 1);
          leave(events, 30, 2, 1);
          events.flush();
          enter(events, 40, 3, 1);
          leave(events, 50, 3, 1);
          leave(events, 60, 1, 0);
        });
    long offset = chunkOf(file, 1);
    file[(int) offset + 32 + 144] ^= 1;
    byte[] cut = cut(file, time(35, 55));
    try (CallRecording small = SelectedCalls.open(cut, "cut.ntr");
        CallCursor records = small.source().cursor(0)) {
      List<String> seen = new ArrayList<>();
      while (records.next()) {
        seen.add(
            records.event() + (records.event() == CallEventKind.LOST ? " " + records.value() : ""));
      }
      assertEquals(List.of("ENTRY", "LOST 2", "ENTRY", "EXIT", "EXIT"), seen);
      assertEquals(
          List.of(
              new Gap(
                  "whole.ntr",
                  offset,
                  small.gaps().getFirst().bytes(),
                  "chunk of events",
                  "its checksum is wrong")),
          small.gaps());
      assertEquals(0, small.source().lost().orElseThrow());
    }
  }

  @Test
  void aStoppedCutIsNone() throws IOException {
    byte[] file =
        recording(events ->
            LongStream.range(0, 40_000)
                .forEach(i -> {
                  try {
                    enter(events, 10 + i, 1, 0);
                  } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                }));
    try (CallRecording recording = SelectedCalls.open(file, "whole.ntr")) {
      recording.work().stop();
      assertThrows(
          CannotGoOn.class,
          () ->
              CallsCut.write(
                  recording, time(0, 50), SelectedCalls.names(recording), new MemoryChannel()));
    }
  }
}
