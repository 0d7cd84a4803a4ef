package io.ntrail.formats.pe.handlers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.formats.pe.unwind.FpoTable;
import io.ntrail.formats.pe.unwind.UnwindImages;
import io.ntrail.testkit.TestData;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Handler data of real images for x86. */
class RealFramesTest {
  @BeforeAll
  static void needsData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  /** The registrations in the first section, each taken to end where the next one begins. */
  private static List<SehFrame> frames(PeImage image) {
    Section text = image.sections().getFirst();
    List<Long> starts = new ArrayList<>();
    long end = text.rva() + text.size();
    for (long at = text.rva(); at < end; at++) {
      if (image.view().u8(at) == 0x6A && SehFrame.of(image, at, at + 1).isPresent()) {
        starts.add(at);
      }
    }
    starts.add(end);
    List<SehFrame> frames = new ArrayList<>();
    for (int i = 0; i + 1 < starts.size(); i++) {
      frames.add(SehFrame.of(image, starts.get(i), starts.get(i + 1)).orElseThrow());
    }
    return frames;
  }

  private static List<String> shapes(List<SehFrame> frames) {
    return frames.stream()
        .map(frame ->
            String.join(
                " ",
                frame.levels().stream()
                    .map(level ->
                        (level.isFinally() ? "finally " : "except ")
                            + Math.max(-1, level.enclosing()))
                    .toList()))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"xcpt4, exe, 30", "xframe_eh_dll, dll, 4", "seh_probe, exe, 2"})
  void functionsOfOneSourceHaveTheSameBlocksWithEitherHandler(String name, String kind, int count) {
    String file = "pe/eh/" + name + "-msvc-x86-native-";
    List<SehFrame> fourth = frames(UnwindImages.real(file + "gs-o0." + kind));
    List<SehFrame> third = frames(UnwindImages.real(file + "no-gs-o0." + kind));
    assertEquals(count, fourth.size());
    assertTrue(fourth.stream().allMatch(frame -> frame.version() == 4));
    assertTrue(third.stream().allMatch(frame -> frame.version() == 3));
    assertEquals(shapes(fourth), shapes(third));
  }

  @Test
  void everyFunctionOfAProbeWithObjectsNamesItsTypes() {
    for (String build : List.of("clang-cl-x86-native-gs-o0", "msvc-x86-native-gs-o2")) {
      PeImage image = UnwindImages.real("pe/eh/cxx_eh_probe-" + build + ".exe");
      int tries = 0;
      int found = 0;
      for (long handler : LoadConfig.of(image).orElseThrow().safeSehHandlers().orElseThrow()) {
        FuncInfo3 info = SehFrame.cxx(image, handler).orElse(null);
        if (info == null) {
          continue;
        }
        assertTrue(info.damage().isEmpty());
        found++;
        tries += info.tries().size();
        info.tries().stream()
            .flatMap(block -> block.catches().stream())
            .filter(handled -> !handled.takesAll())
            .forEach(handled -> assertTrue(handled.typeName().startsWith(".?AUProbe")));
      }
      assertEquals(3, found);
      assertEquals(6, tries);
    }
  }

  @Test
  void whatAProgramThrowsNamesItsTypesAndTheirBases() {
    for (String build : List.of("msvc-x86_64-fh3-no-gs-o0", "clang-cl-x86_64-fh3-no-gs-o2")) {
      PeImage image = UnwindImages.real("pe/eh/cxx_eh_probe-" + build + ".exe");
      Section text = image.sections().getFirst();
      Set<List<String>> thrown = new HashSet<>();
      for (long at = text.rva(); at < text.rva() + text.size() - 7; at++) {
        // lea rdx, [rip+n]: the second argument of who throws
        if (image.view().u16(at) == 0x8D48 && image.view().u8(at + 2) == 0x15) {
          ThrowInfo info = ThrowInfo.read(image, at + 7 + image.view().i32(at + 3));
          boolean named =
              info.types().stream().allMatch(type -> type.typeName().startsWith(".?AU"));
          if (info.damage().isEmpty() && !info.types().isEmpty() && named) {
            thrown.add(info.types().stream().map(t -> t.typeName().split("@", -1)[0]).toList());
          }
        }
      }
      assertEquals(
          Set.of(List.of(".?AUProbeError"), List.of(".?AUProbeDerived", ".?AUProbeBase")), thrown);
    }
  }

  @Test
  void frameDataOfAnOldLibraryAscendAndLieInItsCode() {
    PeImage image = UnwindImages.real("pe/windows/jobexec.dll.gz");
    DebugDirectory.Entry entry = DebugDirectory.of(image).first(DebugDirectory.FPO).orElseThrow();
    FpoTable table = FpoTable.of(Objects.requireNonNull(entry.data()));
    assertEquals(132, table.entries().size());
    long last = 0;
    for (FpoTable.Fpo fpo : table.entries()) {
      assertTrue(fpo.begin() >= last);
      assertTrue(image.isExecutable(fpo.begin()));
      last = fpo.begin() + fpo.size();
    }
  }
}
