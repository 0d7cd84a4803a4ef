package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The branches of the shared streams are those that libxdc's own tests expect: equal hashes. */
class BranchBitmapTest {
  private record Published(String stream, String hash) {}

  private static final List<Published> ALL =
      List.of(
          new Published("xdc/unzip.pt", "15b89190dfa291b2"),
          new Published("xdc/mruby.pt", "988aae1ab68920a4"),
          new Published("xdc/icelake.pt", "eb2a5b786860a79f"),
          new Published("xdc/qemu.pt", "22b4b12103609fd2"),
          new Published("xdc/avscript32.pt", "22792c81fccf4f70"));

  @Test
  void hashesAreThoseThatWerePublished() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (Published published : Slice.of(ALL, 2)) {
      BranchBitmap bitmap = new BranchBitmap();
      RecordedStreams.follow(published.stream, "6/94/3", Resync.PSB, bitmap);
      assertEquals(published.hash, "%016x".formatted(bitmap.hash()), published.stream);
    }
  }
}
