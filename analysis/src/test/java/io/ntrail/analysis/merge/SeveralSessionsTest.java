package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of a series, and of sessions that ran at the same time, as one recording. */
class SeveralSessionsTest {
  private static final UUID SHOP = UUID.fromString("5f8b1c1e-5a5e-4d6c-8f43-8a2f7d0c1b11");
  private static final int BUILD_INFO = 0x0042;
  private static final int PARTITION = 0x0050;

  @TempDir private Path folder;

  private static EtlSettings settings() {
    return EtlSettings.windows11().bufferSize(4096).processors(4);
  }

  /** An event whose number is its time. */
  private static EtlRecord event(int ticks) {
    return EtlRecords.event(8, SHOP, 1)
        .time(settings().startTicks() + ticks)
        .thread(40, 44)
        .payload(new LittleEndian().u32(ticks))
        .build();
  }

  private static EtlRecord header(int hook, String text) {
    return EtlRecords.system(8, hook)
        .time(settings().startTicks())
        .thread(7, 8)
        .payload(new LittleEndian().utf16z(text))
        .build();
  }

  private EtwRecording merged(List<byte[]> files) throws IOException {
    List<InputFile> inputs = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      inputs.add(InputFile.of(files.get(i), "shop_%03d.etl".formatted(i + 1)));
    }
    Path to = folder.resolve("merged.etl");
    try (EtwRecording recording = EtwRecording.of(inputs);
        SeekableByteChannel channel =
            Files.newByteChannel(
                to,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
      RecordingMerge.write(recording, channel, false, List.of(), MachineRecords.without(""));
    }
    return EtwRecording.of(List.of(InputFile.of(Files.readAllBytes(to), "merged.etl")));
  }

  private static LogFileHeader header(EtwRecording recording) {
    return recording.files().getFirst().header().orElseThrow();
  }

