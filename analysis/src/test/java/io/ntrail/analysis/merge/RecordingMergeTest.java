package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.CopiedGaps;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.RandomRecordings;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of any kind, sound and damaged, have the same records after they were written. */
class RecordingMergeTest {
  @TempDir private Path folder;
  private int files;

  private static EtwRecording open(byte[] bytes, String name) {
    return EtwRecording.of(List.of(InputFile.of(bytes, name)));
  }

  private byte[] merged(EtwRecording recording, boolean isCompressed) throws IOException {
    Path to = folder.resolve("out" + files++ + ".etl");
    try (SeekableByteChannel channel =
        Files.newByteChannel(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      RecordingMerge.write(recording, channel, isCompressed, List.of());
    }
    byte[] bytes = Files.readAllBytes(to);
    Files.delete(to);
    return bytes;
  }

  /** Returns time, processor and bytes of each record but the first of a file, in time order. */
  private static List<String> records(EtwRecording recording) {
    List<String> all = new ArrayList<>();
    recording.survey(1);
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        RecordCursor record = cursor.record();
        boolean isOfHeader = record.buffer() == 0;
        if (!isOfHeader && !CopiedGaps.isOne(record)) {
          all.add(
              cursor.nanos()
                  + " "
                  + record.cpu()
                  + " "
                  + HexFormat.of().formatHex(record.bytes().array(record.offset(), record.size())));
        }
      }
    }
    return all;
  }

  private void mustStayTheSame(byte[] bytes, boolean isCompressed) throws IOException {
    EtwRecording opened;
    try {
      opened = open(bytes, "in.etl");
    } catch (CannotGoOn e) {
      return;
    }
    try (EtwRecording recording = opened) {
      if (recording.files().getFirst().header().isEmpty()) {
        return;
      }
      List<String> before = records(recording);
      byte[] to = merged(recording, isCompressed);
      try (EtwRecording written = open(to, "out.etl")) {
        assertEquals(before, records(written));
        assertEquals(recording.gaps(), written.gaps());
        assertEquals(recording.losses().any(), written.losses().any());
        assertArrayEquals(to, merged(written, isCompressed));
      }
    }
  }

  @Test
  void recordsOfAnyRecordingStayAsTheyAre() {
    Property.check(
        150,
        g -> {
          EtlWriter writer = RandomRecordings.content(g).writer();
          mustStayTheSame(writer.toByteArray(), g.flag());
        });
  }

  @Test
  void whatCanBeReadOfADamagedRecordingStaysAndTheRestIsTold() {
    Property.check(
        300,
        g -> {
          byte[] bytes = RandomRecordings.content(g).writer().toByteArray();
          int changes = 1 + g.below(4);
          for (int i = 0; i < changes; i++) {
            bytes[(int) g.between(0, bytes.length - 1)] = (byte) g.below(256);
          }
          mustStayTheSame(bytes, g.flag());
        });
  }
}
