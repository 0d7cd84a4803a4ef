package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The tables, held against every kernel and merge record of every shared recording. */
@EnabledIf(value = "present", disabledReason = "no shared recordings on this machine")
class RecordedPayloadsTest {
  /**
   * Payloads that are not consumed exactly. The recording of 32-bit records with 64-bit payloads
   * was made by hand that way. Threads of Windows 7 and 8 have no name.
   */
  private static final Map<String, Integer> NOT_EXACT =
      Map.ofEntries(
          Map.entry("sawbuck-image_data_64_v2-in-32bit-log left Image/DCStart v2", 24),
          Map.entry("sawbuck-image_data_64_v2-in-32bit-log left Image/Load v2", 1),
          Map.entry("sawbuck-image_data_64_v2-in-32bit-log left Image/UnLoad v2", 1),
          Map.entry("perfview-net45-x86-win7 short Thread/Start v3", 16),
          Map.entry("perfview-net45-x86-win7 short Thread/End v3", 14),
          Map.entry("perfview-net45-x86-win7 short Thread/DCStart v3", 639),
          Map.entry("perfview-net45-x86-win7 short Thread/DCEnd v3", 641),
          Map.entry("perfview-net452-x64 short Thread/Start v3", 9),
          Map.entry("perfview-net452-x64 short Thread/End v3", 15),
          Map.entry("perfview-net452-x64 short Thread/DCStart v3", 670),
          Map.entry("perfview-net452-x64 short Thread/DCEnd v3", 664));

  private final SchemaTable table = SchemaTable.kernel();
  private final KernelEvents events = new KernelEvents();
  private final Payload payload = new Payload();
  private final Map<String, Integer> notExact = new TreeMap<>();
  private int exact;

  static boolean present() {
    return TestData.available();
  }

  @Test
  void everyRecordIsConsumedToTheLastByte() throws IOException {
    try (Stream<Path> files = Files.list(TestData.file("etl"))) {
      List<String> names =
          files.map(f -> f.getFileName().toString()).filter(f -> f.endsWith(".etl.gz")).toList();
      for (String name : names) {
        read(name);
      }
    }

    assertEquals(new TreeMap<>(NOT_EXACT), notExact);
    assertEquals(393_765, exact);
  }

  private void read(String name) throws IOException {
    Gaps gaps = new Gaps();
    byte[] content = TestData.gunzip("etl/" + name);
    try (EtlFile etl = EtlFile.open(InputFile.of(content, name), gaps);
        RecordCursor record = etl.cursor(gaps)) {
      for (int buffer = 0; buffer < etl.buffers().count(); buffer++) {
        record.open(buffer);
        while (record.next()) {
          if (record.kind().isHook() || record.kind().isClassic()) {
            take(name.substring(0, name.length() - ".etl.gz".length()), record);
          }
        }
      }
    }
  }

  private void take(String file, RecordCursor record) {
    Schema schema = schema(record);
    if (schema == null) {
      String what = record.provider() + " " + record.hookId() + " " + record.opcode();
      notExact.merge(file + " unknown " + what + " v" + record.version(), 1, Integer::sum);
      return;
    }
    payload.read(
        schema,
        record.bytes(),
        record.payloadOffset(),
        record.payloadLength(),
        record.pointerBytes());
    PayloadText.readAll(payload);
    if (payload.restLength() == 0 && !payload.isShort()) {
      exact++;
    } else {
      String what = payload.restLength() > 0 ? " left " : " short ";
      notExact.merge(file + what + schema.event() + " v" + record.version(), 1, Integer::sum);
    }
  }

  private @Nullable Schema schema(RecordCursor record) {
    if (record.kind().isHook()) {
      int hookId = record.hookId();
      return table.schema(events.classGuid(hookId), hookId, record.version());
    }
    int hookId = events.hookId(record.provider(), record.opcode());
    return table.schema(record.provider(), hookId < 0 ? record.opcode() : hookId, record.version());
  }
}
