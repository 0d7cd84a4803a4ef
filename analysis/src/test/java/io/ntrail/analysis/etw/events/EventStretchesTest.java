package io.ntrail.analysis.etw.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.Stretches;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.BigProfile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events in stretches, and which of them have stacks, are those of a walk in time order. */
class EventStretchesTest {
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);
  private static final long SHORT = 1 << 17;

  /** So few stretches that they begin where slices of stack records do. */
  private static final long LONG = 30 << 20;

  private static final long SECOND = 1_000_000_000;

  private static EtwRecording shared(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return EtwRecording.of(List.of(InputFile.of(TestData.gunzip("etl/" + name + ".etl.gz"), name)));
  }

  private static EventFilter all() {
    return new EventFilter.Builder().build();
  }

  private static Events events(EtwRecording recording, int cores) {
    return cores == 1
        ? Events.of(recording, SOURCES, cores, Events.Learn.STACKS)
        : Events.of(recording, SOURCES, cores, Events.Learn.STACKS, Events.Learn.SWITCHES);
  }

  /** Returns what a walk over all events in time order finds, by type. */
  private static Map<String, String> walked(
      EtwRecording recording, EventFilter filter, long from, long to) {
    Map<String, long[]> sums = new TreeMap<>();
    Events events = events(recording, 1);
    try (Events.Walk walk = events.walkWithStacks(filter, from, to)) {
      while (walk.next()) {
        EventType type = walk.event().type();
        String key = type.guid() + " " + type.id() + " " + type.opcode() + " " + type.version();
        long[] sum = sums.computeIfAbsent(key, _ -> new long[3]);
        sum[0]++;
        sum[1] += walk.event().record().size();
        sum[2] += walk.hasStack() ? 1 : 0;
      }
    }
    Map<String, String> told = new TreeMap<>();
    sums.forEach((key, sum) -> told.put(key, sum[0] + " " + sum[1] + " " + sum[2]));
    return told;
  }

  private static Map<String, String> counted(EventCounts counts) {
    Map<String, String> told = new TreeMap<>();
    for (EventCounts.Row row : counts.rows()) {
      String key = row.providerGuid() + " " + row.id() + " " + row.opcode() + " " + row.version();
      told.put(key, row.count() + " " + row.bytes() + " " + row.withStack());
    }
    return told;
  }

  private static void assertSame(
      EtwRecording recording, Supplier<EventFilter> filter, long from, long to) {
    assertSame(recording, SHORT, filter, from, to);
  }

  private static void assertSame(
      EtwRecording recording, long bytes, Supplier<EventFilter> filter, long from, long to) {
    EventFilter alone = filter.get();
    Map<String, String> expected = walked(recording, alone, from, to);
    for (int cores : List.of(1, 2, 7)) {
      EventFilter parted = filter.get();
      Events events = events(recording, cores);
      EventStretches stretches = new EventStretches(events, parted, from, to, bytes);
      EventCounts counts = EventCounts.selected(stretches, List.of());
      assertEquals(expected, counted(counts), "on " + cores);
      assertEquals(alone.undecided(), parted.undecided(), "on " + cores);
      assertEquals(events.unmatched(alone), events.unmatched(parted), "on " + cores);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "perfview-net45-x86-win7",
        "perfview-net452-x64",
        "etwanalyzer-TraceLoggingTester",
        "perfview-gcevents"
      })
  void countsOfARealRecordingAreThoseOfAWalk(String name) throws IOException {
    try (EtwRecording recording = shared(name)) {
      assertSame(recording, EventStretchesTest::all, Long.MIN_VALUE, Long.MAX_VALUE);
      Supplier<EventFilter> narrow =
          () -> new EventFilter.Builder().event("*/S*").event("Thread/*").process("*e*").build();
      assertSame(recording, narrow, Long.MIN_VALUE, Long.MAX_VALUE);
      assertSame(recording, narrow, SECOND, 4 * SECOND);
    }
  }

  @Test
  void stacksOfManySlicesAreThoseOfAWalk(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("busy.etl");
    BigProfile.write(file, 48_000_000, 3_000, 23);
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.copy(file, "busy.etl")))) {
      Events events = events(recording, 2);
      assertTrue(EventStretches.canFindStacks(events));
      Stretches stretches = Stretches.of(recording, 2, SHORT);
      StackRecords stacks = Objects.requireNonNull(events.stacks());
      assertTrue(stretches.count() > 10);
      assertTrue(stacks.stretches().length > 1);
      assertSame(recording, LONG, EventStretchesTest::all, Long.MIN_VALUE, Long.MAX_VALUE);
      assertSame(recording, EventStretchesTest::all, Long.MIN_VALUE, Long.MAX_VALUE);
      assertSame(
          recording,
          () -> new EventFilter.Builder().thread("4*").build(),
          SECOND / 10,
          Long.MAX_VALUE);
    }
  }
}
