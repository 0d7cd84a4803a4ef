package io.ntrail.formats.pdb.msf;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;

/** Any bytes are a container whose streams together are no larger than the file, or refused. */
class MsfFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void anythingIsReadOrRefused(byte[] data) {
    try (InputFile input = InputFile.of(data, "fuzz")) {
      MsfFile file = MsfFile.open(input);
      long total = 0;
      for (int i = 1; i < file.streamCount(); i++) {
        try {
          long length = file.stream(i).map(MsfStream::length).orElse(0L);
          total += length;
          file.stream(i).ifPresent(stream -> stream.window(0, (int) length));
        } catch (DamagedInput e) {
          assertFalse(e.what().isEmpty());
        }
      }
      assertTrue(total <= file.blockCount() * file.blockSize(), "streams larger than the file");
    } catch (CannotGoOn e) {
      assertFalse(e.message().isEmpty());
    }
  }
}
