package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * A cut by several threads, each of which goes over short stretches of the recording, has the
 * records of a cut by one thread. The recordings have what depends on records before it: system
 * calls belong to the thread of the last context switch, and one of several samples is kept.
 */
class CutCoresTest {
  private static final long START = EtlSettings.windows11().startTicks();
  private static final int SWITCH = 0x524;
  private static final int SYSTEM_CALL = 0xF33;
  private static final int SAMPLE = 0xF2E;
  private static final int STACK = 0x1820;
  private static final int CPUS = 3;
  private static final int THREADS = 5;
  private static final int STRETCH = 1 << 10;

  /** All of such a recording at once. */
  private static final int WHOLE = 1 << 20;

  private static EtlRecord kernel(long time, int hook, int version, LittleEndian payload) {
    return EtlRecords.perfInfo(8, hook).version(version).time(time).payload(payload).build();
  }

  private static EtlRecord record(Gen g, long time) {
    int thread = 100 + g.below(THREADS);
    return switch (g.below(4)) {
      case 0 ->
          kernel(
              time,
              SWITCH,
              4,
              new LittleEndian().u32(thread).u32(100 + g.below(THREADS)).u64(0).u64(0x0205_0100));
      case 1 ->
          kernel(time, SAMPLE, 2, new LittleEndian().u64(0x7FF6_0000_1000L).u32(thread).u32(1));
      case 2 ->
          kernel(
              time,
              STACK,
              2,
              new LittleEndian().u64(time - g.below(2)).u32(4).u32(thread).u64(0x7FF6_0000_1000L));
      default ->
          EtlRecords.perfInfo(8, SYSTEM_CALL)
              .version(2)
              .time(time)
              .payload(new LittleEndian().u64(0xFFFF_F800_0000_1000L))
              .build();
    };
  }

  private static byte[] recording(Gen g) {
    Times times = new Times();
    EtlWriter writer = new EtlWriter(EtlSettings.windows11());
    List<EtlBuffer> buffers = new ArrayList<>();
    for (int buffer = 0; buffer < 60; buffer++) {
      int cpu = buffer % CPUS;
      EtlBuffer its = EtlBuffer.of(cpu, 1, buffer);
      for (int i = g.below(20); i >= 0; i--) {
        its.add(record(g, times.next(cpu, g.below(3))));
      }
      buffers.add(its);
    }
    buffers.forEach(writer::buffer);
    return writer.toByteArray();
  }

  /** Times of the records of each CPU, which advance together. */
  private static final class Times {
    private final long[] times = new long[CPUS];

    long next(int cpu, int step) {
      times[cpu] += step;
      return START + times[cpu];
    }
  }

  private static Map<String, Integer> decisions(
      byte[] file, EventFilter filter, int every, int cores, long stretch) {
    Map<String, Integer> decisions = new TreeMap<>();
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(file, "cores.etl")))) {
      Events events =
          Events.of(recording, new SchemaSources(UserSchemas.NONE), cores, Events.Learn.SWITCHES);
      CutSelection selection =
          new CutSelection(events, Long.MIN_VALUE, Long.MAX_VALUE, filter, every, stretch);
      EtlFile its = recording.files().getFirst();
      try (RecordCursor cursor = recording.cursor(its)) {
        for (int buffer = 0; buffer < its.buffers().count(); buffer++) {
          cursor.open(buffer);
          while (cursor.next()) {
            String place = "%03d/%05d".formatted(buffer, cursor.offset());
            decisions.put(place, selection.of(0, cursor));
          }
        }
      }
    }
    return decisions;
  }

  private static void check(int runs, int most, EventFilter.Builder chosen, long stretchOfOne) {
    int[] left = new int[1];
    Property.check(
        runs,
        g -> {
          byte[] file = recording(g);
          int every = 1 + g.below(most);
          Map<String, Integer> one = decisions(file, chosen.build(), every, 1, stretchOfOne);
          assertEquals(one, decisions(file, chosen.build(), every, 2, STRETCH));
          left[0] += (int) one.values().stream().filter(it -> it != RecordSelection.KEPT).count();
        });
    assertTrue(left[0] > runs, left[0] + " records are left out");
  }

  @Test
  void byThread() {
    check(60, 1, new EventFilter.Builder().thread("102"), WHOLE);
  }

  @Test
  void byEventAndSample() {
    check(60, 5, new EventFilter.Builder().event("PerfInfo/*"), WHOLE);
  }

  @Test
  void byThreadAndSample() {
    // At the borders of stretches more is kept: stacks whose sample was left out before it.
    check(30, 5, new EventFilter.Builder().thread("102"), STRETCH);
  }

  @Test
  void bySample() {
    check(60, 5, new EventFilter.Builder(), WHOLE);
  }
}
