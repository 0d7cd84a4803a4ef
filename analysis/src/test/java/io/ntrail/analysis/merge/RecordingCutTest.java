package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.RandomRecordings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cuts of any recordings, sound and damaged ones. */
class RecordingCutTest {
  private static final List<String> SMALL =
      List.of(
          "airbus-AMSITrace",
          "demikernel-PktMon",
          "perfview-SelfDescribingSingleEvent",
          "perfview-smallEtlFile-32bit",
          "pyetw-out",
          "s4-CldFlt0",
          "sawbuck-image_data_32_v0",
          "sonde-test",
          "tx-WsRm01");

  private static final UUID SHOP = UUID.fromString("5f8b1c1e-5a5e-4d6c-8f43-8a2f7d0c1b11");
  private static final EtlSettings SETTINGS = EtlSettings.windows11();

  @TempDir private Path folder;

  private static CutRules.Part part(Gen g) {
    int from = g.below(256);
    return new CutRules.Part(from, g.below(256 - from), g.below(6) - 3);
  }

  private static EtlRecord timed(int number, int bytes) {
    return EtlRecords.event(8, SHOP, 1)
        .time(SETTINGS.startTicks() + 100L * number)
        .payload(new byte[bytes - 80])
        .build();
  }

  /** A message that has no time: its time is that of another record of its buffer. */
  private static EtlRecord message(int number, int bytes) {
    return EtlRecords.message(number, 0).payload(new byte[bytes - 8]).build();
  }

  private void staysAsItIs(EtlBuffer... buffers) throws IOException {
    EtlWriter writer = new EtlWriter(EtlSettings.windows11().bufferSize(1 << 10));
    for (EtlBuffer buffer : buffers) {
      writer.buffer(buffer);
    }
    assertTrue(
        new CutRules(folder).check(writer.toByteArray(), new CutRules.Part(0, 255, -1), false));
  }

  @Test
  void aRecordWithoutATimeStaysBehindTheOneWhoseTimeItHas() throws IOException {
    // The second message does not fit behind the record whose time it has.
    staysAsItIs(
        EtlBuffer.of(0, 1, 1).add(timed(1, 400)),
        EtlBuffer.of(0, 1, 2)
            .add(timed(2, 400), timed(3, 96), message(1, 40), message(2, 96))
            .timeStamp(SETTINGS.startTicks() + 900));
  }

  @Test
  void recordsWithoutATimeStayInFrontOfTheOneWhoseTimeTheyHave() throws IOException {
    staysAsItIs(
        EtlBuffer.of(0, 1, 1).add(timed(1, 96)),
        EtlBuffer.of(0, 1, 2).add(message(1, 24), message(2, 24), timed(3, 96)),
        EtlBuffer.of(0, 1, 3).add(timed(4, 96)));
  }

  @Test
  void aBufferOfRecordsWithoutATimeKeepsItsOwn() throws IOException {
    staysAsItIs(
        EtlBuffer.of(0, 1, 1).add(timed(1, 96)),
        EtlBuffer.of(0, 1, 2).add(message(1, 24)).timeStamp(SETTINGS.startTicks() + 250),
        EtlBuffer.of(0, 1, 3).add(timed(4, 96)));
  }

  @Test
  void selectedRecordsOfAnyRecordingStayAsTheyAre() {
    CutRules rules = new CutRules(folder);
    Property.check(
        Slice.count(3_000, 180),
        g -> {
          byte[] file = RandomRecordings.content(g).writer().toByteArray();
          rules.check(file, part(g), g.flag());
        });
  }

  @Test
  void whatCanBeReadOfADamagedRecordingAndIsSelectedStays() {
    CutRules rules = new CutRules(folder);
    Property.check(
        Slice.count(3_000, 180),
        g -> {
          byte[] bytes = RandomRecordings.content(g).writer().toByteArray();
          for (int i = g.below(4); i >= 0; i--) {
            bytes[(int) g.between(0, bytes.length - 1)] = (byte) g.below(256);
          }
          rules.check(bytes, part(g), g.flag());
        });
  }

  @Test
  void flippedBitsOfRealRecordingsLoseNothingThatIsSelected() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    CutRules rules = new CutRules(folder);
    int seeds = Slice.count(60, 3);
    int cuts = 0;
    for (String name : SMALL) {
      byte[] sound = TestData.gunzip("etl/" + name + ".etl.gz");
      for (int seed = 1; seed <= seeds; seed++) {
        byte[] flipped = Damage.flipBits(sound, seed, 1 << seed % 8);
        CutRules.Part part = new CutRules.Part(seed * 37 % 200, 50, seed % 3 - 1);
        cuts += rules.check(flipped, part, seed % 2 == 0) ? 1 : 0;
      }
    }
    assertTrue(cuts > SMALL.size() * seeds / 2, cuts + " cuts");
  }
}
