package io.ntrail.analysis.flow;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.analysis.flow.FlowSettings.Resync;
import java.util.HexFormat;
import org.junit.jupiter.api.Assertions;

/** Any packets over any code end, and every line says something. */
class FlowFuzzTest {
  private static final int CODE = 64;

  @FuzzTest(maxDuration = "60s")
  void anyPacketsOverAnyCodeAreFollowed(byte[] data) {
    if (data.length < 2) {
      return;
    }
    int code = Math.min(CODE, data.length / 2);
    String hex = HexFormat.of().formatHex(data);
    String packets = hex.substring(2 * code);
    for (Resync resync : Resync.values()) {
      for (String line :
          Flows.lines(
              0x100000,
              hex.substring(0, 2 * code),
              Flows.PSB + "9901" + "7d000010000000" + "0223" + packets,
              resync)) {
        Assertions.assertFalse(line.isEmpty());
      }
    }
  }
}
