package io.ntrail.programs.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.HotPatchShare;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import io.ntrail.testkit.pe.SmallPe;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The functions that images name. */
class ImageFunctionsTest {
  private static final int X64 = 0x8664;
  private static final long FIRST = SmallPe.FIRST;

  private static SmallPe sketch(int machine) {
    SmallPe sketch = new SmallPe(machine);
    sketch.section(".text", SmallPe.CODE, new byte[0x1000]);
    return sketch;
  }

  private static ImageFunctions functions(SmallPe sketch) {
    try (InputFile input = InputFile.of(sketch.file(), "sketch.dll")) {
      return ImageFunctions.of(PeImage.ofFile(input));
    }
  }

  @Test
  void aFunctionIsListedOnceWithAllItsNamesAndSources() {
    SmallPe sketch =
        sketch(X64)
            .functions(new long[] {FIRST + 0x10, FIRST + 0x20, 0})
            .exports(Map.of("One", FIRST + 0x10, "Another", FIRST + 0x10))
            .guard(0x1000_0500L, 2, FIRST + 0x10);
    assertEquals(
        List.of(
            new ImageFunction(
                FIRST + 0x10,
                FIRST + 0x20,
                true,
                false,
                List.of("Another", "One"),
                Set.of(Source.FUNCTION_TABLE, Source.EXPORT, Source.GUARD_TABLE),
                2)),
        functions(sketch).list());
  }

  @Test
  void withoutATableAFunctionEndsWhereTheNextBegins() {
    ImageFunctions functions =
        functions(sketch(0x14C).exports(Map.of("a", FIRST + 0x40, "b", FIRST + 0x10)));
    assertEquals(
        List.of(FIRST + 0x10, FIRST + 0x40),
        functions.list().stream().map(ImageFunction::rva).toList());
    assertEquals(FIRST + 0x40, functions.list().getFirst().end());
    assertEquals(FIRST + 0x1000, functions.list().getLast().end());
    assertFalse(functions.list().getFirst().bounded());
  }

  /** Returns an image with a function at FIRST + 0x10 and a part at FIRST + 0x80. */
  private static SmallPe withPartOf(long owner) {
    SmallPe sketch = sketch(X64);
    long info = sketch.next();
    // Version 1 with the flag for a chained entry, which follows.
    sketch.section(
        ".xdata",
        SmallPe.CONSTANTS,
        new LittleEndian()
            .u32(0x21)
            .u32(owner)
            .u32(FIRST + 0x20)
            .u32(info + 0x20)
            .zeros(0x10)
            .u32(1)
            .toByteArray());
    return sketch.functions(
        new long[] {FIRST + 0x10, FIRST + 0x20, info + 0x20},
        new long[] {FIRST + 0x80, FIRST + 0x90, info});
  }

  @Test
  void separatePartsOfAFunctionAreNotFunctions() {
    ImageFunctions functions = functions(withPartOf(FIRST + 0x10));
    assertEquals(List.of(FIRST + 0x10), functions.list().stream().map(ImageFunction::rva).toList());
    assertEquals(FIRST + 0x10, functions.owner(FIRST + 0x85));
    assertEquals(-1, functions.owner(FIRST + 0x90));
    assertEquals(FIRST + 0x90, functions.reachBefore(FIRST + 0x100));
    assertEquals(
        List.of(FIRST + 0x80),
        functions.parts(FIRST + 0x10).stream().map(RuntimeFunction::begin).toList());
    assertEquals(List.of(), functions.parts(FIRST + 0x80));
    assertEquals(0, functions.indexAt(FIRST + 0x10));
    assertEquals(0, functions.indexAt(FIRST + 0x8F));
    assertEquals(-1, functions.indexAt(FIRST + 0x20));
    assertEquals(-1, functions.indexAt(FIRST + 0x90));
    assertEquals(-1, functions.indexAt(FIRST));
  }

