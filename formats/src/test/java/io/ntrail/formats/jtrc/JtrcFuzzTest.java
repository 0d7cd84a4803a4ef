package io.ntrail.formats.jtrc;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Any bytes are read whole or refused by a name, and nothing hangs. */
class JtrcFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void anythingIsReadOrRefused(byte[] data) {
    JtrcFileTest.everythingOf(data);
  }
}
