package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.EventCounts;
import io.ntrail.analysis.etw.events.EventDisplayName;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.identity.Guid;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every row of the shared recordings' table, read by us, must say what the table says. */
@EnabledIf(
    value = "io.ntrail.analysis.etw.recording.SharedTable#present",
    disabledReason = "no shared recordings on this machine")
class SharedRecordingsTest {
  private static final int LISTED_GROUPS = 8;

  private static final DateTimeFormatter SEVEN_DIGITS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSSS").withZone(ZoneOffset.UTC);

  static List<SharedTable.Row> rows() {
    return SharedTable.rows();
  }

  @Test
  void theTableHasAllFiles() {
    assertEquals(37, rows().size());
    assertEquals(17, rows().stream().filter(r -> !r.groups().isEmpty()).count());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void summaryIsTheRowOfTheTable(SharedTable.Row row) {
    try (EtwRecording recording = row.open()) {
      EtwSummary.Part part = EtwSummary.of(recording, 2).total();
      assertEquals(row.bytes(), recording.size(), "bytes");
      assertEquals(row.buffers(), part.buffers(), "buffers");
      assertEquals(row.compressed(), part.compressedBuffers(), "compressed buffers");
      assertEquals(row.kinds(), kinds(part), "kinds");
      assertEquals(row.records(), part.records(), "records");
      assertEquals(row.cpusSeen(), part.cpus().cardinality(), "CPUs seen");
      assertEquals(row.cpusConfigured(), part.cpusConfigured(), "CPUs configured");
      assertEquals(row.eventsLost(), part.eventsLost(), "events lost");
      assertEquals(row.buffersLost(), part.buffersLost(), "buffers lost");
      assertEquals(row.first(), utc(part.firstFileTime()), "first record");
      assertEquals(row.last(), utc(part.lastFileTime()), "last record");
      assertEquals(List.of(), recording.gaps(), "gaps");
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void headersAgreeWithTheTable(SharedTable.Row row) {
    try (EtwRecording recording = row.open()) {
      LogFileHeader h = recording.files().getFirst().header().orElseThrow();
      assertEquals(
          row.facts(),
          List.of(
              h.providerVersion(),
              (long) h.osMajor(),
              (long) h.osMinor(),
              (long) h.logMajor(),
              (long) h.logMinor(),
              h.logFileMode() & 0xFFFF_FFFFL,
              (long) h.clockType(),
              h.pointerSize(),
              h.bufferSize()));
      assertEquals(h.pointerSize(), h.pointerBytes());
      assertEquals(!row.name().equals("s4-CldFlt2.etl"), h.finalised(), "finalised");
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void kernelGroupsAndItemsAreThoseListed(SharedTable.Row row) {
    try (EtwRecording recording = row.open()) {
      Map<Integer, Long> groups = new TreeMap<>();
      Map<Integer, Long> items = new TreeMap<>();
      forEach(
          recording,
          record -> {
            if (record.kind().isHook()) {
              groups.merge(record.hookId() >> 8, 1L, Long::sum);
            }
            for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
              items.merge(record.itemType(item), 1L, Long::sum);
            }
          });
      if (row.groups().size() == LISTED_GROUPS) {
        // The README lists the eight largest groups.
        long least = row.groups().values().stream().mapToLong(Long::longValue).min().orElseThrow();
        groups
            .entrySet()
            .removeIf(e -> e.getValue() <= least && !row.groups().containsKey(e.getKey()));
      }
      if (row.groups().isEmpty()) {
        // Not listed: nothing but the header buffer's own records.
        assertTrue(groups.keySet().stream().allMatch(g -> g == 0), groups.toString());
        assertEquals(Map.of(), items);
      } else {
        assertEquals(row.groups(), groups, "groups");
        assertEquals(row.items(), items, "extended items");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void topProvidersHaveTheCountsOfTheTable(SharedTable.Row row) {
    try (EtwRecording recording = row.open()) {
      Map<Guid, Long> counts = new HashMap<>();
      forEach(
          recording,
          record -> {
            if (!record.kind().isHook()) {
              counts.merge(record.provider(), 1L, Long::sum);
            }
          });
      Map<String, String> names =
          EventCounts.of(recording, 1, Sources.SHARED).rows().stream()
              .filter(r -> r.provider() != null)
              .collect(
                  Collectors.toMap(
                      r -> r.providerGuid().toString(),
                      r ->
                          EventDisplayName.KERNEL.equals(r.provider())
                              ? EventDisplayName.KERNEL
                              : EventDisplayName.source(r.providerGuid(), r.provider(), r.event()),
                      (a, b) -> a));
      Matcher m =
          Pattern.compile("(?:WPP )?(\\S[^;]*?)(?:\\(merge\\))? (\\d+)(?:; |$)")
              .matcher(row.providers());
      while (m.find()) {
        String name = m.group(1);
        long count = Long.parseLong(m.group(2));
        boolean found =
            counts.entrySet().stream()
                .anyMatch(e ->
                    e.getValue() == count
                        && (name.equals(e.getKey().toString())
                            || name.equals(names.getOrDefault(e.getKey().toString(), name))
                            || names.getOrDefault(e.getKey().toString(), "").endsWith("-" + name)));
        assertTrue(found, name + " " + count + " is not among " + counts + " " + names);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void eventCountsAddUpToAllRecords(SharedTable.Row row) {
    try (EtwRecording recording = row.open()) {
      EtwSummary.Part part = EtwSummary.of(recording, 1).total();
      EventCounts one = EventCounts.of(recording, 1, Sources.SHARED);
      assertEquals(row.records(), one.records());
      assertEquals(row.records(), one.rows().stream().mapToLong(EventCounts.Row::count).sum());
      assertEquals(part.recordBytes(), one.bytes());
      assertEquals(one.bytes(), one.rows().stream().mapToLong(EventCounts.Row::bytes).sum());
      for (EventCounts.Row r : one.rows()) {
        assertTrue(r.withStack() >= 0 && r.withStack() <= r.count(), r.toString());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void answersAreTheSameOnOneTwoAndThreeCores(SharedTable.Row row) {
    try (EtwRecording recording = row.open()) {
      EventCounts counts = EventCounts.of(recording, 1, Sources.SHARED);
      EtwSummary.Part part = EtwSummary.of(recording, 1).total();
      for (int cores = 2; cores <= 3; cores++) {
        assertEquals(counts, EventCounts.of(recording, cores, Sources.SHARED), "event counts");
        EtwSummary.Part again = EtwSummary.of(recording, cores).total();
        assertEquals(kinds(part), kinds(again), "kinds");
        assertEquals(part.recordBytes(), again.recordBytes(), "bytes");
        assertEquals(part.firstNanos(), again.firstNanos(), "first");
        assertEquals(part.lastNanos(), again.lastNanos(), "last");
      }
      assertEquals(List.of(), recording.gaps());
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void orderedWalkGivesEveryRecordOnceInOrder(SharedTable.Row row) {
    try (EtwRecording recording = row.open()) {
      RecordWalk inFileOrder = RecordWalk.everyBuffer(recording);
      RecordWalk unsurveyed = RecordWalk.inOrder(recording);
      recording.survey(2);
      RecordWalk surveyed = RecordWalk.inOrder(recording);
      assertEquals(0, surveyed.late());
      assertEquals(0, surveyed.backwards());
      assertEquals(row.records(), surveyed.count());
      assertEquals(inFileOrder.sorted().sequence(), surveyed.sequence());
      assertEquals(0, unsurveyed.late(), "late without a survey");
      assertEquals(surveyed.sequence(), unsurveyed.sequence(), "without a survey");
      assertEquals(List.of(), recording.gaps());
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void aRangeOfTimeIsThatPartOfTheWholeWalk(SharedTable.Row row) {
    try (EtwRecording recording = row.open()) {
      recording.survey(1);
      EtwSummary.Part part = EtwSummary.of(recording, 1).total();
      long length = part.lastNanos() - part.firstNanos();
      long from = part.firstNanos() + length / 3;
      long to = part.firstNanos() + length / 2;
      RecordWalk.Taker expected = new RecordWalk.Taker();
      try (OrderedCursor cursor = recording.inOrder()) {
        while (cursor.next()) {
          if (cursor.nanos() >= from && cursor.nanos() < to) {
            expected.take(cursor.fileNumber(), cursor.record(), cursor.nanos());
          }
        }
      }
      RecordWalk.Taker got = new RecordWalk.Taker();
      try (OrderedCursor cursor = recording.inOrder(from, to)) {
        while (cursor.next()) {
          got.take(cursor.fileNumber(), cursor.record(), cursor.nanos());
        }
        assertFalse(cursor.next());
      }
      assertEquals(expected.walked().sequence(), got.walked().sequence());
    }
  }

  private interface Visitor {
    void visit(RecordCursor record);
  }

  private static void forEach(EtwRecording recording, Visitor visitor) {
    recording.scan(
        1,
        () -> visitor,
        (v, cursor) -> {
          while (cursor.next()) {
            v.visit(cursor);
          }
        },
        (a, b) -> a);
  }

  private static Map<String, Long> kinds(EtwSummary.Part part) {
    Map<String, Long> kinds = new TreeMap<>();
    for (RecordKind kind : RecordKind.values()) {
      long count = part.recordsByKind()[kind.ordinal()];
      if (count != 0) {
        kinds.put(kind.name(), count);
      }
    }
    return kinds;
  }

  private static String utc(long fileTime) {
    long since1970 = fileTime - 116_444_736_000_000_000L;
    return SEVEN_DIGITS.format(
        Instant.ofEpochSecond(
            Math.floorDiv(since1970, 10_000_000L), Math.floorMod(since1970, 10_000_000L) * 100));
  }
}
