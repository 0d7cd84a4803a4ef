package io.ntrail.programs.patchability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.services.SystemServices;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ProcessorTime;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import io.ntrail.testkit.pe.SmallPe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Images that are damaged, or made to take long: answers that hold together, in time. */
class PatchabilityDamageTest {
  /** Checks invariants of any image. */
  static void check(byte[] file, String name) {
    try (InputFile input = InputFile.of(file, name)) {
      PeImage image = PeImage.ofFile(input);
      SystemServices.of(image);
      Patchability patchability = Patchability.of(image);
      Set<Long> jumps = new HashSet<>();
      long before = -1;
      for (FunctionPatch patch : patchability.list()) {
        long rva = patch.function().rva();
        assertTrue(rva > before, () -> patch + " in order");
        before = rva;
        if (patch.isPossible()) {
          assertTrue(patch.unitLength() >= FunctionPatch.SHORT_JUMP, patch::toString);
          assertTrue(patch.jumpAt() >= rva - 126 && patch.jumpAt() <= rva + 129, patch::toString);
          for (long at = patch.jumpAt(); at < patch.jumpAt() + FunctionPadding.JUMP; at++) {
            assertTrue(jumps.add(at), () -> patch + " takes what another has");
          }
        } else {
          assertTrue(patch.refusal().isPresent(), patch::toString);
          assertEquals(-1, patch.jumpAt(), patch::toString);
        }
      }
      for (FunctionPatch patch : patchability.list()) {
        if (patch.isPossible()) {
          assertTrue(!jumps.contains(patch.function().rva()), () -> patch + " is overwritten");
        }
      }
      int count = patchability.list().size();
      SomeFunctions.check(
          image, patchability, SomeFunctions.everyNth(count, Math.max(1, count / 5)));
    } catch (CannotGoOn e) {
      assertNotEquals("", e.getMessage());
    }
  }

  static byte[] sketch() {
    return Sketches.of(
            Sketches.X64,
            "a: 48 83 EC 28 E8 20 00 00 00 48 83 C4 28 C3",
            "CC CC CC CC CC CC CC CC CC CC CC CC",
            "b: 53 48 83 EC 20 75 FA 5B C3",
            "66 66 2E 0F 1F 84 00 00 00 00 00 66 90",
            "c: E9 00 00 00 01",
            "CC CC CC CC CC CC",
            "d: 48 8B 05 11 00 00 00 C3",
            "-leaf: 4C 8B D1 B8 55 00 00 00 0F 05 C3",
            "CC CC CC CC CC CC CC CC CC CC CC",
            "e: 40 53 48 83 EC 20 EB F8")
        .file();
  }

  @Test
  void changedBytesAreAnsweredWhateverTheyMean() {
    byte[] whole = sketch();
    Property.check(g -> {
      byte[] file = whole.clone();
      for (long n = g.between(1, 12); n > 0; n--) {
        int at = g.below(file.length);
        file[at] = (byte) g.below(256);
      }
      check(file, "changed");
    });
  }

  @Test
  void aCutImageIsAnswered() {
    byte[] whole = sketch();
    for (int length = 0; length < whole.length; length += 7) {
      check(Arrays.copyOf(whole, length), "cut at " + length);
    }
  }

  @Test
  void everySharedImageIsAnsweredInTime() {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<String> slow = new ArrayList<>();
    for (PeSample sample : PeSamples.all()) {
      byte[] file = sample.bytes();
      long start = ProcessorTime.nanos();
      check(file, sample.toString());
      long millis = (ProcessorTime.nanos() - start) / 1_000_000;
      if (millis > 5_000) {
        slow.add(sample + ": " + millis + " ms");
      }
    }
    assertEquals(List.of(), slow);
  }

  @Test
  void aGuardTableOfHalfAMillionFunctionsIsAnsweredInTime() {
    SmallPe sketch = new SmallPe(Sketches.X64);
    int count = 1 << Slice.count(19, 17);
    sketch.section(".text", SmallPe.CODE, new LittleEndian(count).fill(count, 0x90).toByteArray());
    long[] entries = new long[count];
    for (int i = 0; i < count; i++) {
      entries[i] = SmallPe.FIRST + i;
    }
    sketch.guard(0x500, 0, entries);
    long start = ProcessorTime.nanos();
    check(sketch.file(), "guard");
    long millis = (ProcessorTime.nanos() - start) / 1_000_000;
    assertTrue(millis < 30_000, () -> millis + " ms");
  }

  @Test
  void sectionsThatShareTheirBytesAreNotReadWithoutEnd() {
    int sections = 80;
    int size = 1 << 20;
    SmallPe sketch = new SmallPe(Sketches.X64);
    sketch.section(".text", SmallPe.CODE, new LittleEndian(size).fill(size, 0x90).toByteArray());
    long first = sketch.next() + 0x1000;
    TreeMap<String, Long> exports = new TreeMap<>();
    for (int i = 0; i < sections; i++) {
      exports.put("f" + (100 + i), first + (long) i * size);
    }
    sketch.exports(exports);
    for (int i = 0; i < sections; i++) {
      sketch.section(".s" + i, SmallPe.CODE, new byte[size]);
    }
    // All sections get the stored bytes of the first, and the file ends after the second.
    byte[] file = Arrays.copyOf(sketch.file(), (int) sketch.headers() + size + 0x1000);
    for (int i = 0; i < sections; i++) {
      LittleEndian.putU32(file, sketch.row(2 + i, 20), sketch.headers());
    }
    check(file, "shared");
    try (InputFile input = InputFile.of(file, "shared")) {
      List<FunctionPatch> list = Patchability.of(PeImage.ofFile(input)).list();
      assertEquals(sections, list.size());
      assertEquals(Optional.of(PatchRefusal.NOT_EXAMINED), list.getLast().refusal());
    }
  }
}
