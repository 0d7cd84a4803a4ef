package io.ntrail.testkit.pt;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.Slice;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Intel's decoder finds in encoded streams the instructions that were executed. */
class PtEncoderTest {
  private static final int STEPS = 20_000;
  private static final long[] BASES = {0x40_1000, 0x7FFF_1234_0000L, 0x1_4000_0000L};

  @TempDir private Path folder;

  @Test
  void intelsDecoderFindsTheInstructionsOfRandomPrograms() throws IOException {
    Optional<Libipt> libipt = Libipt.in(folder);
    assumeTrue(libipt.isPresent(), Libipt.MISSING);
    Optional<UnicornMachine> processor = UnicornMachine.in(folder, 64);
    assumeTrue(processor.isPresent(), UnicornMachine.MISSING);
    int overflows = 0;
    int pauses = 0;
    int psbs = 0;
    try (UnicornMachine machine = processor.get()) {
      for (int seed = 0; seed < Slice.count(300, 24); seed++) {
        // It loses its way where a return is not compressed that a call is left for.
        boolean strayReturns = seed % 3 == 0;
        PtOptions options = PtOptions.random(seed);
        if (strayReturns) {
          options = options.compressingReturns(false);
        }
        int bits = seed % 4 == 1 ? 32 : 64;
        long base = bits == 32 ? BASES[0] : BASES[seed % BASES.length];
        RandomProgram program = new RandomProgram(seed, bits, base, strayReturns);
        PtEncoder encoder = new PtEncoder(options, bits, seed);
        EncodedRun run = EncodedRun.of(program, machine, encoder, STEPS);
        Libipt.Flow flow = libipt.get().flow(run.stream(), program.code(), base);
        String what = "seed " + seed + ", " + options + ", " + flow.errors();
        assertEquals(0, flow.errors().size(), what);
        int at = Arrays.mismatch(run.addresses(), flow.addresses());
        assertArrayEquals(run.addresses(), flow.addresses(), what + ", first at " + at);
        overflows += encoder.overflows();
        pauses += encoder.pauses();
        psbs += encoder.psbs();
      }
    }
    assertTrue(overflows > 10 && pauses > 100 && psbs > 500, overflows + " " + pauses + " " + psbs);
  }
}
