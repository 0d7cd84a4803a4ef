package io.ntrail.analysis.etw.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.described.EncodedValue;
import io.ntrail.testkit.described.TraceLoggingEvent;
import io.ntrail.testkit.etl.DescribedRecords;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters let through what a person would pick by hand, and counts are what a person counts. */
class FilterTest {
  private static final long T = EtlSettings.windows11().startTicks();
  private static final UUID SHOP = UUID.fromString("d3b7c0f4-51c2-4a0e-9e1b-0f6d2c8a7e55");
  private static final UUID PLAIN = UUID.fromString("d3b7c0f4-51c2-4a0e-9e1b-0f6d2c8a7e66");
  private static final long STRETCH_BYTES = 1 << 18;
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);

  private static EtlRecord process(int kind, int pid, String image) {
    return EtlRecords.system(8, 0x300 | kind)
        .version(4)
        .time(T)
        .payload(KernelPayloads.process(pid, 4, 1, 0, image, image))
        .build();
  }

  private static EtlRecord sale(long time, int pid, int tid, long amount, String item) {
    TraceLoggingEvent event =
        new TraceLoggingEvent("Sale")
            .field("amount", 10, 0, EncodedValue.unsigned(8, amount))
            .field("item", 1, 0, EncodedValue.wide(item))
            .field("Id", 8, 0, EncodedValue.unsigned(4, 77))
            .field("result", 8, 14, EncodedValue.hex(4, amount == 0 ? 0xC000_0022 : 0))
            .struct(
                "where",
                s ->
                    s.field("shelf", 4, 0, EncodedValue.unsigned(1, tid))
                        .struct("in", in -> in.field("room", 1, 0, EncodedValue.wide("hall"))))
            .counted("list", 8, 0, List.of(EncodedValue.unsigned(4, 1)));
    return DescribedRecords.traceLogging(8, SHOP, "Shop", event)
        .time(T + time)
        .thread(pid, tid)
        .build();
  }

  private static EtlRecord plain(long time, int pid, int tid, int id) {
    return EtlRecords.event(8, PLAIN, id)
        .version(2)
        .opcode(9)
        .level(3)
        .time(T + time)
        .thread(pid, tid)
        .payload(new byte[12])
        .build();
  }

  private static EtwRecording recording() {
    EtlWriter writer = new EtlWriter(EtlSettings.windows11());
    writer.log(0, process(3, 40, "shopd.exe")).log(0, process(3, 50, "shopd"));
    writer.log(0, process(3, 60, "Other.exe"));
    writer.log(0, sale(10_000_000, 40, 5, 3, "tea"));
    writer.log(1, sale(20_000_000, 50, 6, -1, "green tea"));
    writer.log(2, sale(30_000_000, 60, 7, 0, ""));
    writer.log(2, plain(40_000_000, 60, 7, 5)).log(2, plain(50_000_000, 70, 8, 143));
    return EtwRecording.of(List.of(InputFile.of(writer.toByteArray(), "written")));
  }

  /**
   * Returns the events that pass a filter: seconds since the start, of a second's multiples only.
   */
  private static String passed(EventFilter.Builder filter) {
    StringBuilder seconds = new StringBuilder();
    try (EtwRecording recording = recording()) {
      Events events = Events.of(recording, SOURCES, 2, Events.Learn.SWITCHES);
      try (Events.Walk walk = events.walk(filter.build())) {
        while (walk.next()) {
          seconds.append(walk.event().nanos() / 1_000_000_000);
        }
      }
    }
    // All that is not of interest is at second 0.
    return seconds.toString().replace("0", "");
  }

  /** Returns how many of the ends of two processes and of a measured value pass a condition. */
  private static long ofTwoEnds(String condition) {
    TraceLoggingEvent measured =
        new TraceLoggingEvent("Measured")
            .field("ratio", 11, 0, EncodedValue.f32(1.1f))
            .field("small", 3, 0, EncodedValue.signed(1, -2))
            .field("code", 7, 15, EncodedValue.signed(4, 0x8007_0005));
    EtlWriter writer = new EtlWriter(EtlSettings.windows11());
    for (int status : new int[] {0, 0xC000_013A}) {
      LittleEndian end = KernelPayloads.process(40, 4, 1, status, "shopd.exe", "");
      writer.log(0, EtlRecords.system(8, 0x302).version(4).time(T).payload(end).build());
    }
    writer.log(0, DescribedRecords.traceLogging(8, SHOP, "Shop", measured).time(T).build());
    EventFilter.Builder filter = filter().where(FilterExpression.parse(condition));
    try (EtwRecording recording =
        EtwRecording.of(List.of(InputFile.of(writer.toByteArray(), "written")))) {
      long count = 0;
      Events events = Events.of(recording, SOURCES, 2, Events.Learn.SWITCHES);
      try (Events.Walk walk = events.walk(filter.build())) {
        while (walk.next()) {
          count++;
        }
      }
      return count;
    }
  }

  @Test
  void codesAndFractionsAreFoundAsTheyAreShownAndAsToolsPrintThem() {
    assertEquals(1, ofTwoEnds("ExitStatus == 0xc000013a"));
    assertEquals(1, ofTwoEnds("ExitStatus == 3221225786"));
    assertEquals(1, ofTwoEnds("ExitStatus == -1073741510"));
    assertEquals(1, ofTwoEnds("ExitStatus >= 0xc0000000"));
    assertEquals(1, ofTwoEnds("ExitStatus != 0xc000013a"));
    assertEquals(2, ofTwoEnds("ExitStatus <= 0xc000013a"));
    assertEquals(1, ofTwoEnds("code == 0x80070005"));
    assertEquals(1, ofTwoEnds("code == 2147942405"));
    assertEquals(1, ofTwoEnds("small == 0xfe"));
    assertEquals(0, ofTwoEnds("small == 254"));
    assertEquals(1, ofTwoEnds("ratio == 1.1"));
    assertEquals(0, ofTwoEnds("ratio != 1.1"));
  }

  private static EventFilter.Builder filter() {
    return new EventFilter.Builder();
  }

  private static String where(String condition) {
    return passed(filter().where(FilterExpression.parse(condition)));
  }

  @Test
  void processesAreMeantByIdNameGlobOrExpression() {
    assertEquals("12345", passed(filter()));
    assertEquals("1", passed(filter().process("40")));
    assertEquals("1", passed(filter().process("SHOPD.exe")));
    assertEquals("12", passed(filter().process("shopd")));
    assertEquals("12", passed(filter().process("shop*")));
    assertEquals("34", passed(filter().process("/^oth/")));
    assertEquals("134", passed(filter().process("40").process("60")));
    assertEquals("5", passed(filter().process("70")));
    assertEquals("", passed(filter().process("other.ex")));
  }

  @Test
  void threadsCpusAndEventsAreMeantTogether() {
    BitSet cpus = new BitSet();
    cpus.set(2);
    assertEquals("345", passed(filter().cpus(cpus)));
    assertEquals("34", passed(filter().thread("7")));
    assertEquals("345", passed(filter().thread("/^[78]$/")));
    assertEquals("4", passed(filter().thread("7").event("5")));
    assertEquals("3", passed(filter().cpus(cpus).event("Sale")));
    assertEquals("", passed(filter().process("40").thread("7")));
  }

  @Test
  void eventsAreMeantByAnyOfTheirNames() {
    assertEquals("123", passed(filter().event("sale")));
    assertEquals("123", passed(filter().event("Shop")));
    assertEquals("123", passed(filter().event("Shop/Sale")));
    assertEquals("123", passed(filter().event("shop/*")));
    assertEquals("123", passed(filter().event(SHOP.toString())));
    assertEquals("45", passed(filter().event(PLAIN.toString())));
    assertEquals("5", passed(filter().event("143")));
    assertEquals("12345", passed(filter().event("Shop").event("/^" + PLAIN + "/")));
    assertEquals("", passed(filter().event("Sal")));
  }

  @Test
  void conditionsAskForFieldsMembersAndTheEventItself() {
    assertEquals("2", where("item == 'green tea'"));
    assertEquals("12", where("item =~ *tea"));
    assertEquals("2", where("amount > 0x7FFFFFFFFFFFFFFF"));
    assertEquals("2", where("amount == 18446744073709551615"));
    assertEquals("13", where("AMOUNT < 1KiB"));
    assertEquals("3", where("where.shelf == 7"));
    assertEquals("123", where("Where.In.Room == hall"));
    assertEquals("", where("where == 7"));
    assertEquals("", where("list == 1"));
    assertEquals("", where("where.shelf.none == 7"));
    assertEquals("3", where("result == STATUS_ACCESS_DENIED"));
    assertEquals("3", where("result == 0xC0000022"));
    assertEquals("3", where("result != 0"));
    assertEquals("45", where("datalength == 12 and version == 2"));
    assertEquals("45", where("opcode == 9 and level <= 3"));
    assertEquals(where("time >= 3"), where("time >= 3s"));
    assertEquals(where("time >= 3"), where("time > 2999999999ns"));
    assertThrows(CannotGoOn.class, () -> where("amount > many"));
    assertEquals("345", where("time >= 3 and cpu == 2"));
    assertEquals("34", where("pid == 60 and tid == 7 and process =~ other*"));
    assertEquals("123", where("event == Sale"));
  }

  @Test
  void whatTheEventItselfHasComesBeforeFieldsOfThatName() {
    assertEquals("123", where("fields.id == 77"));
    assertEquals("5", where("id == 143"));
    assertEquals("", where("fields.id == 143"));
    assertEquals("123", where("id == 0 and event == Sale"));
  }

  private static Map<String, long[]> byHand(
      Events events, Predicate<EventReader> wanted, Function<EventReader, String> key) {
    Map<String, long[]> counts = new TreeMap<>();
    try (Events.Walk walk = events.walk(filter().build())) {
      while (walk.next()) {
        if (wanted.test(walk.event())) {
          long[] sum = counts.computeIfAbsent(key.apply(walk.event()), k -> new long[2]);
          sum[0]++;
          sum[1] += walk.event().record().size();
        }
      }
    }
    return counts;
  }

  private static void grouped(
      Events events,
      EventFilter.Builder filter,
      Predicate<EventReader> wanted,
      String by,
      Function<EventReader, String> key) {
    Map<String, String> expected = new TreeMap<>();
    byHand(events, wanted, key).forEach((k, sum) -> expected.put(k, sum[0] + "/" + sum[1]));
    EventGroups groups = EventGroups.of(stretches(events, filter.build()), by, List.of());
    Map<String, String> told = new TreeMap<>();
    long records = 0;
    long bytes = 0;
    long before = Long.MAX_VALUE;
    for (EventGroups.Row row : groups.rows()) {
      told.put(row.key() + ":" + row.id(), row.count() + "/" + row.bytes());
      records += row.count();
      bytes += row.bytes();
      assertTrue(row.count() <= before, "most first");
      before = row.count();
    }
    assertEquals(expected, told, by);
    assertEquals(records, groups.records());
    assertEquals(bytes, groups.bytes());
    assertEquals(0, groups.others());
  }

  private static void groupedByAll(
      Events events, EventFilter.Builder filter, Predicate<EventReader> wanted, String field) {
    grouped(events, filter, wanted, "cpu", e -> e.record().cpu() + ":-1");
    grouped(events, filter, wanted, "event", e -> e.type().text() + ":-1");
    grouped(events, filter, wanted, "process", e -> e.process() + ":" + e.processId());
    grouped(events, filter, wanted, "thread", e -> e.process() + ":" + e.threadId());
    grouped(
        events,
        filter,
        wanted,
        field,
        e -> {
          int token = e.payload().find(field);
          String meaning = token < 0 ? null : e.meaning(token);
          return (token < 0 ? null : e.text(token) + (meaning == null ? "" : " (" + meaning + ")"))
              + ":-1";
        });
  }

  /** The rows of counts: identity, number, bytes, stacks. */
  private static List<String> rows(EventCounts counts) {
    return counts.rows().stream()
        .map(row -> row.text() + " " + row.providerGuid() + " " + row + " " + row.names())
        .sorted()
        .toList();
  }

  private static void counted(
      Events events, EventFilter.Builder filter, Predicate<EventReader> wanted) {
    Map<String, long[]> hand =
        byHand(
            events,
            wanted,
            e -> {
              RecordCursor record = e.record();
              EventType type = e.type();
              // Events with names of their own share a row if they share all their numbers.
              return type.guid() + " " + type.id() + " " + record.opcode() + " " + type.version();
            });
    EventCounts counts = EventCounts.selected(stretches(events, filter.build()), List.of());
    Map<String, String> expected = new HashMap<>();
    hand.forEach((key, sum) -> expected.put(key, sum[0] + "/" + sum[1]));
    Map<String, String> told = new HashMap<>();
    for (EventCounts.Row row : counts.rows()) {
      told.put(
          row.providerGuid() + " " + row.id() + " " + row.opcode() + " " + row.version(),
          row.count() + "/" + row.bytes());
    }
    assertEquals(new TreeMap<>(expected), new TreeMap<>(told));
    assertEquals(hand.values().stream().mapToLong(sum -> sum[0]).sum(), counts.records());
    assertEquals(hand.values().stream().mapToLong(sum -> sum[1]).sum(), counts.bytes());
  }

  private static EventStretches stretches(Events events, EventFilter filter) {
    return new EventStretches(events, filter, Long.MIN_VALUE, Long.MAX_VALUE, STRETCH_BYTES);
  }

  private static EventCounts whole(Events events) {
    return EventCounts.selected(stretches(events, filter().build()), List.of());
  }

  @Test
  void groupsAndCountsOfAWrittenRecordingAreThoseByHand() {
    try (EtwRecording recording = recording()) {
      Events events = Events.of(recording, SOURCES, 2, Events.Learn.STACKS, Events.Learn.SWITCHES);
      groupedByAll(events, filter(), e -> true, "item");
      groupedByAll(events, filter().event("Sale"), e -> "Sale".equals(e.type().event()), "result");
      counted(events, filter(), e -> true);
      counted(events, filter().process("60"), e -> e.processId() == 60);
      assertEquals(rows(EventCounts.of(recording, 2)), rows(whole(events)));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demikernel-PktMon",
        "tx-Process",
        "diaghub.user_paged.1",
        "sawbuck-process_data_32_v3",
        "airbus-lxcore_kernel",
        "perfview-gcevents"
      })
  void groupsAndCountsOfARealRecordingAreThoseByHand(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] file = TestData.gunzip("etl/" + name + ".etl.gz");
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(file, name)))) {
      Events events = Events.of(recording, SOURCES, 2, Events.Learn.STACKS, Events.Learn.SWITCHES);
      groupedByAll(events, filter(), e -> true, "ComponentId");
      groupedByAll(
          events,
          filter().where(FilterExpression.parse("cpu == 0 and dataLength > 40")),
          e -> e.record().cpu() == 0 && e.record().payloadLength() > 40,
          "FileName");
      counted(
          events,
          filter().event("*/*a*"),
          e ->
              e.type().text().matches("(?i).*/.*a.*")
                  || e.type().provider() != null
                      && (e.type().provider() + "/" + e.type().event()).matches("(?i).*/.*a.*"));
      assertEquals(rows(EventCounts.of(recording, 2)), rows(whole(events)));
    }
  }
}
