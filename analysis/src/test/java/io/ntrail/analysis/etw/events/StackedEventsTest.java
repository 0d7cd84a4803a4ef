package io.ntrail.analysis.etw.events;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Counts find the event of a stack record wherever it stands, and none that fits less. Events are
 * samples whose version is their number.
 */
class StackedEventsTest {
  private static final long T = EtlSettings.windows11().startTicks();
  private static final int LOGGER = 7;
  private static final UUID PROVIDER = UUID.fromString("11223344-5566-7788-99aa-bbccddeeff00");

  private final EtlWriter writer = new EtlWriter(EtlSettings.windows11());
  private final Map<Integer, Integer> expected = new TreeMap<>();

  private static EtlRecord sample(int number, long time, int thread) {
    return EtlRecords.perfInfo(8, 0x0F2E)
        .version(number)
        .time(T + time)
        .payload(KernelPayloads.sample(0x1000, thread, 0))
        .build();
  }

  private static EtlRecord switched(int number, long time, int to, int from) {
    return EtlRecords.perfInfo(8, 0x0524)
        .version(number)
        .time(T + time)
        .payload(KernelPayloads.cswitch(to, from, 0, 0, 0, 0))
        .build();
  }

  private static EtlRecord stack(long time, long named, int thread) {
    return EtlRecords.perfInfo(8, 0x1820)
        .version(2)
        .time(T + time)
        .payload(KernelPayloads.stack(T + named, 4, thread, 0x1000))
        .build();
  }

  private void buffer(int cpu, long sequence, EtlRecord... records) {
    writer.buffer(EtlBuffer.of(cpu, LOGGER, sequence).add(records));
  }

  /** By number: how many samples or switches have a stack. */
  private static Map<Integer, Integer> withStack(EventCounts counts) {
    Map<Integer, Integer> found = new TreeMap<>();
    for (EventCounts.Row row : counts.rows()) {
      if ((row.id() == 0x0F2E || row.id() == 0x0524) && row.withStack() > 0) {
        found.merge(row.version(), (int) row.withStack(), Integer::sum);
      }
    }
    return found;
  }

  private EtwRecording recording() {
    return EtwRecording.of(List.of(InputFile.of(writer.toByteArray(), "written")));
  }

  private void assertStacks(Integer... numbers) {
    for (int number : numbers) {
      expected.put(number, 1);
    }
    for (int cores : new int[] {1, 2, 7}) {
      try (EtwRecording recording = recording()) {
        assertEquals(expected, withStack(EventCounts.of(recording, cores)));
      }
    }
  }

  @Test
  void aStackRecordBelongsToTheSampleBeforeIt() {
    buffer(0, 1, sample(1, 10, 5), sample(2, 20, 5), stack(21, 20, 5), sample(3, 30, 5));
    assertStacks(2);
  }

  @Test
  void theEventMayStandInTheBufferBefore() {
    buffer(0, 1, sample(1, 10, 5), sample(2, 20, 5));
    buffer(0, 2, stack(21, 20, 5), sample(3, 30, 5));
    assertStacks(2);
  }

  @Test
  void theEventMayStandAnyNumberOfRecordsBefore() {
    List<EtlRecord> records = new ArrayList<>();
    for (int i = 1; i <= 200; i++) {
      records.add(sample(i, 10L * i, 5));
    }
    records.add(stack(2001, 20, 5));
    records.add(stack(2001, 500, 5));
    buffer(0, 1, records.toArray(EtlRecord[]::new));
    assertStacks(2, 50);
  }

  @Test
  void theEventMayStandAnyNumberOfOtherEventsBefore() {
    for (int others : new int[] {0, 1, 126, 127, 128, 129, 300}) {
      StackedEventsTest made = new StackedEventsTest();
      List<EtlRecord> records = new ArrayList<>();
      records.add(sample(1, 20, 5));
      for (int i = 0; i < others; i++) {
        records.add(EtlRecords.event(8, PROVIDER, 1).time(T + 20).build());
      }
      // Of one time and thread the first one counts.
      records.add(sample(2, 20, 5));
      records.add(stack(21, 20, 5));
      made.buffer(0, 1, records.toArray(EtlRecord[]::new));
      made.assertStacks(1);
    }
  }

