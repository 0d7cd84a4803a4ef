package io.ntrail.formats.wprp;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.CannotGoOn;

/** Arbitrary files as profiles of WPR: nothing is thrown but the refusal of what the user gave. */
class WprpFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void profiles(byte[] data) {
    WprpFile file;
    try {
      file = WprpFile.read(data, "fuzz");
    } catch (CannotGoOn e) {
      return;
    }
    for (String id : file.ids()) {
      try {
        file.profile(id);
      } catch (CannotGoOn e) {
        // It refers to what is not there, or in circles.
      }
    }
  }
}
