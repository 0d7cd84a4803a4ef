package io.ntrail.live.plan;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.branches.ImageSearch;
import io.ntrail.live.target.TargetModule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Practice for planning: plans a module for nobody, and forgets the plan.
 *
 * <p>The first plans of a process take several times as long as later ones, until the JVM has
 * compiled them. A thread of the target waits for the plan of a library that it loads; so what can
 * be compiled before is.
 */
public final class PlanPractice {
  /** Number of plans: more gain nothing. */
  private static final int PLANS = 10;

  private PlanPractice() {}

  /**
   * Plans an image in a file until that is as fast as it becomes.
   *
   * @param choice selects functions besides; so this is practised, too
   * @param next practises with the plans
   * @param goesOn false when the time is needed for something else
   */
  static void plan(
      Path file,
      Planner.Selection choice,
      Consumer<List<PlannedFunction>> next,
      BooleanSupplier goesOn) {
    plan(file, PLANS, choice, next, goesOn);
  }

  /** Plans an image in a file several times; other files are left out. */
  public static void plan(Path file, int plans) {
    plan(file, plans, Planner.Selection.NOTHING, _ -> {}, () -> true);
  }

  private static void plan(
      Path file,
      int plans,
      Planner.Selection choice,
      Consumer<List<PlannedFunction>> next,
      BooleanSupplier goesOn) {
    String name = file.toString();
    try (InputFile input = InputFile.map(file, name)) {
      PeImage image = PeImage.ofFile(input);
      long size = image.headers().sizeOfImage();
      TargetModule module = new TargetModule(image.headers().imageBase(), size, name, name);
      // Few of its functions, and all, in turn.
      Planner.Selection few = new Some("Size", choice);
      Planner.Selection all = new Some("", choice);
      for (int i = 0; i < plans && goesOn.getAsBoolean(); i++) {
        Planner.Selection its = i % 2 == 0 ? few : all;
        Planner planner =
            Planner.of(new PlannedModule(module, image), PlanSymbols.NONE, its, ImageSearch.here());
        next.accept(planner.plan(planner.wanted(its), its));
      }
    } catch (IOException | CannotGoOn | DamagedInput e) {
      // A recording, for example, or a module that is refused when it is needed.
    }
  }

  /** Functions whose names have a part. */
  private record Some(String part, Planner.Selection others) implements Planner.Selection {
    @Override
    public boolean wants(TargetModule module, String name) {
      return others.wants(module, name) || name.contains(part);
    }

    @Override
    public boolean excludes(TargetModule module, String name) {
      return false;
    }
  }
}
