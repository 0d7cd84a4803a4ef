package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.analysis.etw.events.EventCounts;
import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.Payload;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.util.Arrays;
import java.util.List;

/**
 * Arbitrary bytes as a recording, and as the records of one. The stored inputs are recordings of
 * the testkit's writer and what was found once.
 *
 * <p>To fuzz one of them: {@code JAZZER_FUZZ=1 mvn test -pl testkit,formats,analysis
 * -Dtest=EtlFuzzTest#buffers -Djazzer.internal.arg.0=x -Djazzer.internal.arg.1=-max_len=32768}.
 */
class EtlFuzzTest {
  private static final int BUFFER = 16_384;
  private static final byte[] HEADER = header();

  private static byte[] header() {
    EtlSettings settings = EtlSettings.windows11().bufferSize(BUFFER);
    return new EtlWriter(settings).buffer(EtlBuffer.of(1, 0x1C, 1)).toByteArray();
  }

  @FuzzTest(maxDuration = "130s")
  void buffers(byte[] data) {
    check(data);
  }

  @FuzzTest(maxDuration = "130s")
  void records(byte[] data) {
    int length = Math.min(data.length, BUFFER - 72);
    byte[] file = HEADER.clone();
    System.arraycopy(data, 0, file, BUFFER + 72, length);
    LittleEndian.putU32(file, BUFFER + 0x04, 72 + length);
    LittleEndian.putU32(file, BUFFER + 0x30, 72 + length);
    check(file);
  }

  /** Whatever the bytes are: a refusal, or answers that agree with each other. */
  private static void check(byte[] file) {
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(file, "fuzz")))) {
      RecordWalk unsurveyed = RecordWalk.inOrder(recording);
      assertTrue(unsurveyed.backwards() == 0 || unsurveyed.late() > 0, "time goes back unsaid");
      recording.survey(1);
      RecordWalk surveyed = RecordWalk.inOrder(recording);
      assertEquals(0, surveyed.backwards(), "time goes back");
      assertEquals(unsurveyed.count(), surveyed.count(), "with and without survey");
      EventCounts counts = EventCounts.of(recording, 1, Sources.SHARED);
      assertEquals(surveyed.count(), counts.records(), "counts");
      assertEquals(
          counts.records(), counts.rows().stream().mapToLong(EventCounts.Row::count).sum());
      EtwSummary.Part part = EtwSummary.of(recording, 1).total();
      assertEquals(counts.records(), part.records(), "summary");
      assertEquals(counts.records(), Arrays.stream(part.recordsByKind()).sum(), "kinds");
      assertEquals(counts.bytes(), part.recordBytes(), "bytes");
      everyAccessor(recording);
      for (Gap gap : recording.gaps()) {
        assertTrue(gap.offset() >= 0 && gap.offset() <= file.length, gap.toString());
        assertTrue(gap.bytes() >= -1, gap.toString());
      }
    } catch (CannotGoOn e) {
      assertTrue(!e.message().isEmpty());
    }
  }

  /** Names, items and fields of all records, through the walk that shows them. */
  private static void everyAccessor(EtwRecording recording) {
    Events events = Events.of(recording, Sources.SHARED, 1);
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
      long last = Long.MIN_VALUE;
      while (walk.next()) {
        EventReader event = walk.event();
        RecordCursor record = event.record();
        assertTrue(event.nanos() >= last, "nanoseconds go back");
        last = event.nanos();
        assertTrue(!event.type().text().isEmpty());
        int payload = record.payloadLength();
        assertTrue(payload >= 0 && payload <= record.size(), "payload of " + payload);
        record.bytes().slice(record.payloadOffset(), payload);
        for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
          record.bytes().slice(record.itemData(item), record.itemLength(item));
        }
        record.level();
        record.opcode();
        record.version();
        record.processorTime();
        record.pointerBytes();
        event.processId();
        event.process();
        event.message();
        fields(event);
      }
    }
  }

  private static void fields(EventReader event) {
    Payload payload = event.payload();
    for (int i = 0; i < payload.size(); i++) {
      if (payload.token(i) == Payload.Token.VALUE) {
        event.text(i);
        event.meaning(i);
        payload.integer(i);
        payload.real(i);
      }
      assertTrue(payload.after(i) > i && payload.after(i) <= payload.size());
    }
    if (event.type().schema() != null) {
      assertTrue(payload.restLength() >= 0 && payload.restLength() <= event.record().size());
    }
  }
}
