package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.live.branches.ImageSearch;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.symbols.PdbSearch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans of just loaded modules, made from their files. */
final class FreshModulePlanTest {
  private static final long BASE = 0x1_8000_0000L;

  @TempDir private Path folder;

  private static Sketch sketch() {
    return new Sketch()
        .function("one", UnwindInfoBuilder.prologue(0), 0x8D, 0x41, 1, 0xC3)
        .function("two", UnwindInfoBuilder.prologue(0), 0x8D, 0x41, 2, 0xC3);
  }

  /** Plans with memory in which one byte of the image differs; none if the RVA is negative. */
  private Optional<List<PlannedFunction>> plan(long different) throws IOException {
    PeImage image = sketch().stored();
    Path path = Files.write(folder.resolve("a.dll"), sketch().file());
    TargetModule module = module(image);
    FreshModulePlan.Memory memory =
        ranges ->
            ranges.stream()
                .map(range -> {
                  int length = range.length();
                  byte[] bytes =
                      image.view().bytes(range.address() - BASE, length).array(0, length);
                  long at = different - (range.address() - BASE);
                  if (different >= 0 && at >= 0 && at < length) {
                    bytes[(int) at] ^= 1;
                  }
                  return bytes;
                })
                .toList();
    try (ModuleFile file =
        ModuleFile.open(Optional.of(path), module, image, new PdbSearch(List.of()))) {
      return FreshModulePlan.of(memory, module, file, Sketch.ALL, ImageSearch.here());
    }
  }

  private static TargetModule module(PeImage image) {
    return new TargetModule(BASE, image.headers().sizeOfImage(), "C:\\a.dll", "a.dll");
  }

  @Test
  void whereMemoryIsAsTheFileThePlanIsThatOfMemory() throws IOException {
    PeImage image = sketch().stored();
    List<PlannedFunction> expected =
        Planner.plan(module(image), image, PlanSymbols.NONE, Optional.empty(), Sketch.ALL);
    List<PlannedFunction> planned = plan(-1).orElseThrow();
    assertEquals(2, planned.size());
    for (int i = 0; i < planned.size(); i++) {
      assertEquals(expected.get(i).name(), planned.get(i).name());
      assertEquals(expected.get(i).patch(), planned.get(i).patch());
      assertEquals(
          Arrays.toString(expected.get(i).code().orElseThrow().unit()),
          Arrays.toString(planned.get(i).code().orElseThrow().unit()));
    }
  }

  @Test
  void whereASelectedFunctionDiffersInMemoryThereIsNone() throws IOException {
    long rva = plan(-1).orElseThrow().getFirst().rva();
    assertFalse(plan(rva + 1).isPresent());
    assertFalse(plan(rva - 3).isPresent());
  }
}
