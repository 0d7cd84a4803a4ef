package io.ntrail.analysis.etw.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The threads that run at a time, found by buffers, are those that all records before it say. */
class LastSwitchesTest {
  private static final int SWITCH = 0x524;
  private static final long START = EtlSettings.windows11().startTicks();
  private static final KernelEvents KERNEL = new KernelEvents();

  private static LastSwitches learned(EtwRecording recording) {
    LastSwitches last = new LastSwitches(recording, KERNEL);
    for (int file = 0; file < recording.files().size(); file++) {
      EtlFile its = recording.files().get(file);
      try (RecordCursor cursor = recording.cursor(its)) {
        for (int buffer = its.buffers().count() - 1; buffer >= 0; buffer--) {
          cursor.open(buffer);
          while (cursor.next()) {
            last.visit(file, cursor);
          }
        }
      }
    }
    return last;
  }

  /** Compares at each time that a record has. */
  private static void compare(EtwRecording recording) {
    LastSwitches last = learned(recording);
    recording.survey(1);
    Map<Integer, Integer> threads = new HashMap<>();
    long reached = Long.MIN_VALUE;
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        long key = cursor.key();
        if (key != reached) {
          assertEquals(threads, last.before(key, (cpu, _) -> cpu), "before " + key);
        }
        reached = key;
        RecordCursor record = cursor.record();
        if (record.kind().isHook() && record.hookId() == SWITCH) {
          threads.put(record.cpu(), record.bytes().i32(record.payloadOffset()));
        }
      }
    }
    assertEquals(threads, last.before(Long.MAX_VALUE, (cpu, _) -> cpu), "at the end");
  }

  @Test
  void buffersOfOneCpuThatOverlap() {
    Property.check(
        200,
        g -> {
          List<InputFile> files = new ArrayList<>();
          int count = g.below(2) + 1;
          for (int file = 0; file < count; file++) {
            EtlWriter writer = new EtlWriter(EtlSettings.windows11());
            for (int buffer = 0; buffer < 8; buffer++) {
              EtlBuffer its = EtlBuffer.of(g.below(2), 1, buffer);
              long time = START + g.below(60);
              for (int i = g.below(6); i >= 0; i--) {
                time += g.below(12) - 1;
                LittleEndian payload = new LittleEndian().u32(100 + g.below(50)).u32(7);
                its.add(
                    EtlRecords.system(8, SWITCH).version(4).time(time).payload(payload).build());
              }
              writer.buffer(its);
            }
            files.add(InputFile.of(writer.toByteArray(), "random"));
          }
          try (EtwRecording recording = EtwRecording.of(files)) {
            compare(recording);
          }
        });
  }
}
