package io.ntrail.programs.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import io.ntrail.testkit.pe.SmallPe;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Names of single addresses are those that the list of all functions gives. */
class AddressNamesTest {
  private static final int X64 = 0x8664;
  private static final long FIRST = SmallPe.FIRST;

  /** Addresses of one image. */
  private static final int MOST = 60;

  private static Optional<NamedFunction> at(SmallPe sketch, long rva) {
    try (InputFile input = InputFile.of(sketch.file(), "sketch.dll")) {
      return AddressNames.of(PeImage.ofFile(input)).at(rva);
    }
  }

  private static SmallPe sketch() {
    SmallPe sketch = new SmallPe(X64);
    sketch.section(".text", SmallPe.CODE, new byte[0x1000]);
    return sketch.exports(Map.of("One", FIRST + 0x10, "Two", FIRST + 0x200));
  }

  @Test
  void aNameReachesToTheNextFunction() {
    NamedFunction one = new NamedFunction(FIRST + 0x10, 0x1F0, "One", Source.EXPORT);
    assertEquals(Optional.empty(), at(sketch(), FIRST + 0xF));
    assertEquals(Optional.of(one), at(sketch(), FIRST + 0x10));
    assertEquals(Optional.of(one), at(sketch(), FIRST + 0x1FF));
  }

  @Test
  void aNameEndsWhereAFunctionBeginsThatHasNone() {
    SmallPe unwound = sketch().functions(new long[] {FIRST + 0x40, FIRST + 0x50, 0});
    assertEquals(0x30, at(unwound, FIRST + 0x3F).orElseThrow().length());
    assertEquals(Optional.empty(), at(unwound, FIRST + 0x40));
    assertEquals(Optional.empty(), at(unwound, FIRST + 0x100));
    SmallPe guarded = sketch().guard(0x1000_0500L, 2, FIRST + 0x60);
    assertEquals(0x50, at(guarded, FIRST + 0x5F).orElseThrow().length());
    assertEquals(Optional.empty(), at(guarded, FIRST + 0x60));
  }

  @Test
  void aNameEndsWithTheRangeOfTheFunctionTable() {
    SmallPe sketch = sketch().functions(new long[] {FIRST + 0x10, FIRST + 0x20, 0});
    assertEquals(0x10, at(sketch, FIRST + 0x1F).orElseThrow().length());
    assertEquals(Optional.empty(), at(sketch, FIRST + 0x20));
  }

  @Test
  void theTablesNameAllAddressesAsTheListOfFunctionsDoes() {
    assumeTrue(TestData.available(), TestData.MISSING);
    int named = 0;
    for (PeSample sample : Slice.of(PeSamples.all(), 6)) {
      try (InputFile input = InputFile.of(sample.bytes(), sample.name())) {
        named += compare(PeImage.ofFile(input));
      } catch (CannotGoOn | DamagedInput e) {
        // Some samples are no images.
      }
    }
    assertTrue(named > Slice.count(1_000, 150), named + " names");
  }

  private static int compare(PeImage image) {
    ImageFunctions functions = ImageFunctions.withSymbolTable(image);
    AddressNames names = AddressNames.of(image);
    TreeSet<Long> addresses = new TreeSet<>();
    List<ImageFunction> list = functions.list();
    for (int i = 0; i < list.size(); i += 1 + list.size() * 3 / MOST) {
      ImageFunction function = list.get(i);
      addresses.addAll(
          List.of(function.rva() - 1, function.rva(), function.rva() + 2, function.end()));
    }
    int named = 0;
    for (long rva : addresses) {
      Optional<NamedFunction> expected = AddressNames.inList(functions, rva);
      assertEquals(
          expected, names.inTables(rva), () -> image.name() + " 0x" + Long.toHexString(rva));
      named += expected.isPresent() ? 1 : 0;
    }
    return named;
  }
}