  @Test
  void theEventMayStandFarFromTheEndOfTheBufferBefore() {
    List<EtlRecord> records = new ArrayList<>();
    for (int i = 1; i <= 200; i++) {
      records.add(sample(i, 10L * i, 5));
      records.add(stack(10L * i + 1, 10L * i, i == 3 ? 6 : 5));
    }
    buffer(0, 1, records.toArray(EtlRecord[]::new));
    buffer(0, 2, stack(3000, 30, 5));
    for (int i = 1; i <= 200; i++) {
      expected.put(i, 1);
    }
    assertStacks();
  }

  @Test
  void theEventMayBeOfAnotherCpu() {
    buffer(0, 1, sample(1, 10, 5), sample(2, 20, 5));
    buffer(1, 1, sample(3, 15, 5), stack(21, 20, 5));
    assertStacks(2);
  }

  @Test
  void ofOneTimeAndCpuTheFirstBufferCounts() {
    buffer(0, 1, sample(1, 10, 5), sample(2, 20, 5));
    buffer(0, 2, sample(3, 20, 5), stack(21, 20, 5));
    assertStacks(2);
  }

  @Test
  void ofOneTimeAndBufferTheFirstRecordCountsAlsoIfTimeGoesBack() {
    buffer(0, 1, sample(1, 20, 5), sample(2, 10, 5), sample(3, 20, 5), stack(21, 20, 5));
    assertStacks(1);
  }

  @Test
  void theCpuIsThatOfTheFirstStackRecordOfAThread() {
    buffer(0, 1, sample(1, 20, 5));
    buffer(0, 2, stack(21, 20, 5));
    buffer(1, 1, sample(2, 20, 5), stack(22, 20, 5));
    assertStacks(1);
  }

  @Test
  void theIdleThreadRunsOnEachCpu() {
    buffer(0, 1, sample(1, 20, 0), stack(21, 20, 0));
    buffer(1, 1, sample(2, 20, 0), stack(22, 20, 0));
    assertStacks(1, 2);
  }

  @Test
  void aSwitchWithStacksOfBothThreadsCountsOnce() {
    buffer(0, 1, switched(1, 20, 5, 6), stack(21, 20, 6), sample(2, 30, 5));
    buffer(0, 2, stack(40, 20, 5));
    assertStacks(1);
  }

  @Test
  void aStackOfNoEventBelongsToNone() {
    buffer(0, 1, sample(1, 20, 5), stack(21, 20, 6), stack(22, 19, 5));
    assertStacks();
  }

  /** Few times and threads, so that many events and stack records could belong together. */
  private void addAtRandom(Random random) {
    int number = 1;
    for (int b = 0; b < 8; b++) {
      EtlRecord[] records = new EtlRecord[8];
      int time = random.nextInt(12);
      for (int i = 0; i < records.length; i++) {
        time += random.nextInt(8) == 0 ? -1 : random.nextInt(2);
        int thread = random.nextInt(3);
        records[i] =
            switch (random.nextInt(4)) {
              case 0 -> sample(number++, time, thread);
              case 1 -> switched(number++, time, thread, random.nextInt(3));
              default -> stack(time, time - random.nextInt(3), thread);
            };
      }
      buffer(random.nextInt(2), b, records);
    }
  }

  @Test
  void countsFindTheEventsThatAWalkInOrderFinds() {
    SchemaSources sources = new SchemaSources(UserSchemas.NONE);
    for (int seed = 0; seed < 100; seed++) {
      StackedEventsTest made = new StackedEventsTest();
      made.addAtRandom(new Random(seed));
      try (EtwRecording recording = made.recording()) {
        Events events = Events.of(recording, sources, 1, Events.Learn.STACKS);
        EventFilter all = new EventFilter.Builder().build();
        EventStretches whole = new EventStretches(events, all, Long.MIN_VALUE, Long.MAX_VALUE);
        made.expected.putAll(withStack(EventCounts.selected(whole, List.of())));
      }
      made.assertStacks();
    }
  }
}
