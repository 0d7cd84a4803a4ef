package io.ntrail.live.code.ia32;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.NtrCalls;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.ia32.TracedMachine.Record;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Records of code that was run, as a file that readers open. Functions are their addresses. */
final class RecordedFile {
  private static final NtrHeader HEADER =
      new NtrHeader(
          NtrHeader.ONE_CLOCK, 1_000_000_000, 0, 0, 0x14C, 4, NtrHeader.TIME_STAMP_COUNTER, "test");

  private RecordedFile() {}

  /** Opens the recording of a thread with some records, which have the times 1, 2, 3, ... */
  static CallRecording of(List<Record> records) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, HEADER, 1, NtrWriter.Packing.FAST, 4096)) {
      ThreadEventWriter events = writer.events(1);
      long time = 0;
      for (Record record : records) {
        write(events, record, ++time);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Gaps gaps = new Gaps();
    InputFile file = InputFile.of(out.toByteArray(), "run.ntr");
    return new CallRecording(new NtrCalls(NtrFile.open(file, gaps), gaps));
  }

  private static void write(ThreadEventWriter events, Record record, long time) throws IOException {
    long function = record.function();
    int area = record.area();
    int slot = record.slot();
    long key = record.keyAddress();
    switch (record.kind()) {
      case SessionLayout.ENTRY ->
          events.entry(time, function, area, slot, key, record.low(), new long[0], 0);
      case SessionLayout.EXIT -> events.exit(time, function, area, slot, key, record.value());
      case SessionLayout.UNWIND -> events.unwind(time, function, area, slot, key, record.low());
      case SessionLayout.UNWIND_TARGET ->
          events.other(
              EventKind.UNWIND_TARGET,
              time,
              function,
              area,
              slot,
              key,
              record.low(),
              new long[] {record.keyHigh()},
              1);
      default -> throw new AssertionError(record);
    }
  }
}