  @Test
  void aPartWhoseOwnerIsNotListedIsAFunctionOfItsOwn() {
    ImageFunctions functions = functions(withPartOf(FIRST + 0x11));
    assertEquals(
        List.of(FIRST + 0x10, FIRST + 0x80),
        functions.list().stream().map(ImageFunction::rva).toList());
    assertEquals(FIRST + 0x11, functions.missingOwner(FIRST + 0x80));
    assertEquals(-1, functions.missingOwner(FIRST + 0x10));
    assertEquals(FIRST + 0x80, functions.owner(FIRST + 0x85));
    assertEquals(1, functions.indexAt(FIRST + 0x85));
  }

  @Test
  void anEntryThatRefersToNothingIsAFunctionOfItsOwn() {
    ImageFunctions functions =
        functions(sketch(X64).functions(new long[] {FIRST + 0x10, FIRST + 0x20, 0x7000_0001L}));
    assertEquals(List.of(FIRST + 0x10), functions.list().stream().map(ImageFunction::rva).toList());
  }

  @Test
  void codeWithoutAnEndStopsBeforeTheNextRangeOfTheTable() {
    ImageFunctions functions =
        functions(
            sketch(X64)
                .functions(new long[] {FIRST + 0x80, FIRST + 0x90, 0})
                .exports(Map.of("leaf", FIRST + 0x20)));
    assertEquals(FIRST + 0x80, functions.list().getFirst().end());
    assertFalse(functions.list().getFirst().bounded());
  }

  @Test
  void everyEntryOfTheTablesOfSharedImagesIsAFunctionOrAPartOfOne() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    int parts = 0;
    for (String group : List.of("windows", "eh")) {
      for (PeSample sample : PeSamples.group(group)) {
        try (InputFile input = InputFile.of(sample.bytes(), sample.name())) {
          PeImage image = PeImage.ofFile(input);
          ImageFunctions functions = ImageFunctions.of(image);
          int further = 0;
          for (ImageFunction function : functions.list()) {
            further += functions.parts(function.rva()).size();
          }
          assertEquals(
              FunctionTable.of(image).entries().size(),
              count(functions.list(), Source.FUNCTION_TABLE) + further,
              sample.name());
          parts += further;
        } catch (CannotGoOn e) {
          assertEquals(CannotGoOn.Reason.OTHER_KIND, e.reason(), sample.name());
        }
      }
    }
    assertTrue(parts > 1_000, parts + " parts");
  }

  @Test
  void anExportInTheMiddleOfAFunctionIsInsideAndEndsWithIt() {
    ImageFunction inner =
        functions(
                sketch(X64)
                    .functions(new long[] {FIRST + 0x10, FIRST + 0x20, 0})
                    .exports(Map.of("inner", FIRST + 0x18)))
            .list()
            .getLast();
    assertTrue(inner.inside());
    assertTrue(inner.bounded());
    assertEquals(FIRST + 0x20, inner.end());
  }

  @Test
  void anExportOfDataIsNotAFunction() {
    SmallPe sketch = sketch(X64);
    long data = sketch.section(".rdata", SmallPe.CONSTANTS, new byte[16]);
    assertEquals(List.of(), functions(sketch.exports(Map.of("table", data))).list());
  }

  @Test
  void sharedImagesHaveAsManyAsAnotherProgramCounted() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    int compared = 0;
    for (HotPatchShare share : HotPatchShare.collected()) {
      for (String group : List.of("windows", "eh")) {
        if (PeSamples.group(group).stream().noneMatch(s -> s.name().equals(share.image()))) {
          continue;
        }
        byte[] bytes = PeSamples.of(group, share.image()).bytes();
        try (InputFile input = InputFile.of(bytes, share.image())) {
          List<ImageFunction> list = ImageFunctions.of(PeImage.ofFile(input)).list();
          assertEquals(share.functions(), list.size(), share.image());
          assertEquals(share.inTable(), count(list, Source.FUNCTION_TABLE), share.image());
          assertEquals(share.exports(), count(list, Source.EXPORT), share.image());
          compared++;
        }
      }
    }
    assertTrue(compared >= 50, compared + " images");
  }

  private static long count(List<ImageFunction> list, Source source) {
    return list.stream().filter(function -> function.is(source)).count();
  }
}
