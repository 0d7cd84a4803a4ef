package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.testkit.Allocation;
import io.ntrail.testkit.ProcessorTime;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.pe.PeSamples;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A damaged image is answered: refused when it is opened, or read as far as it goes. */
class PeDamageTest {
  private static final long SEED = 20_261_121;
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");
  private static final long MOST_NANOS = 10_000_000_000L;

  /** All that is allocated on the way: most of it by what is thrown at damaged entries. */
  private static final long MOST_ALLOCATED = 128L << 20;

  /** The images are small, so that many ways to damage them can be tried. */
  @ParameterizedTest
  @CsvSource({
    "windows,WdBoot.sys",
    "windows,jobexec.dll",
    "windows,msyuv.dll",
    "windows,IEAdvpack.dll",
    "windows,shimeng.dll",
    "windows,pwsh.exe",
    "eh,seh_probe-msvc-x86_64-fh4-gs-o0.exe",
    "eh,cxx_eh_probe-clang-cl-x86-native-gs-o2.exe",
    "eh,seh_probe-msvc-aarch64-native-gs-o2.exe",
    "eh,seh_probe-msvc-arm-native-gs-o2.exe",
    "flags,BA2025-NotApplicable-ARM64EC_rust_notApplicable.exe",
    "toolchains,ngen-BinSkim.win-x64.ni.dll",
    "toolchains,object-export.dll",
    "hostile,malformed_resource_tree.exe.bin",
    "corkami,imports_virtdesc.exe"
  })
  void damageIsAnsweredSoonAndInLittleMemory(String group, String name) {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] sound = PeSamples.of(group, name).bytes();
    List<String> broken = new ArrayList<>();
    for (int at : places(sound, 1)) {
      check(Damage.cutAt(sound, at), "cut at " + at, broken);
    }
    for (int at : places(sound, 2)) {
      int to = Math.min(sound.length, at + 8);
      check(Damage.flipBits(sound, SEED + at, 1, at, to), "bit flipped near " + at, broken);
    }
    for (int at : places(sound, 3)) {
      int length = Math.min(sound.length - at, 1 + at % 37);
      check(Damage.garbage(sound, at, length, SEED + at), "garbage " + at, broken);
      check(Damage.zero(sound, at, length), "zeros " + at, broken);
      check(ones(sound, at, Math.min(4, length)), "ones " + at, broken);
      check(Damage.remove(sound, at, length), "removed " + at, broken);
    }
    assertEquals(List.of(), broken, "seed " + SEED);
    assertTrue(sound.length > 0);
  }

  /** Everywhere in the headers, and at some places after them; {@code --long}: at many. */
  private static List<Integer> places(byte[] sound, int salt) {
    List<Integer> places = new ArrayList<>();
    int headers = Math.min(sound.length, 0x400);
    for (int at = salt; at < headers; at += LONG ? 1 : 23) {
      places.add(at);
    }
    Random random = new Random(SEED + salt);
    for (int i = 0; i < (LONG ? 2000 : 30) && sound.length > headers; i++) {
      places.add(headers + random.nextInt(sound.length - headers));
    }
    return places;
  }

  private static byte[] ones(byte[] sound, int from, int length) {
    byte[] spoiled = sound.clone();
    java.util.Arrays.fill(spoiled, from, from + length, (byte) -1);
    return spoiled;
  }

  private static void check(byte[] file, String what, List<String> broken) {
    long began = ProcessorTime.nanos();
    long allocated = Allocation.during(() -> answer(file, what, broken));
    long took = ProcessorTime.nanos() - began;
    if (took > MOST_NANOS || allocated > MOST_ALLOCATED + 60L * file.length) {
      broken.add(what + ": " + took / 1_000_000 + " ms, " + allocated + " bytes");
    }
  }

  private static void answer(byte[] file, String what, List<String> broken) {
    try {
      ImageContents.of(SampleImages.open(file, what));
    } catch (CannotGoOn e) {
      if (e.message().isEmpty() || e.nextStep().isEmpty()) {
        broken.add(what + ": refused without a word: " + e);
      }
    } catch (RuntimeException | StackOverflowError e) {
      broken.add(what + ": " + e + " at " + e.getStackTrace()[0]);
    }
  }
}
