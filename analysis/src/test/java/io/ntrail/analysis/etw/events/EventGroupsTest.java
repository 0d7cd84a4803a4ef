package io.ntrail.analysis.etw.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.BigProfile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Groups are those of one pass in time order, however many threads count which stretches. */
class EventGroupsTest {
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);
  private static final long WHOLE = Long.MAX_VALUE;
  private static final long SHORT = 1 << 17;
  private static final long MILLISECOND = 1_000_000;

  private static Events events(EtwRecording recording, int cores) {
    return cores == 1
        ? Events.of(recording, SOURCES, cores)
        : Events.of(recording, SOURCES, cores, Events.Learn.SWITCHES);
  }

  private static String text(EventGroups groups) {
    return groups.rows().stream()
            .map(row ->
                row.key()
                    + " "
                    + row.id()
                    + " "
                    + row.count()
                    + " "
                    + row.bytes()
                    + row.sums().stream()
                        .map(sum -> " " + sum.events() + ":" + sum.whole() + ":" + sum.real())
                        .collect(Collectors.joining()))
            .collect(Collectors.joining("\n"))
        + List.of(
            groups.records(),
            groups.stackRecords(),
            groups.bytes(),
            groups.others(),
            groups.sums(),
            groups.unmatched(),
            groups.sources().rows(),
            groups.sources().listedProviders());
  }

  private static void assertSame(EtwRecording recording, Supplier<EventFilter> filter, String by) {
    assertSame(recording, filter, by, List.of(), Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private static void assertSame(
      EtwRecording recording,
      Supplier<EventFilter> filter,
      String by,
      List<String> sums,
      long from,
      long to) {
    EventFilter alone = filter.get();
    Events events = events(recording, 1);
    EventGroups inOrder =
        EventGroups.of(new EventStretches(events, alone, from, to, WHOLE), by, sums);
    assertFalse(inOrder.rows().isEmpty(), by);
    for (int cores : List.of(1, 2, 7)) {
      EventFilter parted = filter.get();
      Events others = events(recording, cores);
      EventGroups groups =
          EventGroups.of(new EventStretches(others, parted, from, to, SHORT), by, sums);
      assertEquals(text(inOrder), text(groups), by + " on " + cores);
      assertEquals(events.unmatched(alone), others.unmatched(parted), by + " on " + cores);
    }
  }

  private static EventFilter all() {
    return new EventFilter.Builder().build();
  }

  private static EtwRecording shared(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return EtwRecording.of(List.of(InputFile.of(TestData.gunzip("etl/" + name + ".etl.gz"), name)));
  }

  @ParameterizedTest
  @CsvSource({
    "perfview-net45-x86-win7, process",
    "perfview-net45-x86-win7, thread",
    "perfview-net452-x64, process",
    "perfview-net452-x64, thread",
    "perfview-net452-x64, file",
    "etwanalyzer-TraceLoggingTester, event",
    "diaghub.kernel.1, thread"
  })
  void aRealRecordingHasTheGroupsOfOnePassInOrder(String name, String by) throws IOException {
    try (EtwRecording recording = shared(name)) {
      assertSame(recording, EventGroupsTest::all, by);
    }
  }

  @Test
  void ownersByContextSwitchesAreThoseOfOnePassInOrder(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("busy.etl");
    BigProfile.write(file, 4_000_000, 3_000, 23);
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.copy(file, "busy.etl")))) {
      assertSame(recording, EventGroupsTest::all, "process");
      assertSame(recording, EventGroupsTest::all, "thread");
      assertSame(recording, () -> new EventFilter.Builder().thread("4*").build(), "event");
    }
  }

  @Test
  void aTimeRangeFiltersAndSumsAreThoseOfOnePassInOrder() throws IOException {
    try (EtwRecording recording = shared("perfview-net452-x64")) {
      assertSame(
          recording,
          () -> new EventFilter.Builder().process("nosuch").process("*").event("DiskIo/*").build(),
          "process",
          List.of("TransferSize"),
          1000 * MILLISECOND,
          9000 * MILLISECOND);
    }
  }
}
