package io.ntrail.programs.x86.asm;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every typed method, called with random operands, against nasm and read back. */
class TypedCallsTest {
  private static final int ROUNDS = Boolean.getBoolean("ntrail.long") ? 300 : 30;

  @TempDir Path folder;

  @Test
  void everyMethodWritesWhatNasmWritesIn64BitCode() throws Exception {
    compare(true);
  }

  @Test
  void everyMethodWritesWhatNasmWritesIn32BitCode() throws Exception {
    compare(false);
  }

  private void compare(boolean wide) throws Exception {
    assumeTrue(Nasm.TOOL.available(), Nasm.TOOL.missing());
    assumeTrue(Disassembly.TOOL.available(), Disassembly.TOOL.missing());
    RandomOperands random = new RandomOperands(new SplittableRandom(11), wide);
    List<Written> all = new ArrayList<>(TypedCalls.plain(wide));
    all.addAll(new TypedCalls(random, wide).draw(ROUNDS));
    AgainstNasm result = AgainstNasm.compare(folder, wide, all, _ -> false);
    result.assertSame();
    assertTrue(result.unknown().isEmpty(), result.toString());
    assertTrue(result.equal() > 5_000, result.toString());
  }
}
