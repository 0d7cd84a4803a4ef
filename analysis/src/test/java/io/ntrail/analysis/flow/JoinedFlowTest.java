package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.RawSpace;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The flow of a stream whose short TNTs come as one, as far as they stand in a row. */
class JoinedFlowTest {
  private static String told(
      PacketCursor packets, AddressSpace code, Set<Erratum> errata, Resync resync) {
    FlowDigest digest = new FlowDigest();
    FlowSettings settings = new FlowSettings(errata, resync, CodeSize.BITS64);
    new FlowDecoder(packets, new CodeBlocks(code), settings, digest).run();
    return digest.text();
  }

  private static void compare(InputFile packets, AddressSpace code, Resync resync, boolean fails) {
    Set<Erratum> errata = RecordedStreams.errata("6/94/3");
    String joined = told(PacketCursor.joined(packets, errata), code, errata, resync);
    assertEquals(told(new PacketCursor(packets, errata), code, errata, resync), joined);
    assertTrue(!fails || joined.contains(" at "), joined);
  }

  @Test
  void joinedTntsTellTheSameInSoundAndInDamagedStreams() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (String stream : new String[] {"xdc/avscript32.pt", "xdc/unzip.pt", "xdc/dyn.pt"}) {
      byte[] sound = RecordedStreams.bytes(stream);
      SplittableRandom random = new SplittableRandom(7);
      for (int i = 0; i < Slice.count(60, 12); i++) {
        boolean isTorn = i > 0;
        byte[] packets = isTorn ? DamagedStreams.torn(sound, random) : sound;
        Resync resync = i % 3 == 2 ? Resync.PSB : Resync.EVENT;
        RecordedStreams.with(
            stream, packets, (input, code) -> compare(input, code, resync, isTorn));
      }
    }
  }

  /** TNTs with 6, 1 and 1 branches; the second one is of a jump whose target is not told. */
  @Test
  void theErrorNamesTheTntThatDoesNotFit() {
    // 100000: jz 100002; jmp *rax
    byte[] code = Flows.bytes("7400 ffe0");
    byte[] stream = Flows.bytes(Flows.PSB + "9901 7d000010000000 0223 04 04 04 06");
    try (InputFile bytes = InputFile.of(code, "code");
        InputFile packets = InputFile.of(stream, "stream")) {
      AddressSpace space = new RawSpace(bytes, 0x100000);
      String each = told(new PacketCursor(packets, Set.of()), space, Set.of(), Resync.EVENT);
      assertEquals(
          each, told(PacketCursor.joined(packets, Set.of()), space, Set.of(), Resync.EVENT));
      assertTrue(each.contains("CONTEXT at 1d 100002"), each);
    }
  }
}
