package io.ntrail.programs.patchability;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Arbitrary bytes as an image whose functions and services are requested. */
class PatchabilityFuzzTest {
  @FuzzTest(maxDuration = "130s")
  void images(byte[] data) {
    PatchabilityDamageTest.check(data, "fuzz");
  }
}
