package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.pt.EncodedRun;
import io.ntrail.testkit.pt.PtEncoder;
import io.ntrail.testkit.pt.PtOptions;
import io.ntrail.testkit.pt.RandomProgram;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random programs that a processor of others ran, encoded apart from the decoder with random
 * options: each instruction is found, and no other one.
 */
class RandomFlowTest {
  private static final int STEPS = 20_000;
  private static final long[] BASES = {0x40_1000, 0x7FFF_1234_0000L, 0x1_4000_0000L};

  @TempDir private Path folder;

  @Test
  void eachInstructionOfRandomProgramsIsFound() throws IOException {
    Optional<UnicornMachine> processor = UnicornMachine.in(folder, 64);
    assumeTrue(processor.isPresent(), UnicornMachine.MISSING);
    long instructions = 0;
    int overflows = 0;
    try (UnicornMachine machine = processor.get()) {
      for (int seed = 0; seed < Slice.count(530, 15); seed++) {
        PtOptions options = PtOptions.random(seed);
        int bits = seed % 4 == 1 ? 32 : 64;
        long base = bits == 32 ? BASES[0] : BASES[seed % BASES.length];
        // Returns to where no call came from, compressed ones among them.
        RandomProgram program = new RandomProgram(seed, bits, base, seed % 3 == 0);
        PtEncoder encoder = new PtEncoder(options, bits, seed);
        EncodedRun run = EncodedRun.of(program, machine, encoder, STEPS);
        Path stream = Files.write(folder.resolve("stream.pt"), run.stream());
        Path code = Files.write(folder.resolve("code.bin"), program.code());
        String place = code + "@0x" + Long.toHexString(base);
        Cli.Result flow = Cli.run("pt", "flow", stream, "--code", place, "--addresses");
        String what = "seed " + seed + ", " + options + ": ";
        boolean overflowed = encoder.overflows() > 0;
        assertEquals(overflowed, flow.err().contains("the processor lost packets"), what);
        assertEquals(overflowed ? 1 : 0, flow.err().lines().count(), what + flow.err());
        assertEquals(0, flow.exit(), what);
        same(run.addresses(), flow.lines(), what);
        instructions += run.addresses().length;
        overflows += encoder.overflows();
      }
    }
    assertTrue(overflows > 5, overflows + " overflows");
    System.out.println(instructions + " instructions of random programs");
  }

  private static void same(long[] expected, List<String> found, String what) {
    int most = Math.min(expected.length, found.size());
    for (int i = 0; i < most; i++) {
      assertEquals("%016x".formatted(expected[i]), found.get(i), what + "instruction " + i);
    }
    assertEquals(expected.length, found.size(), what + "instructions");
  }
}
