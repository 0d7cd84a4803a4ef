package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.testkit.etl.SampleRecording;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recordings of which all is known that is needed. */
class EndedReadingTest {
  /**
   * Space that the logger has set aside behind the records: the second makes the file a large one.
   */
  @ParameterizedTest
  @ValueSource(longs = {0, 200L << 20})
  void whatIsKnownStaysAndNothingMoreIsRead(long space, @TempDir Path folder) throws Exception {
    Path path = folder.resolve("written.etl");
    write(path, space);
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.map(path, "written.etl")))) {
      long covered = recording.covered(1, Long.MIN_VALUE, Long.MAX_VALUE);
      recording.endReading();
      awaitUnmapping();
      assertThrows(RuntimeException.class, () -> recording.files().getFirst().window(0, 8).u8(0));
      assertEquals(covered, recording.covered(1, Long.MIN_VALUE, Long.MAX_VALUE));
      assertEquals(List.of(), recording.gaps());
      assertEquals(List.of("written.etl"), recording.fileNames());
      assertFalse(recording.files().getFirst().header().map(LogFileHeader::sessionName).isEmpty());
      recording.endReading();
    }
  }

  private static void write(Path path, long space) throws IOException {
    byte[] sample = SampleRecording.make().toByteArray();
    try (RandomAccessFile out = new RandomAccessFile(path.toFile(), "rw")) {
      out.write(sample);
      out.setLength(sample.length + space);
    }
  }

  private static void awaitUnmapping() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals(EtwRecording.UNMAPPING)) {
        thread.join();
      }
    }
  }
}
