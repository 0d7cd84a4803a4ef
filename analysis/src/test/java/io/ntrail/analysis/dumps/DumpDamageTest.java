package io.ntrail.analysis.dumps;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A damaged dump answers every question, or is refused. */
class DumpDamageTest {
  private static void ask(byte[] content) {
    try (DumpRecording dump = DumpRecording.open(InputFile.of(content, "a.dmp"), new Gaps())) {
      int sum = dump.process().hashCode() + dump.exception().map(e -> e.text()).hashCode();
      for (DumpedThread thread : dump.threads()) {
        for (DumpView view :
            dump.wow64().isPresent()
                ? new DumpView[] {dump.view(), dump.wow64().get()}
                : new DumpView[] {dump.view()}) {
          sum += view.registers(thread).hashCode() + view.noRegisters(thread).length();
          sum += view.stack(thread).hashCode() + view.lastError(thread).hashCode();
          sum += view.shadowStack(thread).hashCode();
        }
      }
      for (DumpedModule module : dump.modules().list()) {
        sum += module.pdb().hashCode() + module.pdbPath().length();
        sum += module.image().map(PeImage::sections).hashCode();
        sum += dump.modules().at(module.base()).hashCode();
        sum += dump.regionAt(module.base()).hashCode();
      }
      for (int range = 0; range < dump.memory().saved().count(); range++) {
        long start = dump.memory().saved().start(range);
        sum += dump.regionAt(start).hashCode() + dump.readUpTo(start, 64).length();
      }
      if (sum == 1) {
        throw new AssertionError("so that nothing is left out");
      }
    } catch (CannotGoOn e) {
      if (e.message().isEmpty()) {
        throw new AssertionError("a refusal without a reason", e);
      }
    }
  }

  @Test
  void everyDumpIsAskedEverythingCutAndWithFlippedBits() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    SplittableRandom random = new SplittableRandom(34);
    for (Path file : Slice.of(SharedDumps.minidumps(), 2)) {
      byte[] whole = TestData.unpacked(file);
      ask(whole);
      int head = Math.min(whole.length, 30_000);
      for (int i = 0; i < Slice.count(500, 20); i++) {
        ask(Arrays.copyOf(whole, random.nextInt(head)));
        byte[] damaged = whole.clone();
        for (int flip = 0; flip <= i % 8; flip++) {
          damaged[random.nextInt(head)] ^= (byte) (1 << random.nextInt(8));
        }
        ask(damaged);
      }
    }
  }
}
