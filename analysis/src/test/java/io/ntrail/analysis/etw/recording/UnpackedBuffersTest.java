package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.LittleEndian;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compressed recordings whose buffers were unpacked one by one: each is as long as its records, and
 * shorter than the session's buffers.
 */
@EnabledIf(
    value = "io.ntrail.analysis.etw.recording.SharedTable#present",
    disabledReason = "no shared recordings on this machine")
class UnpackedBuffersTest {
  private static final int HEADER = 72;

  static List<SharedTable.Row> rows() {
    return SharedTable.rows().stream().filter(row -> row.compressed() > 0).toList();
  }

  private static byte[] unpacked(EtlFile file, EtwRecording recording) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BufferIndex buffers = file.buffers();
    try (RecordCursor cursor = recording.cursor(file)) {
      for (int i = 0; i < buffers.count(); i++) {
        if (!buffers.compressed(i)) {
          out.writeBytes(
              file.window(buffers.fileOffset(i), buffers.fileBytes(i))
                  .array(0, buffers.fileBytes(i)));
          continue;
        }
        byte[] header = file.window(buffers.fileOffset(i), HEADER).array(0, HEADER);
        LittleEndian.putU32(header, 0, HEADER + buffers.inflatedBytes(i));
        LittleEndian.putU16(header, 0x34, LittleEndian.getU16(header, 0x34) & ~0x40);
        out.writeBytes(header);
        cursor.open(i);
        assertTrue(cursor.next());
        out.writeBytes(cursor.bytes().array(0, buffers.inflatedBytes(i)));
      }
    }
    return out.toByteArray();
  }

  private static byte[] unpacked(SharedTable.Row row) {
    try (EtwRecording recording = row.open()) {
      return unpacked(recording.files().getFirst(), recording);
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void allRecordsAreRead(SharedTable.Row row) {
    RecordWalk packed;
    try (EtwRecording recording = row.open()) {
      packed = RecordWalk.everyBuffer(recording);
    }
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(unpacked(row), "copy")))) {
      assertEquals(row.records(), packed.count());
      assertEquals(packed.sequence(), RecordWalk.everyBuffer(recording).sequence());
      assertEquals(List.of(), recording.gaps());
    }
  }

  /** The next buffer is found behind a header that is destroyed. */
  @ParameterizedTest
  @MethodSource("rows")
  void aDestroyedHeaderCostsItsBuffer(SharedTable.Row row) {
    byte[] sound = unpacked(row);
    List<Integer> perBuffer = new ArrayList<>();
    List<Long> offsets = new ArrayList<>();
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(sound, "copy")))) {
      BufferIndex buffers = recording.files().getFirst().buffers();
      int[] counts = new int[buffers.count()];
      RecordWalk.everyBuffer(recording).lines().forEach(line -> counts[line.buffer()]++);
      for (int i = 0; i < counts.length; i++) {
        perBuffer.add(counts[i]);
        offsets.add(buffers.fileOffset(i));
      }
    }
    int victim = perBuffer.size() / 2;
    int at = Math.toIntExact(offsets.get(victim));
    byte[] damaged = sound.clone();
    Arrays.fill(damaged, at, at + HEADER, (byte) 0xEE);
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(damaged, "copy")))) {
      int left = perBuffer.stream().mapToInt(n -> n).sum() - perBuffer.get(victim);
      assertEquals(left, RecordWalk.everyBuffer(recording).count());
      assertEquals(List.of((long) at), recording.gaps().stream().map(Gap::offset).toList());
    }
  }
}