  /** Returns the numbers of the events in time order, each with its processor. */
  private static List<String> events(EtwRecording recording) {
    List<String> all = new ArrayList<>();
    recording.survey(1);
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        RecordCursor record = cursor.record();
        if (record.kind().isEvent()) {
          int number = record.bytes().i32(record.payloadOffset());
          all.add(number + " on " + record.cpu());
        }
      }
    }
    return all;
  }

  /** A file of a series: buffers that its session handed out before and after it was opened. */
  private static byte[] file(EtlSettings settings, long firstSequence, int from, int to) {
    EtlWriter writer = new EtlWriter(settings.mode(EtlSettings.MODE_NEW_FILE));
    writer.nextSequence(firstSequence);
    for (int ticks = from; ticks < to; ticks++) {
      writer.log(ticks % 3, event(ticks));
    }
    return writer.toByteArray();
  }

  @Test
  void filesOfASeriesAreOneRecordingInTheOrderOfTime() throws IOException {
    List<byte[]> files =
        List.of(
            file(settings().names("shop", "shop_001.etl").lost(2, 0), 1, 0, 200),
            file(settings().names("shop", "shop_002.etl").lost(0, 1), 20, 200, 400),
            file(settings().names("shop", "shop_003.etl").lost(3, 0).endTime(77), 40, 400, 500));
    List<String> expected =
        IntStream.range(0, 500).mapToObj(ticks -> ticks + " on " + ticks % 3).toList();
    for (List<byte[]> order : List.of(files, List.of(files.get(2), files.get(0), files.get(1)))) {
      try (EtwRecording recording = merged(order)) {
        assertEquals(expected, events(recording));
        LogFileHeader header = header(recording);
        assertEquals("shop", header.sessionName());
        assertEquals("[multiple files]", header.logFileName());
        assertEquals(0x10001, header.logFileMode());
        assertEquals(List.of(5L, 1L), List.of(header.eventsLost(), header.buffersLost()));
        assertTrue(header.endTime() > 77);
      }
    }
  }

  @Test
  void sessionsThatRanAtTheSameTimeAreOneRecordingInTheOrderOfTime() throws IOException {
    EtlWriter kernel = new EtlWriter(settings().names("kernel", "k.etl").lost(1, 0));
    // Its small buffers come several into one.
    EtlSettings small = settings().bufferSize(512).names("user", "u.etl").headerLogger(0x1D);
    EtlWriter user = new EtlWriter(small.headerBufferSize(1024));
    user.logger(0x1D);
    List<String> expected = new ArrayList<>();
    for (int ticks = 0; ticks < 300; ticks++) {
      (ticks % 7 < 3 ? kernel : user).log(ticks % 4, event(ticks));
      expected.add(ticks + " on " + ticks % 4);
    }
    try (EtwRecording recording = merged(List.of(user.toByteArray(), kernel.toByteArray()))) {
      assertEquals(expected, events(recording));
      assertEquals("user + kernel", header(recording).sessionName());
      assertEquals(1, header(recording).eventsLost());
    }
  }

  @Test
  void aLossStaysBetweenTheEventsThatItLiesBetween() throws IOException {
    EtlWriter quiet = new EtlWriter(settings());
    quiet.buffer(EtlBuffer.of(0, 0x1C, 1).add(event(5)));
    EtlWriter lossy = new EtlWriter(settings().lost(9, 0).headerLogger(0x1D));
    lossy.buffer(EtlBuffer.of(0, 0x1D, 1).add(event(1), event(2)));
    lossy.buffer(
        EtlBuffer.of(0, 0x1D, 2).flags(EtlBuffer.FLAG_EVENTS_LOST).add(event(8), event(9)));
    try (EtwRecording recording = merged(List.of(quiet.toByteArray(), lossy.toByteArray()))) {
      EtlFile file = recording.files().getFirst();
      List<String> behindLoss = new ArrayList<>();
      try (RecordCursor cursor = recording.cursor(file)) {
        for (int buffer = 1; buffer < file.buffers().count(); buffer++) {
          cursor.open(buffer);
          if (file.buffers().lossBefore(buffer)) {
            cursor.next();
            behindLoss.add(
                cursor.bytes().i32(cursor.payloadOffset())
                    + " of session "
                    + session(file, buffer));
          }
        }
      }
      assertEquals(List.of("8 of session 29"), behindLoss);
    }
  }

  private static int session(EtlFile file, int buffer) {
    return file.buffers().loggerId(buffer);
  }

  @Test
  void whatAFurtherSessionTellsOfItselfStays() throws IOException {
    EtlWriter first = new EtlWriter(settings()).headerRecords(header(BUILD_INFO, "first"));
    EtlRecord build = header(BUILD_INFO, "second");
    EtlRecord partition = header(PARTITION, "its partition");
    EtlWriter second =
        new EtlWriter(settings().names("second", "2.etl")).headerRecords(build, partition);
    first.log(0, event(1));
    second.log(0, event(2));
    try (EtwRecording recording = merged(List.of(first.toByteArray(), second.toByteArray()))) {
      List<String> found = new ArrayList<>();
      EtlFile file = recording.files().getFirst();
      try (RecordCursor cursor = recording.cursor(file)) {
        for (int buffer = 0; buffer < file.buffers().count(); buffer++) {
          cursor.open(buffer);
          while (cursor.next()) {
            if (cursor.kind().isHook()) {
              String where = buffer == 0 ? "header " : "data ";
              String bytes =
                  HexFormat.of().formatHex(cursor.bytes().array(cursor.offset(), cursor.size()));
              found.add(where + (cursor.hookId() == 0 ? "session" : bytes));
            }
          }
        }
      }
      assertEquals(
          List.of(
              "header session",
              "header " + HexFormat.of().formatHex(header(BUILD_INFO, "first").bytes()),
              "data " + HexFormat.of().formatHex(build.bytes()),
              "data " + HexFormat.of().formatHex(partition.bytes())),
          found);
      assertEquals(List.of("1 on 0", "2 on 0"), events(recording));
    }
  }

  @Test
  void namesOfManySessionsAreCutToTheRoomOfTheHeader() throws IOException {
    List<byte[]> files = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      String name = "session " + i + " " + "x".repeat(80);
      EtlWriter writer = new EtlWriter(settings().bufferSize(1024).names(name, "a.etl"));
      writer.headerRecords(header(BUILD_INFO, "26100.1.amd64fre"));
      files.add(writer.log(0, event(i)).toByteArray());
    }
    try (EtwRecording recording = merged(files)) {
      assertTrue(header(recording).sessionName().startsWith("session 0 xx"));
      assertTrue(header(recording).sessionName().endsWith("..."));
      assertEquals("[multiple files]", header(recording).logFileName());
      assertEquals(30, events(recording).size());
      assertEquals(List.of(), recording.gaps());
    }
  }
}
