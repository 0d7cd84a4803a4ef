package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.branches.ImageSearch;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.target.TargetModule;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.pe.WineImages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Few named functions of an image, which are planned as if all were listed. */
final class FewFunctionsTest {
  /** Numbers of names that are selected together. */
  private static final int[] COUNTS = {1, 12, 150};

  private record Named(Set<String> names) implements Planner.Selection {
    @Override
    public boolean wants(TargetModule module, String name) {
      return names.contains(name);
    }

    @Override
    public boolean excludes(TargetModule module, String name) {
      return false;
    }
  }

  /** A planned function, to be compared. */
  private record Plan(String name, Object patch, String reason, String code, boolean exits) {
    static Plan of(PlannedFunction function) {
      return new Plan(
          function.name(),
          function.patch(),
          function.reason().toString(),
          function.code().map(Plan::text).orElse(""),
          function.hasExits());
    }

    private static String text(TracedCode code) {
      return "%x %s %s".formatted(code.address(), Arrays.toString(code.unit()), code.relative());
    }
  }

  private static int compare(Path file, PeImage image, int count, Random random) {
    TargetModule module =
        new TargetModule(
            image.headers().imageBase(),
            image.headers().sizeOfImage(),
            file.toString(),
            file.getFileName().toString());
    List<String> exported = new ArrayList<>();
    for (Exports.Export export : Exports.of(image).list()) {
      if (export.name() != null) {
        exported.add(export.name());
      }
    }
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < count && !exported.isEmpty(); i++) {
      names.add(exported.get(random.nextInt(exported.size())));
    }
    Planner.Selection choice = new Named(names);
    PlannedModule its = new PlannedModule(module, image);
    Optional<FewFunctions> few = FewFunctions.of(its, Map.of(), choice, ImageSearch.here());
    if (few.isEmpty()) {
      return 0;
    }
    Planner planner = Planner.of(its, PlanSymbols.NONE, choice, ImageSearch.here());
    List<PlannedFunction> planned = planner.plan(planner.wanted(choice), choice);
    List<PlannedFunction> among =
        Planner.plan(module, image, PlanSymbols.NONE, Optional.empty(), choice);
    assertEquals(
        among.stream().map(Plan::of).toList(),
        planned.stream().map(Plan::of).toList(),
        names::toString);
    return planned.size();
  }

  @Test
  void ofEachLibraryOfWineAnyNamesHaveTheSamePlansAsAmongAllFunctions() throws IOException {
    assumeTrue(WineImages.available(), WineImages.MISSING);
    int compared = 0;
    for (Path file : Slice.of(WineImages.all(), 9)) {
      try (InputFile input = InputFile.map(file, file.getFileName().toString())) {
        PeImage image = PeImage.ofFile(input);
        Random random = new Random(image.headers().sizeOfImage());
        for (int count : COUNTS) {
          compared += compare(file, image, count, random);
        }
      } catch (CannotGoOn e) {
        // Not an image after all.
      }
    }
    assertTrue(compared > 500, "compared " + compared);
  }
}
