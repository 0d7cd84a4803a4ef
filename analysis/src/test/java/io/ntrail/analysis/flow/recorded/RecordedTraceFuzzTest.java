package io.ntrail.analysis.flow.recorded;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.TraceRecording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.io.TempDir;

/** Any piece over some code ends, and every error says something. */
class RecordedTraceFuzzTest {
  private static final long BASE = 0x7FFB_0000_0000L;
  private static final int STAMP = 0x5A5A_0003;
  private static final int PID = 4000;
  private static final int TID = 4008;

  /** Option word, size and position of a trace. */
  private static final int HEAD = 12;

  private static final int MOST = 32 << 10;

  @TempDir static Path folder;

  /** Calls, branches and returns, without an end of their own. */
  private static byte[] image() {
    PeBuilder image = PeBuilder.library(MachineType.AMD64).name("some.dll").timestamp(STAMP);
    image
        .code()
        .bytes(new byte[] {0x74, 2, (byte) 0xFF, (byte) 0xD0, (byte) 0xE8, 3, 0, 0, 0})
        .bytes(new byte[] {(byte) 0xFF, (byte) 0xE0, (byte) 0x90, 0x75, (byte) 0xF1, (byte) 0xC3})
        .fill(64, 0x90);
    return image.build().file();
  }

  @FuzzTest(maxDuration = "60s")
  void anyPieceIsFollowed(byte[] data) throws IOException {
    if (data.length < HEAD) {
      return;
    }
    Path file = folder.resolve("some.dll");
    if (!Files.exists(file)) {
      Files.write(file, image());
    }
    byte[] trace = Arrays.copyOfRange(data, HEAD, Math.min(data.length, HEAD + MOST));
    TraceRecording recording = new TraceRecording().process(PID, TID, "some.exe");
    recording.found(PID, BASE, 0x2000, STAMP, TraceRecording.systemPath("some.dll"));
    recording.event(100, 1);
    recording.piece(
        100, 1, PID, TID, LittleEndian.getU64(data, 0), (int) LittleEndian.getU32(data, 8), trace);
    for (Flow flow : Flow.all(recording.toByteArray(), folder)) {
      for (String error : flow.errors()) {
        Assertions.assertFalse(error.isEmpty());
      }
    }
  }
}
