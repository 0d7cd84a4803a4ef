package io.ntrail.analysis.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.collapsed.CollapsedRecording;
import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.MinidumpBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Abilities of all recordings and of some kinds. */
class RecordingTest {
  private static Path sample(String name) {
    return TestData.projectRoot().resolve("samples").resolve(name);
  }

  private static CollapsedRecording collapsed(String text) {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    return new CollapsedRecording(InputFile.of(content, "a.folded"), new Gaps());
  }

  private static DumpRecording dump() {
    byte[] content =
        new MinidumpBuilder()
            .system(9, 10, 0, 19045)
            .process(77)
            .module(0x1_4000_0000L, 0x1000, 1, "C:\\a.exe")
            .thread(5, 0, 0, new byte[0], MinidumpBuilder.x64(0x1234))
            .threadName(5, "main")
            .toByteArray();
    return DumpRecording.open(InputFile.of(content, "a.dmp"), new Gaps());
  }

  @Test
  void everyKindHasItsNoun() {
    Path etl = sample("shop.etl");
    Path ntr = sample("shop.ntr");
    try (Recording events = RecordingInput.openEtw(List.of(etl));
        Recording calls = RecordingInput.openCalls(ntr);
        Recording stacks = collapsed("a 1\n");
        Recording dump = dump()) {
      assertEquals(RecordingKind.DUMP, dump.kind());
      assertEquals(List.of("a.dmp"), dump.fileNames());
      assertEquals(RecordingKind.ETW, events.kind());
      assertEquals(List.of(etl.toString()), events.fileNames());
      assertEquals(etl.toFile().length(), events.size());
      assertEquals(RecordingKind.CALLS, calls.kind());
      assertEquals(List.of(ntr.toString()), calls.fileNames());
      assertEquals(ntr.toFile().length(), calls.size());
      assertEquals(RecordingKind.COLLAPSED, stacks.kind());
      assertEquals(List.of("a.folded"), stacks.fileNames());
      assertEquals(4, stacks.size());
      for (Recording recording : List.of(events, calls, stacks, dump)) {
        assertEquals(List.of(), recording.gaps());
      }
    }
  }

  @Test
  void lossesAreWhatTheRecorderCounted() {
    try (Recording events = RecordingInput.openEtw(List.of(sample("shop.etl")));
        Recording calls = RecordingInput.openCalls(sample("shop.jtrc"));
        Recording stacks = collapsed("");
        Recording dump = dump()) {
      assertEquals(RecorderLosses.UNKNOWN, dump.losses());
      assertTrue(events.losses().records().isPresent());
      assertTrue(events.losses().buffers().isPresent());
      assertEquals(RecorderLosses.UNKNOWN, calls.losses());
      assertEquals(RecorderLosses.UNKNOWN, stacks.losses());
    }
    OptionalLong none = OptionalLong.empty();
    assertFalse(RecorderLosses.UNKNOWN.any());
    assertFalse(
        new RecorderLosses(OptionalLong.of(0), OptionalLong.of(0), 5, 1, 0, 0, 0, false).any());
    assertTrue(new RecorderLosses(OptionalLong.of(1), none, 5, 0, 0, 0, 0, false).any());
    assertTrue(new RecorderLosses(none, OptionalLong.of(1), 5, 0, 0, 0, 0, false).any());
    assertTrue(new RecorderLosses(none, none, 5, 0, 1, 0, 0, false).any());
    assertTrue(new RecorderLosses(none, none, 5, 0, 0, 1, 0, false).any());
    assertTrue(new RecorderLosses(none, none, 5, 0, 0, 0, 1, false).any());
    assertTrue(new RecorderLosses(none, none, 5, 0, 0, 0, 0, true).any());
  }

  @Test
  void abilitiesAreThoseOfTheKind() {
    try (Recording events = RecordingInput.openEtw(List.of(sample("shop.etl")));
        Recording calls = RecordingInput.openCalls(sample("shop.ntr"));
        Recording stacks = collapsed("");
        Recording dump = dump()) {
      for (Recording recording : List.of(events, calls, stacks, dump)) {
        RecordingKind kind = recording.kind();
        assertEquals(kind.has(Ability.EVENTS), is(recording, RecordedEvents.class));
        assertEquals(kind.has(Ability.CALLS), is(recording, CallRecording.class));
        assertEquals(kind.has(Ability.MEMORY), is(recording, AddressSpace.class));
        assertEquals(kind == RecordingKind.ETW, is(recording, EtwRecording.class));
        // Other recordings have stacks of addresses, which get their names later.
        assertEquals(kind == RecordingKind.COLLAPSED, is(recording, NamedStacks.class));
      }
      assertTrue(is(calls, RecordedThreads.class));
      assertTrue(is(dump, RecordedThreads.class));
    }
  }

  private static boolean is(Recording recording, Class<?> ability) {
    return recording.ability(ability).isPresent();
  }

  @Test
  void eventsComeInTimeOrderAndFromTheRequestedTime() {
    try (EtwRecording recording = RecordingInput.openEtw(List.of(sample("shop.etl")))) {
      List<Long> all = times(recording, Long.MIN_VALUE, Long.MAX_VALUE);
      assertEquals(all.stream().sorted().toList(), all);
      assertTrue(all.size() > 1000, all.size() + " events");
      long from = all.get(all.size() / 4);
      long to = all.get(all.size() / 2);
      assertEquals(
          all.stream().filter(time -> time >= from && time < to).toList(),
          times(recording, from, to));
    }
  }

  private static List<Long> times(RecordedEvents events, long from, long to) {
    List<Long> times = new ArrayList<>();
    try (EventCursor cursor = events.inOrder(from, to)) {
      while (cursor.next()) {
        times.add(cursor.nanos());
      }
    }
    return times;
  }

  @Test
  void anEventHasItsProcessThreadAndCpu() {
    try (EtwRecording recording = RecordingInput.openEtw(List.of(sample("shop.etl")));
        OrderedCursor cursor = recording.inOrder()) {
      EventCursor event = cursor;
      while (event.next()) {
        assertEquals(cursor.record().processId(), event.processId());
        assertEquals(cursor.record().threadId(), event.threadId());
        assertEquals(cursor.record().cpu(), event.cpu());
      }
    }
  }

  @Test
  void threadsOfCallsHaveTheirIds() {
    try (CallRecording calls = RecordingInput.openCalls(sample("shop.jtrc"))) {
      assertEquals(
          List.of(4316L, 5020L),
          calls.threads().stream().map(RecordedThreads.RecordedThread::tid).toList());
    }
  }

  @Test
  void threadsOfADumpHaveProcessIdAndName() {
    try (DumpRecording dump = dump()) {
      RecordedThreads.RecordedThread thread = dump.threads().getFirst();
      assertEquals(77, thread.pid());
      assertEquals(5, thread.tid());
      assertEquals("a.exe", thread.process());
      assertEquals("main", thread.name());
    }
  }

  @Test
  void stacksComeFrameByFrameWithTheirWeight() {
    List<String> seen = new ArrayList<>();
    NamedStacks.Sink sink =
        new NamedStacks.Sink() {
          @Override
          public void frame(String name) {
            seen.add(name);
          }

          @Override
          public void end(long weight, int decimals) {
            seen.add("= " + weight);
          }
        };
    try (CollapsedRecording stacks = collapsed("a;b c 3\nnothing\n;d 4\n")) {
      assertEquals(2, stacks.stacks(sink));
      assertEquals(List.of("a", "b c", "= 3", "", "d", "= 4"), seen);
      assertEquals(1, stacks.gaps().size());
    }
  }
}
