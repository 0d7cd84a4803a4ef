package io.ntrail.formats.pt;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ReusedInput;
import java.util.Arrays;
import org.junit.jupiter.api.Assertions;

/**
 * Any bytes are an event of Processor Trace and a file of ipt.sys, or are refused with a reason.
 */
class IptFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void everyPayloadIsReadOrRefused(byte[] data) {
    Bytes bytes = Bytes.copyOf(data, "fuzz");
    boolean looksLike = IptRecord.looksLike(bytes, 0, data.length);
    try {
      IptRecord record = IptRecord.of(bytes, 0, data.length);
      InputFile stream = record.inOrder(new ReusedInput());
      byte[] sorted = stream.window(0, (int) stream.size()).array(0, (int) stream.size());
      byte[] ring = record.ring().array(0, record.ring().length());
      PieceContent.of(stream);
      // Put in order, no byte is lost.
      Arrays.sort(sorted);
      Arrays.sort(ring);
      Assertions.assertArrayEquals(ring, sorted);
    } catch (DamagedInput e) {
      Assertions.assertFalse(looksLike, e.what());
    }
  }

  @FuzzTest(maxDuration = "60s")
  void everyFileIsReadOrHasGaps(byte[] data) {
    try (InputFile file = InputFile.of(data, "fuzz")) {
      IptTraceData.looksLike(file);
      long sum = 0;
      for (IptThreadTrace thread : IptTraceData.of(file, new Gaps()).threads()) {
        try (InputFile stream = thread.inOrder(file)) {
          Assertions.assertEquals(thread.bytes(), stream.size());
          sum += stream.size();
        }
      }
      Assertions.assertTrue(sum <= data.length);
    }
  }
}
