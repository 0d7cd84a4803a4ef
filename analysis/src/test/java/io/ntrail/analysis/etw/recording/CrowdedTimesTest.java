package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.TruthRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Recordings with more records of one time than a buffer gives to a batch, at any time. */
class CrowdedTimesTest {
  private static final long[] TIMES = {
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1,
    -1,
    0,
    1,
    1L << 39,
    1L << 40,
    Long.MAX_VALUE - 1,
    Long.MAX_VALUE
  };

  @Test
  void comeInTheOrderOfTheirBuffers() {
    Property.check(
        20,
        g -> {
          List<TruthRecord> truth = new ArrayList<>();
          try (EtwRecording recording = recording(g, truth)) {
            truth.sort(TruthRecord.ORDER);
            List<String> expected =
                truth.stream().map(r -> line(r.time(), r.cpu(), r.buffer(), r.offset())).toList();
            for (int pass = 0; pass < 2; pass++) {
              assertEquals(expected, walked(recording));
              recording.survey(1);
            }
          }
        });
  }

  @Test
  void areToldToBeOfOneTime() {
    Property.check(
        5,
        g -> {
          List<TruthRecord> truth = new ArrayList<>();
          try (EtwRecording recording = recording(g, truth);
              OrderedCursor cursor = recording.inOrder()) {
            Map<Long, Integer> left = new TreeMap<>();
            truth.forEach(record -> left.merge(record.time(), 1, Integer::sum));
            while (cursor.next()) {
              int same = left.getOrDefault(cursor.key(), 0);
              assertEquals(same, cursor.sameTime());
              assertEquals(cursor.key(), cursor.peek(same - 1).ticks());
              left.put(cursor.key(), same - 1);
            }
            assertEquals(0, left.values().stream().mapToInt(Integer::intValue).sum());
          }
        });
  }

  /** Six buffers whose times never go back, of three CPUs, and in places of one time for long. */
  private static EtwRecording recording(Gen g, List<TruthRecord> truth) {
    EtlWriter writer = new EtlWriter(EtlSettings.windows11().bufferSize(1 << 16));
    for (int b = 0; b < 6; b++) {
      EtlBuffer buffer = EtlBuffer.of(g.below(3), 1, b + 1);
      int[] counts = LongStream.of(TIMES).mapToInt(time -> g.below(3)).toArray();
      for (int crowd = g.below(4); crowd > 0; crowd--) {
        counts[g.below(counts.length)] = g.below(1000);
      }
      for (int t = 0; t < TIMES.length; t++) {
        for (int i = 0; i < counts[t]; i++) {
          buffer.add(EtlRecords.perfInfo(8, 0x0F2E).time(TIMES[t]).build());
        }
      }
      writer.buffer(buffer);
    }
    truth.addAll(writer.truthInFileOrder());
    return EtwRecording.of(List.of(InputFile.of(writer.toByteArray(), "crowded")));
  }

  private static List<String> walked(EtwRecording recording) {
    List<String> lines = new ArrayList<>();
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        RecordCursor r = cursor.record();
        lines.add(line(r.ticks(), r.cpu(), r.buffer(), r.offset()));
      }
    }
    return lines;
  }

  private static String line(long time, int cpu, int buffer, int offset) {
    return time + " cpu " + cpu + " buffer " + buffer + " at " + offset;
  }
}
