package io.ntrail.formats.ntr;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/**
 * Any bytes are read or refused: as a file, and alike by both readers as the payloads of chunks
 * whose checksums are right, each after a byte that says the kind and two that say the length.
 */
class NtrFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void anythingIsReadAlikeByBothReaders(byte[] data) {
    try {
      Reading.of(data);
    } catch (CannotGoOn e) {
      Assertions.assertFalse(e.message().isEmpty());
    }
    List<byte[]> chunks = new ArrayList<>();
    chunks.add(RawChunks.chunk(NtrLayout.RECORDING, 1, 0, RawChunks.recording(1, 0)));
    int at = 0;
    while (at + 3 <= data.length) {
      int kind = data[at] & 7;
      int length = Math.min(LittleEndian.getU16(data, at + 1), data.length - at - 3);
      byte[] payload = new LittleEndian().zeros(length).toByteArray();
      System.arraycopy(data, at + 3, payload, 0, length);
      // Index and end may say what the other reader does not look at.
      if (kind != NtrLayout.INDEX && kind != NtrLayout.END && kind != NtrLayout.RECORDING) {
        chunks.add(RawChunks.chunk(kind, 1, chunks.size(), payload));
      }
      at += 3 + length;
    }
    Reading.compared(RawChunks.join(chunks));
  }
}
