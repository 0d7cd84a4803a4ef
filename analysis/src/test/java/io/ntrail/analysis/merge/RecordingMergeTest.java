package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.Property;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.RandomRecordings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of any kind, sound and damaged, have the same records after they were written. */
class RecordingMergeTest {
  private static final List<String> SMALL =
      List.of(
          "airbus-AMSITrace",
          "demikernel-PktMon",
          "perfview-SelfDescribingSingleEvent",
          "perfview-smallEtlFile-32bit",
          "pyetw-out",
          "s4-CldFlt0",
          "s4-WindowsUpdate.20251008.140245.443.8",
          "sawbuck-image_data_32_v0",
          "sonde-test",
          "tx-WsRm01");

  @TempDir private Path folder;

  @Test
  void recordsOfAnyRecordingStayAsTheyAre() {
    MergeRules rules = new MergeRules(folder);
    Property.check(
        100,
        g -> {
          EtlWriter writer = RandomRecordings.content(g).writer();
          rules.check(List.of(writer.toByteArray()), g.flag());
        });
  }

  @Test
  void whatCanBeReadOfADamagedRecordingStaysAndTheRestIsTold() {
    MergeRules rules = new MergeRules(folder);
    Property.check(
        200,
        g -> {
          byte[] bytes = RandomRecordings.content(g).writer().toByteArray();
          int changes = 1 + g.below(4);
          for (int i = 0; i < changes; i++) {
            bytes[(int) g.between(0, bytes.length - 1)] = (byte) g.below(256);
          }
          rules.check(List.of(bytes), g.flag());
        });
  }

  @Test
  void recordsOfDamagedFilesOfOneClockStayToo() {
    MergeRules rules = new MergeRules(folder);
    Property.check(
        100,
        g -> {
          byte[] one = RandomRecordings.content(g).writer().toByteArray();
          byte[] other = one.clone();
          for (int i = g.below(4); i > 0; i--) {
            other[(int) g.between(0, other.length - 1)] = (byte) g.below(256);
          }
          rules.check(g.flag() ? List.of(one, other) : List.of(other, one), g.flag());
        });
  }

  @Test
  void flippedBitsAndCutsOfRealRecordingsLoseNothingThatCanBeRead() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    MergeRules rules = new MergeRules(folder);
    int seeds = Slice.count(60, 3);
    int merged = 0;
    for (String name : SMALL) {
      byte[] sound = TestData.gunzip("etl/" + name + ".etl.gz");
      for (int seed = 1; seed <= seeds; seed++) {
        boolean isCompressed = seed % 2 == 0;
        byte[] flipped = Damage.flipBits(sound, seed, 1 << seed % 8);
        byte[] cut = Damage.cutAt(sound, (int) (sound.length * (long) seed / (seeds + 1)));
        merged += rules.check(List.of(flipped), isCompressed) ? 1 : 0;
        merged += rules.check(List.of(cut), isCompressed) ? 1 : 0;
        merged += rules.check(List.of(sound, flipped), isCompressed) ? 1 : 0;
      }
    }
    assertTrue(merged > SMALL.size() * seeds * 2, merged + " merged");
  }
}
