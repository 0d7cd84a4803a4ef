package io.ntrail.analysis.etw.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stacks of real recordings. The frames that are written out here were decoded by hand from the
 * bytes of the files.
 */
class RecordedStacksTest {
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);
  private static final String X86 = "perfview-net45-x86-win7";
  private static final String X64 = "perfview-net452-x64";
  private static final String TRACE_LOGGING = "etwanalyzer-TraceLoggingTester";

  @BeforeEach
  void needsData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  private static EtwRecording open(String name) throws IOException {
    return EtwRecording.of(List.of(InputFile.of(TestData.gunzip("etl/" + name + ".etl.gz"), name)));
  }

  private static Events.Walk walk(EtwRecording recording) {
    return Events.of(recording, SOURCES, 2, Events.Learn.ADDRESSES)
        .walkWithStacks(new EventFilter.Builder().build(), Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private static StackStatistics counts(String name) throws IOException {
    try (EtwRecording recording = open(name);
        Events.Walk walk = walk(recording)) {
      while (walk.next()) {
        walk.stack();
      }
      return walk.stackCounts();
    }
  }

  @Test
  void everyStackRecordBelongsToAnEventAndEveryClrStackToo() throws IOException {
    assertEquals(new StackStatistics(18_532, 0, 0, 0, 54_165, 0), counts(X86));
    assertEquals(new StackStatistics(9_359, 0, 0, 0, 14_983, 0), counts(X64));
    assertEquals(new StackStatistics(0, 0, 0, 0, 0, 0), counts(TRACE_LOGGING));
  }

  /** The texts of the stack of the event of a time and thread. */
  private static List<String> stack(String name, long ticks, int thread) throws IOException {
    try (EtwRecording recording = open(name);
        Events.Walk walk = walk(recording)) {
      while (walk.next()) {
        EventReader event = walk.event();
        if (event.record().ticks() == ticks && event.threadId() == thread) {
          List<String> texts = new ArrayList<>();
          for (NamedFrame frame : walk.stack()) {
            texts.add(Long.toHexString(frame.ip()) + " " + frame.text());
          }
          return texts;
        }
      }
    }
    return List.of();
  }

  @Test
  void framesDecodedByHand() throws IOException {
    assertEquals(List.of("fffff880012bde2a Ntfs.sys+0x93e2a"), stack(X86, 737_402_264_106L, 3720));
    // Kernel's part and user's part are records of their own, 37 ms apart.
    assertEquals(
        List.of("fffff80002696ec1 ntoskrnl.exe+0x87ec1", "7787b350 ntdll.dll+0x2b350"),
        stack(X86, 737_402_254_127L, 3720));
    List<String> fault = stack(X86, 737_422_428_913L, 3644);
    assertEquals(29 + 8, fault.size());
    assertEquals("fffff80002773036 ntoskrnl.exe+0x164036", fault.getFirst());
    assertEquals("fffff80002682313 ntoskrnl.exe+0x73313", fault.get(28));
    assertEquals("7789d90a ntdll.dll+0x4d90a", fault.get(29));
    assertEquals("fff6533e wmpnetwk.exe+0x7533e", fault.get(32));
    assertEquals("7787b371 ntdll.dll+0x2b371", fault.getLast());
  }

  @Test
  void framesOfTheClrDecodedByHand() throws IOException {
    List<String> assembly = stack(X86, 737_402_959_964L, 3720);
    assertEquals(22, assembly.size());
    assertEquals("74be7bd0 clr.dll+0x237bd0", assembly.getFirst());
    assertEquals("77a699d5 ntdll.dll+0x399d5", assembly.getLast());
    assertEquals(
        List.of("74be7bd0", "74beccb9", "74bea0e7", "74be91b3", "74bf3288"),
        stack(X86, 737_402_960_736L, 3720).stream()
            .limit(5)
            .map(text -> text.substring(0, 8))
            .toList());
    // The stack event itself has none.
    assertEquals(List.of(), stack(X86, 737_402_960_324L, 3720));
  }

  @Test
  void framesOfAnExtendedItemDecodedByHand() throws IOException {
    String core = " System.Private.CoreLib.dll+0x";
    assertEquals(
        List.of(
            "7ff8ab222984 ntdll.dll+0x162984",
            "7ff8ab0e15c1 ntdll.dll+0x215c1",
            "7ff85f79ce6d" + core + "21ce6d",
            "7ff85f9b4f3a" + core + "434f3a",
            "7ff85f9b7d4c" + core + "437d4c",
            "7ff85f9be139" + core + "43e139",
            "7ff85f9b79f0" + core + "4379f0",
            "7ff85f9b6e5c" + core + "436e5c",
            "7ff80cda39c5 (jitted)!TraceLoggingTester.TestSource.MarkString"),
        stack(TRACE_LOGGING, 9_578_860_836_803L, 28_500));
  }

  /** Stacks by time and thread, joined record by record. */
  private static final class SimpleJoin {
    private final Map<String, List<Long>> stacks = new HashMap<>();
    private final Map<Long, TreeMap<Integer, List<Long>>> definitions = new HashMap<>();
    private final List<Runnable> later = new ArrayList<>();
    private final Set<Long> keys = new HashSet<>();
    private int place;
    private int defined;

    void visit(RecordCursor record) {
      place++;
      int hook = record.hookId();
      int at = record.payloadOffset();
      int pointer = record.pointerBytes();
      List<Long> frames = new ArrayList<>();
      boolean definition = hook == 0x1822 || hook == 0x1823 || hook == 0x1824;
      int first = definition ? pointer : 16;
      for (int i = first; i + pointer <= record.payloadLength(); i += pointer) {
        frames.add(record.bytes().pointer(at + i, pointer));
      }
      if (definition) {
        long key = record.bytes().pointer(at, pointer);
        definitions.computeIfAbsent(key, k -> new TreeMap<>()).put(place, frames);
        defined++;
        return;
      }
      String event = record.bytes().i64(at) + " " + record.bytes().i32(at + 12);
      List<Long> stack = stacks.computeIfAbsent(event, e -> new ArrayList<>());
      int now = place;
      if (hook == 0x1820) {
        later.add(() -> stack.addAll(frames));
      } else {
        keys.add(frames.getFirst());
        long key = frames.getFirst();
        later.add(() -> stack.addAll(meaning(key, now)));
      }
    }

    /** Returns the frames of the first definition of a key after a place. */
    private List<Long> meaning(long key, int after) {
      Map.Entry<Integer, List<Long>> first =
          definitions.getOrDefault(key, new TreeMap<>()).higherEntry(after);
      if (first == null) {
        throw new AssertionError("key without definition");
      }
      return first.getValue();
    }

    void finish() {
      later.forEach(Runnable::run);
    }
  }

  private static long time(String event) {
    return Long.parseLong(event.substring(0, event.indexOf(' ')));
  }

  private static SimpleJoin simple(EtwRecording recording) {
    SimpleJoin join = new SimpleJoin();
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        RecordCursor record = cursor.record();
        if (record.kind().isHook() && record.hookId() >>> 8 == 0x18) {
          join.visit(record);
        }
      }
    }
    join.finish();
    return join;
  }

  @ParameterizedTest
  @ValueSource(strings = {X86, X64})
  void stacksAreThoseOfASimpleJoin(String name) throws IOException {
    try (EtwRecording recording = open(name);
        Events.Walk walk = walk(recording)) {
      SimpleJoin join = simple(recording);
      assertEquals(name.equals(X64) ? 2_921 : 0, join.defined);
      assertEquals(name.equals(X64) ? 1_077 : 0, join.keys.size());
      // Thread 0 runs on all CPUs at once: its stacks are distinguished by more than the thread.
      Set<Long> idle = new HashSet<>();
      join.stacks.keySet().stream()
          .filter(event -> event.endsWith(" 0"))
          .forEach(event -> idle.add(time(event)));
      join.stacks.keySet().removeIf(event -> idle.contains(time(event)));
      Map<Long, List<List<Long>>> expected = new HashMap<>();
      join.stacks.forEach((event, frames) ->
          expected.computeIfAbsent(time(event), t -> new ArrayList<>()).add(frames));
      int found = 0;
      while (walk.next()) {
        EventReader event = walk.event();
        if (!event.record().kind().isHook()
            || !walk.hasStack()
            || idle.contains(event.record().ticks())) {
          continue;
        }
        List<Long> frames = walk.stack().stream().map(NamedFrame::ip).toList();
        List<List<Long>> ofTime = expected.getOrDefault(event.record().ticks(), List.of());
        assertTrue(ofTime.remove(frames), event.type().text() + " " + event.record().ticks());
        found++;
      }
      assertEquals(join.stacks.size(), found, "each is somebody's");
    }
  }

  private static Map<String, Long> withStack(EventCounts counts) {
    Map<String, Long> rows = new TreeMap<>();
    counts.rows().forEach(row -> rows.merge(row.text(), row.withStack(), Long::sum));
    assertTrue(counts.stacksKnown());
    return rows;
  }

  @ParameterizedTest
  @ValueSource(strings = {X86, X64, TRACE_LOGGING})
  void countsOnSeveralCoresAreThoseOfAWalk(String name) throws IOException {
    try (EtwRecording recording = open(name)) {
      Events events = Events.of(recording, SOURCES, 2, Events.Learn.STACKS);
      EventFilter all = new EventFilter.Builder().build();
      Map<String, Long> walked =
          withStack(
              EventCounts.selected(
                  new EventStretches(events, all, Long.MIN_VALUE, Long.MAX_VALUE), List.of()));
      assertEquals(walked, withStack(EventCounts.of(recording, 2)));
      if (name.equals(X86)) {
        // Rundowns at the time of a sample do not have its stack.
        assertEquals(0, walked.get("FileIo/FileRundown"));
        assertEquals(471, walked.get("DiskIo/WriteInit"));
        assertEquals(111, walked.get("Image/Load"));
      } else if (name.equals(X64)) {
        assertEquals(1_208, walked.get("DiskIo/ReadInit"));
        assertEquals(153, walked.get("PageFault/HardFault"));
      }
    }
  }
}
