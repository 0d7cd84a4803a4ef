package io.ntrail.formats.dump;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Any bytes are read as far as they go, or refused with a reason. The seeds are dumps of testkit's
 * writer: one with every stream that is read, one for each architecture, and bad ones.
 */
class MinidumpFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void anythingIsReadOrRefused(byte[] data) {
    AllStreams.read(data);
  }
}
